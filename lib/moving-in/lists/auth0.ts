// auth0: people of an export job, one a line, and the hashes that support gives, one a line too.
import type { PersonLine } from '../people/person-line.ts';
import { Part } from '../reading/part.ts';
import type { SourceFile } from '../reading/source-file.ts';
import { linesOf, valueOfLine } from '../reading/text-lines.ts';
import type { Conversion } from '../writing/conversion.ts';
import { claimsOf, momentOf, passwordOf, UNKEPT } from '../writing/values.ts';
import { placeOf } from './jsonl.ts';
import { identitiesOf, type MethodOf, methodsChosen } from './methods.ts';

/** By the id of the person. */
type Hashes = Map<string, string>;

export async function convertAuth0({ files, notes, take }: Conversion): Promise<void> {
  const hashes: Hashes = new Map();
  const people: SourceFile[] = [];
  for (const file of files) {
    if (await hasHashes(file)) await readHashes(file, hashes, notes);
    else people.push(file);
  }
  const methodOf = methodsChosen(notes);
  for (const file of people) {
    for await (const line of linesOf(file)) {
      const person = new Part(valueOfLine(file, line), `${placeOf(file, people)}[${line.number}]`, notes);
      await take(person, lineOf(person, hashes, methodOf));
    }
  }
  for (const id of hashes.keys())
    notes.add('left out', `hashes[${JSON.stringify(id)}]`, 'no person has this id');
}

async function hasHashes(file: SourceFile): Promise<boolean> {
  for await (const line of linesOf(file)) {
    const value = valueOfLine(file, line);
    return typeof value === 'object' && value !== null && 'passwordHash' in value;
  }
  return false;
}

async function readHashes(file: SourceFile, hashes: Hashes, notes: Conversion['notes']): Promise<void> {
  for await (const line of linesOf(file)) {
    const part = new Part(valueOfLine(file, line), `hashes[${line.number}]`, notes);
    const id = part.part('_id').text('$oid') ?? part.text('_id') ?? '';
    const password = passwordOf(part, 'passwordHash', part.text('passwordHash'));
    part.leaveOutAll(
      ['email', 'email_verified', 'connection', 'tenant', '_tmp_is_unique', 'password_set_date', 'version'],
      'it is in the other file, or of Auth0 alone',
    );
    if (password) hashes.set(`auth0|${id}`, password.hash);
    part.note();
  }
}

const OF_AUTH0 = [
  ...[
    'updated_at',
    'last_login',
    'last_ip',
    'logins_count',
    'last_password_reset',
    'multifactor_last_modified',
  ],
  ...['nickname', 'guardian_authenticators', 'phone_verified'],
];

function lineOf(person: Part, hashes: Hashes, methodOf: MethodOf): PersonLine {
  const line: PersonLine = {};
  const id = person.text('user_id') ?? person.text('id');
  if (id !== undefined) line.subject = id;
  const email = person.text('email');
  if (email !== undefined) line.email = email;
  const verified = person.flag('email_verified');
  if (email !== undefined && verified !== undefined) line.email_verified = verified;
  const username = person.text('username');
  if (username !== undefined && !username.includes('@')) line.username = username;
  else person.leaveOut('username', 'a name with @ is none here: they sign in by their address');
  for (const key of ['name', 'given_name', 'family_name'] as const) {
    const text = person.text(key);
    if (text !== undefined) line[key] = text;
  }
  const picture = person.text('picture');
  if (picture?.startsWith('https://')) line.picture = picture;
  else person.leaveOut('picture', 'is no https address');
  if (person.flag('blocked') === true) line.disabled = true;
  const created = momentOf(person, 'created_at');
  if (created) line.created_at = created;
  const claims = claimsIn(person);
  if (claims) line.claims = claims;
  const hash = id === undefined ? undefined : hashes.get(id);
  if (hash !== undefined && id !== undefined) {
    line.password = { hash };
    hashes.delete(id);
  }
  const identities = identitiesOf(person.parts('identities'), methodOf, {
    kind: 'connection',
    subject: 'user_id',
    own: ['Username-Password-Authentication'],
    unused: [
      'isSocial',
      'provider',
      'profileData',
      'access_token',
      'access_token_secret',
      'refresh_token',
      'expires_in',
    ],
  });
  if (identities.length > 0) line.identities = identities;
  else {
    for (const metadata of ['app_metadata', 'user_metadata'])
      for (const key of person.part(metadata).keys()) person.part(metadata).leaveOut(key, UNKEPT);
    for (const key of ['phone_number', 'given_name', 'family_name']) person.leaveOut(key, UNKEPT);
  }
  person.ignoreAll(OF_AUTH0, 'of Auth0 alone');
  person.leaveOut('multifactor', 'an export has no second factors: tell the person');
  return line;
}

function claimsIn(person: Part): PersonLine['claims'] {
  const claims = { ...claimsOf(person.part('app_metadata')), ...claimsOf(person.part('user_metadata')) };
  const phone = person.text('phone_number');
  if (phone !== undefined) claims['phone_number'] = phone;
  return Object.keys(claims).length === 0 ? undefined : claims;
}
