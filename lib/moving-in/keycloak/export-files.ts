// The files of `kc.sh export`: one of the realm, and with --users different_files others with its people.
import { aroundItems, itemsOf } from '../reading/json-items.ts';
import type { Notes } from '../reading/notes.ts';
import { Part } from '../reading/part.ts';
import { SourceFault, type SourceFile } from '../reading/source-file.ts';

export type KeycloakExport = { about: Part; people: () => AsyncGenerator<Part> };

const NO_PEOPLE =
  'was made by the console: a partial export has no people, and ********** for secrets. Use kc.sh export --users different_files';

export async function readExport(files: readonly SourceFile[], notes: Notes): Promise<KeycloakExport> {
  const read = files.filter(({ name }) => name.endsWith('.json'));
  for (const { name } of files)
    if (!name.endsWith('.json')) notes.add('not looked at', name, 'is no .json file');
  let about: { part: Part; name: string; value: unknown } | null = null;
  for (const [at, file] of read.entries()) {
    const value = await aroundItems(file, 'users');
    const part = new Part(value, `files[${at}]`, notes);
    if (!part.has('clients')) {
      part.text('realm');
      part.part('users');
      part.note();
      continue;
    }
    if (about)
      throw new SourceFault(`${file.name}: is another realm than ${about.name}, import one at a time`);
    about = { part: new Part(value, '', notes), name: file.name, value };
  }
  if (!about) throw new SourceFault('no file is an export of a realm, which has clients');
  if (hidesSecrets(about.value)) throw new SourceFault(`${about.name}: ${NO_PEOPLE}`);
  about.part.part('users');
  return { about: about.part, people: () => peopleIn(read, notes) };
}

async function* peopleIn(files: readonly SourceFile[], notes: Notes): AsyncGenerator<Part> {
  let count = 0;
  for (const file of files) {
    for await (const { value } of itemsOf(file, 'users')) {
      yield new Part(value, `users[${count}]`, notes);
      count += 1;
    }
  }
}

/** The secret of a client or of a provider is written as stars. */
const hidesSecrets = (value: unknown) => JSON.stringify(value).includes('ecret":"**********"');
