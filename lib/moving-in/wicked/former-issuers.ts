// The address of each method of an API, as clients of wicked know it.
import type { Notes } from '../reading/notes.ts';
import { addFormerIssuer, formerHost, formerUntil } from '../writing/former-issuers.ts';
import type { Apis } from './apis.ts';
import type { Methods } from './methods.ts';
import type { WickedFiles } from './wicked-files.ts';

export async function addFormerIssuers(
  files: WickedFiles,
  notes: Notes,
  { methods, apis }: { methods: Methods; apis: Apis },
): Promise<void> {
  const until = formerUntil(notes);
  if (until === null) return;
  const network = (await files.one('globals')).part('network');
  const host = formerHost(notes, `${network.text('schema') ?? 'https'}://${network.text('apiHost') ?? ''}`);
  if (host === null) return;
  for (const [name, { entry }] of apis) {
    const used = entry['auth_methods'] as string[];
    for (const [key, { id, path }] of methods) {
      if (!used.includes(id)) continue;
      if (path === null) {
        notes.add('left out', 'former_issuers', `${key}: its server names no address (config.api.uris)`);
        continue;
      }
      const issuer = `${host}${path}/${key.slice(key.indexOf(':') + 1)}/api/${name}`;
      addFormerIssuer(notes, entry, { issuer, auth_method: id, layout: 'wicked' }, until);
    }
  }
}
