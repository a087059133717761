// firebase: what `firebase auth:export people.json --format=json` wrote, with the hash parameters that the console
// shows beside it, as text or as JSON.

import type { PersonLine } from '../people/person-line.ts';
import { aroundItems, itemsOf } from '../reading/json-items.ts';
import { Part } from '../reading/part.ts';
import { SourceFault, type SourceFile, wholeText } from '../reading/source-file.ts';
import type { Conversion } from '../writing/conversion.ts';
import { claimsOf, momentOf, passwordOf, UNKEPT } from '../writing/values.ts';
import { identitiesOf, type MethodOf, methodsChosen } from './methods.ts';

const BY_TELEPHONE = 'signs in by telephone alone, which nobody does here: tell the person';
const ANONYMOUS = 'an anonymous account, which nobody can sign in to';

type Parameters = { rounds: number; memory: number; signer: string; separator: string };

export async function convertFirebase({ files, notes, take }: Conversion): Promise<void> {
  const { people, beside } = await sorted(files);
  if (people.length === 0) throw new SourceFault('no file is an export with users');
  const parameters = beside ? await parametersOf(beside) : null;
  if (parameters === null)
    notes.decide(
      'hash_config',
      'the hash parameters of the project are missing: name their file, too',
      () => undefined,
    );
  const methodOf = methodsChosen(notes);
  let count = 0;
  for (const file of people) {
    for await (const { value } of itemsOf(file, 'users')) {
      const person = new Part(value, `users[${count}]`, notes);
      count += 1;
      const line = lineOf(person, parameters, methodOf);
      if (line.email !== undefined || line.identities !== undefined) await take(person, line);
      else {
        person.sayOfAll('left out', person.has('phoneNumber') ? BY_TELEPHONE : ANONYMOUS);
        person.note();
      }
    }
    const around = new Part(await aroundItems(file, 'users'), people.length === 1 ? '' : file.name, notes);
    around.part('users');
    around.note();
  }
}

async function sorted(
  files: readonly SourceFile[],
): Promise<{ people: SourceFile[]; beside: SourceFile | null }> {
  const people: SourceFile[] = [];
  let beside: SourceFile | null = null;
  for (const file of files) {
    if (await isParameters(file)) beside = file;
    else people.push(file);
  }
  return { people, beside };
}

/** It begins within the first bytes: an export of people has none of these words there. */
async function isParameters(file: SourceFile): Promise<boolean> {
  let start = '';
  for await (const chunk of file.chunks()) {
    start += Buffer.from(chunk).toString('latin1');
    if (start.length > 4096) break;
  }
  return start.includes('base64_signer_key') && !start.includes('"localId"');
}

async function parametersOf(file: SourceFile): Promise<Parameters> {
  const text = await wholeText(file);
  const of = (name: string) => new RegExp(`"?\\b${name}"?\\s*[:=]\\s*"?([\\w+/=-]+)`).exec(text)?.[1];
  const [rounds, memory] = [Number(of('rounds')), Number(of('mem_cost'))];
  const [signer, separator] = [of('base64_signer_key'), of('base64_salt_separator')];
  const algorithm = of('algorithm') ?? 'SCRYPT';
  if (algorithm !== 'SCRYPT')
    throw new SourceFault(`${file.name}: hashes of ${algorithm} are not known here`);
  if (!(rounds > 0 && memory > 0 && signer && separator))
    throw new SourceFault(
      `${file.name}: lacks one of rounds, mem_cost, base64_signer_key, base64_salt_separator`,
    );
  return { rounds, memory, signer: standard(signer), separator: standard(separator) };
}

const standard = (base64: string) =>
  base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');

function lineOf(person: Part, parameters: Parameters | null, methodOf: MethodOf): PersonLine {
  const line: PersonLine = {};
  const id = person.text('localId');
  if (id !== undefined) line.subject = id;
  const email = person.text('email');
  if (email !== undefined) line.email = email;
  const verified = person.flag('emailVerified');
  if (email !== undefined && verified !== undefined) line.email_verified = verified;
  const name = person.text('displayName');
  if (name !== undefined) line.name = name;
  const picture = person.text('photoUrl');
  if (picture?.startsWith('https://')) line.picture = picture;
  else person.leaveOut('photoUrl', 'is no https address');
  if (person.flag('disabled') === true) line.disabled = true;
  const created = momentOf(person, 'createdAt');
  if (created) line.created_at = created;
  const claims = claimsIn(person);
  if (claims) line.claims = claims;
  const password = hashOf(person, parameters);
  if (password) line.password = password;
  const identities = identitiesOf(person.parts('providerUserInfo'), methodOf, {
    kind: 'providerId',
    subject: 'rawId',
    // their address and telephone number: no provider signs them in by these
    own: ['password', 'phone'],
    unused: ['federatedId', 'photoUrl', 'screenName', 'phoneNumber'],
  });
  if (identities.length > 0) line.identities = identities;
  else tellUnkept(person);
  person.ignoreAll(
    ['lastSignedInAt', 'lastLoginAt', 'validSince', 'passwordUpdatedAt', 'version'],
    'of Firebase alone',
  );
  person.leaveOut('mfaInfo', 'a second factor by telephone is none here: tell the person');
  return line;
}

function tellUnkept(person: Part): void {
  const attributes = person.json('customAttributes');
  for (const key of attributes.keys()) attributes.leaveOut(key, UNKEPT);
  person.leaveOut('phoneNumber', UNKEPT);
}

function claimsIn(person: Part): PersonLine['claims'] {
  const claims = claimsOf(person.json('customAttributes'));
  const phone = person.text('phoneNumber');
  if (phone !== undefined) claims['phone_number'] = phone;
  return Object.keys(claims).length === 0 ? undefined : claims;
}

function hashOf(person: Part, parameters: Parameters | null): { hash: string } | undefined {
  const [key, salt] = [person.text('passwordHash'), person.text('salt')];
  if (key === undefined) return undefined;
  if (salt === undefined) {
    person.leaveOut('passwordHash', 'has no salt, so it cannot come along: tell the person');
    return undefined;
  }
  if (parameters === null) {
    person.leaveOut('passwordHash', 'the hash parameters of the project are missing');
    return undefined;
  }
  const { memory, rounds, signer, separator } = parameters;
  const hash = `$firescrypt$ln=${memory},r=${rounds},p=1$${standard(salt)}$${standard(key)}$${separator}$${signer}`;
  return passwordOf(person, 'passwordHash', hash);
}
