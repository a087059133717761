// keycloak: what `kc.sh export --users different_files` wrote of a realm.
import type { Part } from '../reading/part.ts';
import type { Conversion } from '../writing/conversion.ts';
import type { Registry } from '../writing/registry-file.ts';
import { Audiences } from './audiences.ts';
import { readBrokers, readDirectories } from './brokers.ts';
import { keycloakClient } from './clients.ts';
import { readExport } from './export-files.ts';
import { readFormerIssuer } from './former-issuer.ts';
import { BUILT_IN_CLIENTS, GroupNames } from './group-names.ts';
import { personOf } from './people.ts';

type Subscriptions = Map<string, { clientId: string; api: string; scopes: readonly string[] }[]>;

export async function convertKeycloak({ files, notes, registry, take }: Conversion): Promise<void> {
  const { about, people } = await readExport(files, notes);
  about.ignoreAll(['id'], 'of Keycloak alone');
  about.leaveOut('registrationAllowed', 'set registration of the method local');
  const name = about.text('displayName') ?? about.text('realm') ?? '';
  registry.auth_methods.push({ id: 'local', type: 'local', ...(name !== '' && { name }) });
  const methods = readBrokers(about, registry);
  const directories = readDirectories(about);
  const groups = new GroupNames(about, registry);
  const subscriptions = readClients(about, groups, registry);
  for (const client of about.parts('clients')) noteMappers(client);
  readFormerIssuer(about, registry, notes);
  about.note();
  for await (const person of people()) {
    const line = personOf(person, { groups, methods, directories, subscriptions });
    if (line === null) person.note();
    else await take(person, line);
  }
}

function readClients(about: Part, groups: GroupNames, registry: Registry): Subscriptions {
  const own = new Map<string, Part>();
  for (const client of about.parts('clients')) {
    const id = client.text('clientId') ?? '';
    if (BUILT_IN_CLIENTS.has(id)) client.sayOfAll('left out', 'a client of Keycloak itself');
    else if (client.text('protocol') === 'saml') client.sayOfAll('left out', 'SAML is not spoken here');
    else own.set(id, client);
  }
  const audiences = new Audiences(about, own, groups, registry);
  const callers = [...own].filter(([, client]) => !client.flag('bearerOnly'));
  const apisOf = new Map(callers.map(([id, client]) => [id, audiences.of(client)]));
  const rest = [...apisOf.values()].some((apis) => apis.length === 0) ? audiences.rest(about) : null;
  const found: Subscriptions = new Map();
  for (const [id, client] of callers) {
    const made = keycloakClient(client, () => registry.apis.map((api) => api['id']));
    if (made === null) continue;
    registry.clients.push(made);
    const named = apisOf.get(id) ?? [];
    const apis = named.length > 0 || rest === null ? named : [{ api: rest, scopes: [] }];
    const kept = apis.flatMap(({ api, scopes }) => {
      const ceiling = ceilingOf(client, api, scopes, audiences);
      return ceiling === null ? [] : [{ clientId: String(made['client_id']), api, scopes: ceiling }];
    });
    const isMachine = client.flag('serviceAccountsEnabled') === true && made['confidential'] === true;
    if (isMachine)
      client.say('changed', 'serviceAccountsEnabled', 'a machine, once its subscription is approved');
    for (const { clientId, api, scopes } of kept)
      registry.subscriptions.push({
        client_id: clientId,
        api,
        ...(scopes.length > 0 && { scopes }),
        ...(isMachine && { machine: true }),
      });
    found.set(id, kept);
  }
  return found;
}

/** A subscription without scopes has all of them, so a client that had none has to be decided about. */
function ceilingOf(client: Part, api: string, scopes: string[], audiences: Audiences): string[] | null {
  if (scopes.length > 0 || !audiences.hasScopes(api)) return scopes;
  const question = `it has none of the scopes of ${api}, and a subscription that names none has all: name a list`;
  return (
    client.decide('defaultClientScopes', question, (answer) =>
      Array.isArray(answer) && answer.length > 0 ? answer.map(String) : undefined,
    ) ?? null
  );
}

/** Mappers of bearer-only clients were asked for nothing yet. */
function noteMappers(client: Part): void {
  if (!client.flag('bearerOnly')) return;
  client.leaveOutAll(['redirectUris', 'webOrigins', 'protocolMappers'], 'an API has none');
}
