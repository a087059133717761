// The issuer of the realm, which one API answers for with one of its methods.
import type { Notes } from '../reading/notes.ts';
import type { Part } from '../reading/part.ts';
import { addFormerIssuer, formerHost, formerUntil, oneOf } from '../writing/former-issuers.ts';
import type { Registry } from '../writing/registry-file.ts';

export function readFormerIssuer(about: Part, registry: Registry, notes: Notes): void {
  const until = formerUntil(notes);
  if (until === null) return;
  const host = formerHost(notes, about.part('attributes').text('frontendUrl'));
  const ids = registry.apis.map(({ id }) => String(id));
  const api = oneOf(notes, 'former_issuers.api', 'which API answers at the address of the realm', ids);
  const entry = registry.apis.find(({ id }) => id === api);
  if (host === null || entry === undefined) return;
  const methods = entry['auth_methods'] as string[];
  const question = 'how people sign in who come by the address of the realm';
  const method = oneOf(notes, 'former_issuers.auth_method', question, methods);
  const name = about.text('realm') ?? '';
  if (method !== undefined)
    addFormerIssuer(
      notes,
      entry,
      { issuer: `${host}/realms/${name}`, auth_method: method, layout: 'keycloak' },
      until,
    );
}
