// jsonl: people in the words of people.jsonl, one a line.
import type { PersonLine } from '../people/person-line.ts';
import { Part } from '../reading/part.ts';
import type { SourceFile } from '../reading/source-file.ts';
import { linesOf, valueOfLine } from '../reading/text-lines.ts';
import type { Conversion } from '../writing/conversion.ts';
import { passwordOf, someOf, UNKEPT } from '../writing/values.ts';

const PLAIN = [
  ...['id', 'subject', 'email', 'email_verified', 'username', 'name', 'given_name', 'family_name'],
  ...['locale', 'zoneinfo', 'picture', 'disabled', 'created_at', 'must_change_password'],
  ...['roles', 'groups', 'claims'],
];
const LISTS = {
  identities: ['auth_method', 'subject', 'email', 'name'],
  consents: ['client_id', 'api', 'scopes', 'given_at'],
};
const TOTP = ['secret', 'algorithm', 'digits', 'period'];

export async function convertJsonLines({ files, notes, take }: Conversion): Promise<void> {
  for (const file of files) {
    for await (const line of linesOf(file)) {
      const part = new Part(valueOfLine(file, line), `${placeOf(file, files)}[${line.number}]`, notes);
      await take(part, lineOf(part));
    }
  }
}

/** Lines of several files are told apart by the name of the file. */
export const placeOf = (file: SourceFile, files: readonly SourceFile[]): string =>
  files.length === 1 ? 'lines' : `${file.name}: lines`;

function lineOf(part: Part): PersonLine {
  const made: Record<string, unknown> = someOf(part, PLAIN);
  const password = part.part('password');
  const hash = passwordOf(password, 'hash', password.text('hash'));
  if (hash) made['password'] = hash;
  for (const [key, keys] of Object.entries(LISTS))
    if (part.has(key)) made[key] = part.parts(key).map((item) => someOf(item, keys));
  if (part.has('totp')) made['totp'] = someOf(part.part('totp'), TOTP);
  if (!part.has('identities')) part.leaveOutAll(['claims', 'given_name', 'family_name'], UNKEPT);
  // PeopleTaker checks what each key holds
  return made as PersonLine;
}
