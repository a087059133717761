// wicked: its static configuration, and its dynamic data as JSON files.
import { SourceFault } from '../reading/source-file.ts';
import type { Conversion } from '../writing/conversion.ts';
import { readApis, readGroups } from './apis.ts';
import { readClients } from './clients.ts';
import { addFormerIssuers } from './former-issuers.ts';
import { readMethods } from './methods.ts';
import { readPeople } from './people.ts';
import { PeopleKnown, readTokens } from './tokens.ts';
import { WickedFiles } from './wicked-files.ts';

export async function convertWicked(conversion: Conversion): Promise<void> {
  const { files: given, notes, registry, take, env } = conversion;
  if (!given.some(({ name }) => /(?:^|\/)apis\/apis\.json$/.test(name)))
    throw new SourceFault('there is no apis/apis.json: name the folder of the configuration');
  const files = new WickedFiles(notes, env);
  await files.sort(given);
  const methods = await readMethods(files, registry);
  const groups = await readGroups(files, methods, registry);
  const apis = await readApis(files, methods, groups, registry);
  await addFormerIssuers(files, notes, { methods, apis });
  const clients = await readClients(files, apis, registry);
  const people = new PeopleKnown(files.has('oauth2_tokens'), registry);
  await readPeople(files, notes, { methods, groups, clients }, people.noting(take));
  await readTokens(files, { registry, clients, people }, conversion.takeToken);
  files.note();
}
