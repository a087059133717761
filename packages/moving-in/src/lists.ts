// Lists of people: JSON Lines, CSV, and exports of Auth0 and Firebase.

import type { PersonLine } from '../../../lib/catalogue/people/person-line.ts';
import { PROFILE_KEYS } from '../../../lib/catalogue/people/profile.ts';
import { linesOf, SourceFault, type SourceFile } from '../../../lib/kit/source-file.ts';
import { authMethodId } from '../../../lib/registry/values.ts';
import { type Notes, Part, pathOf } from './notes.ts';
import { type Conversion, claimsOf, momentOf, passwordOf, someOf, UNKEPT } from './output.ts';
import { aroundItems, csvRows, itemsOf, valueOfLine, wholeText } from './source.ts';

const PLAIN = [
  ...['id', 'subject', 'email', 'email_verified', 'username', 'name', 'given_name', 'family_name'],
  ...[...PROFILE_KEYS, 'disabled', 'created_at', 'must_change_password'],
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
      await take(part, jsonLine(part));
    }
  }
}

/** Returns the place of a line for messages. If there are several files, the place includes the name of the file. */
const placeOf = (file: SourceFile, files: readonly SourceFile[]): string =>
  files.length === 1 ? 'lines' : `${file.name}: lines`;

function jsonLine(part: Part): PersonLine {
  const line: Record<string, unknown> = someOf(part, PLAIN);
  const password = part.part('password');
  const hash = passwordOf(password, 'hash', password.text('hash'));
  if (hash) line['password'] = hash;
  for (const [key, keys] of Object.entries(LISTS))
    if (part.has(key)) line[key] = part.parts(key).map((item) => someOf(item, keys));
  if (part.has('totp')) line['totp'] = someOf(part.part('totp'), TOTP);
  if (!part.has('identities')) part.leaveOutAll(['claims', 'given_name', 'family_name'], UNKEPT);
  // not checked at this point, because PeopleTaker checks the value of each key
  return line as PersonLine;
}

// Maps the providers of the source to methods of Gatehouse. The export does not contain the client registrations at
// the providers, so the operator must choose.

type Identity = { auth_method: string; subject: string; email?: string; name?: string };

/** Returns the method for a provider. `null`: the operator dropped the identities, or has not chosen. */
type MethodOf = (provider: string) => string | null;

/** Requires one choice per provider, at the path `providers.NAME`. */
function methodsChosen(notes: Notes): MethodOf {
  const chosen = new Map<string, string | null>();
  return (name) => {
    const chosenMethod = chosen.get(name);
    if (chosenMethod !== undefined) return chosenMethod;
    const question = `people sign in with ${name}: choose the id of its method in Gatehouse`;
    const answer = notes.decide(`providers.${name}`, question, (value) => authMethodId.safeParse(value).data);
    chosen.set(name, answer ?? null);
    return answer ?? null;
  };
}

type Keys = {
  kind: string;
  subject: string;
  isOwn: (part: Part, kind: string) => boolean;
  unused: readonly string[];
};

function identitiesOf(parts: readonly Part[], methodOf: MethodOf, keys: Keys): Identity[] {
  return parts.flatMap((part) => {
    const [kind = '', subject] = [part.text(keys.kind), part.text(keys.subject)];
    const [email, name] = [part.text('email'), part.text('displayName') ?? part.text('name')];
    part.leaveOutAll(keys.unused, 'the provider returns it at the next sign-in');
    if (keys.isOwn(part, kind)) {
      part.sayOfAll('changed', 'is the account itself');
      return [];
    }
    const method = subject === undefined ? null : methodOf(kind);
    if (method !== null && subject !== undefined)
      return [{ auth_method: method, subject, ...(email && { email }), ...(name && { name }) }];
    part.sayOfAll('left out', `${kind} is not a method in Gatehouse`);
    return [];
  });
}

// auth0: users from an export job, and hashes from Auth0's support, both as NDJSON.

/** Password hashes, keyed by the id of the user. */
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
      await take(person, auth0Line(person, hashes, methodOf));
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
      'it is in the other file, or used by Auth0 only',
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

function auth0Line(person: Part, hashes: Hashes, methodOf: MethodOf): PersonLine {
  const line: PersonLine = {};
  const id = person.text('user_id') ?? person.text('id');
  if (id !== undefined) line.subject = id;
  const email = person.text('email');
  if (email !== undefined) line.email = email;
  const verified = person.flag('email_verified');
  if (email !== undefined && verified !== undefined) line.email_verified = verified;
  const username = person.text('username');
  if (username !== undefined && !username.includes('@')) line.username = username;
  else
    person.leaveOut('username', 'a user name cannot contain @: the person signs in with the email address');
  for (const key of ['name', 'given_name', 'family_name'] as const) {
    const text = person.text(key);
    if (text !== undefined) line[key] = text;
  }
  const picture = person.text('picture');
  if (picture?.startsWith('https://')) line.picture = picture;
  else person.leaveOut('picture', 'is not an https address');
  if (person.flag('blocked') === true) line.disabled = true;
  const created = momentOf(person, 'created_at');
  if (created) line.created_at = created;
  const claims = auth0Claims(person);
  if (claims) line.claims = claims;
  const hash = id === undefined ? undefined : hashes.get(id);
  if (hash !== undefined && id !== undefined) {
    line.password = { hash };
    hashes.delete(id);
  }
  const identities = identitiesOf(person.parts('identities'), methodOf, {
    kind: 'connection',
    subject: 'user_id',
    // true for a database connection; in Auth0, this connection can have any name
    isOwn: (part, kind) => part.text('provider') === 'auth0' || kind === 'Username-Password-Authentication',
    unused: ['isSocial', 'profileData', 'access_token', 'access_token_secret', 'refresh_token', 'expires_in'],
  });
  if (identities.length > 0) line.identities = identities;
  else {
    for (const metadata of ['app_metadata', 'user_metadata'])
      for (const key of person.part(metadata).keys()) person.part(metadata).leaveOut(key, UNKEPT);
    for (const key of ['phone_number', 'given_name', 'family_name']) person.leaveOut(key, UNKEPT);
  }
  person.ignoreAll(OF_AUTH0, 'used by Auth0 only');
  person.leaveOut('multifactor', 'the export contains no second factors: notify the person');
  return line;
}

function auth0Claims(person: Part): PersonLine['claims'] {
  const claims = { ...claimsOf(person.part('app_metadata')), ...claimsOf(person.part('user_metadata')) };
  const phone = person.text('phone_number');
  if (phone !== undefined) claims['phone_number'] = phone;
  return Object.keys(claims).length === 0 ? undefined : claims;
}

// csv: each row is a user. A column with the title of a key in people.jsonl is mapped automatically; other columns
// require a choice. Roles and groups also require a choice, because their meaning differs between services and
// console roles grant many permissions.

const TEXTS = [
  ...['id', 'subject', 'email', 'username', 'name', 'given_name', 'family_name', ...PROFILE_KEYS],
];
const FLAGS = ['email_verified', 'disabled', 'must_change_password'];
const CSV_LISTS = ['roles', 'groups'];
const OTHERS = ['created_at', 'password', 'totp'];
const CSV_PLAIN = [...TEXTS, ...FLAGS, ...CSV_LISTS, ...OTHERS];
const QUESTION = `Which key is this column: ${CSV_PLAIN.join(', ')}, claims.NAME or identities.METHOD?`;

/** How a column is imported. `key`: the key for its values. `null`: it is not imported. `undefined`: not decided. */
type Columns = { title: string; key: string | null | undefined; asked?: boolean }[];

export async function convertCsv(conversion: Conversion): Promise<void> {
  const { files, notes, take } = conversion;
  for (const file of files) {
    let columns: Columns | null = null;
    for await (const { fields, number } of csvRows(file)) {
      if (columns === null) {
        columns = columnsOf(fields, conversion, `${file.name}:${number}`);
        continue;
      }
      if (fields.length !== columns.length)
        throw new SourceFault(
          `${file.name}:${number}: has ${fields.length} fields, the first row has ${columns.length}`,
        );
      const row = Object.fromEntries(columns.map(({ title }, at) => [title, fields[at] ?? '']));
      if (isOtherId(columns, row, notes)) continue;
      const part = new Part(row, `${placeOf(file, files)}[${number}]`, notes);
      await take(part, csvLine(part, columns));
    }
    if (columns === null) throw new SourceFault(`${file.name}: is empty`);
  }
}

function columnsOf(titles: string[], { notes }: Conversion, place: string): Columns {
  const again = titles.find((title, at) => titles.indexOf(title) !== at);
  if (again !== undefined) throw new SourceFault(`${place}: two columns have the title ${again}`);
  const head = new Part(Object.fromEntries(titles.map((title) => [title, title])), 'columns', notes);
  const columns = titles.map((title) => {
    const key = title
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
    if (isKey(key) && !CSV_LISTS.includes(key) && notes.choice(head.at(title)) === undefined) {
      head.text(title);
      return { title, key: key };
    }
    return { title, key: head.decide(title, QUESTION, (answer) => (isKey(answer) ? answer : undefined)) };
  });
  head.note();
  const keys = columns.flatMap(({ key }) => key ?? []);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new SourceFault(`${place}: two columns have the key ${twice}`);
  return columns;
}

const NO_UUID = 'ids of this column are not UUIDs. Choose `subject`: tokens then contain them as `sub`';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if an id is not a UUID. In that case the operator must decide once for the whole column. */
function isOtherId(columns: Columns, row: Record<string, string>, notes: Conversion['notes']): boolean {
  const column = columns.find(({ key }) => key === 'id');
  const id = column && row[column.title]?.trim();
  if (!column || !id || UUID.test(id)) return false;
  if (!column.asked) notes.decide(pathOf('columns', column.title, false), NO_UUID, () => undefined);
  column.asked = true;
  return true;
}

const isKey = (answer: unknown): answer is string =>
  typeof answer === 'string' &&
  (CSV_PLAIN.includes(answer) || /^(?:claims|identities)\.[^\s.]+$/.test(answer));

const YES = new Set(['true', 'yes', 'y', '1']);
const NO = new Set(['false', 'no', 'n', '0']);

function csvLine(part: Part, columns: Columns): PersonLine {
  const line: Record<string, unknown> = {};
  const claims: Record<string, unknown> = {};
  const identities: { auth_method: string; subject: string }[] = [];
  for (const { title, key } of columns) {
    if (key == null) {
      part.leaveOut(title, key === null ? 'its column is left out' : 'the key of its column is undecided');
      continue;
    }
    const [kind, name = ''] = key.split(/\.(.*)/s);
    const text = part.text(title)?.trim();
    if (text === undefined || text === '') continue;
    if (kind === 'claims') claims[name] = text;
    else if (kind === 'identities') identities.push({ auth_method: name, subject: text });
    else line[key] = cellValue(part, title, key, text);
  }
  if (Object.keys(claims).length > 0) line['claims'] = claims;
  if (identities.length > 0) line['identities'] = identities;
  else
    for (const { title, key } of columns)
      if (key?.startsWith('claims.') || key === 'given_name' || key === 'family_name')
        part.leaveOut(title, UNKEPT);
  return line as PersonLine;
}

function cellValue(part: Part, title: string, key: string, text: string): unknown {
  if (FLAGS.includes(key)) {
    const word = text.toLowerCase();
    if (YES.has(word) || NO.has(word)) return YES.has(word);
    part.leaveOut(title, 'is neither true nor false');
    return undefined;
  }
  if (CSV_LISTS.includes(key)) return text.split(/[\s,;|]+/).filter((item) => item !== '');
  if (key === 'created_at') return momentOf(part, title);
  if (key === 'password') return passwordOf(part, title, text);
  return key === 'totp' ? { secret: text.replaceAll(/[\s=-]/g, '').toUpperCase() } : text;
}

// firebase: the output of `firebase auth:export people.json --format=json`, and the hash parameters of the console as
// text or JSON.

const BY_TELEPHONE = 'signs in by telephone only, which Gatehouse does not support: notify the person';
const ANONYMOUS = 'an anonymous account, which nobody can sign in to';

type Parameters = { rounds: number; memory: number; signer: string; separator: string };

export async function convertFirebase({ files, notes, take }: Conversion): Promise<void> {
  const { people, beside } = await sortFiles(files);
  if (people.length === 0) throw new SourceFault('no file is an export with users');
  const parameters = beside ? await parametersOf(beside) : null;
  if (parameters === null)
    notes.decide(
      'hash_config',
      'the hash parameters of the project are missing: add their file to the command',
      () => undefined,
    );
  const methodOf = methodsChosen(notes);
  let count = 0;
  for (const file of people) {
    for await (const { value } of itemsOf(file, 'users')) {
      const person = new Part(value, `users[${count}]`, notes);
      count += 1;
      const line = firebaseLine(person, parameters, methodOf);
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

async function sortFiles(
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

/** True if the first bytes of the file look like hash parameters. A file of users never starts with these words. */
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
  if (algorithm !== 'SCRYPT') throw new SourceFault(`${file.name}: hashes of ${algorithm} are not supported`);
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

function firebaseLine(person: Part, parameters: Parameters | null, methodOf: MethodOf): PersonLine {
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
  else person.leaveOut('photoUrl', 'is not an https address');
  if (person.flag('disabled') === true) line.disabled = true;
  const created = momentOf(person, 'createdAt');
  if (created) line.created_at = created;
  const claims = firebaseClaims(person);
  if (claims) line.claims = claims;
  const password = hashOf(person, parameters);
  if (password) line.password = password;
  const identities = identitiesOf(person.parts('providerUserInfo'), methodOf, {
    kind: 'providerId',
    subject: 'rawId',
    // an account with a password or a phone number belongs to no provider
    isOwn: (_, kind) => kind === 'password' || kind === 'phone',
    unused: ['federatedId', 'photoUrl', 'screenName', 'phoneNumber'],
  });
  if (identities.length > 0) line.identities = identities;
  else tellUnkept(person);
  person.ignoreAll(
    ['lastSignedInAt', 'lastLoginAt', 'validSince', 'passwordUpdatedAt', 'version'],
    'used by Firebase only',
  );
  person.leaveOut('mfaInfo', 'Gatehouse has no second factor by telephone: notify the person');
  return line;
}

function tellUnkept(person: Part): void {
  const attributes = person.json('customAttributes');
  for (const key of attributes.keys()) attributes.leaveOut(key, UNKEPT);
  person.leaveOut('phoneNumber', UNKEPT);
}

function firebaseClaims(person: Part): PersonLine['claims'] {
  const claims = claimsOf(person.json('customAttributes'));
  const phone = person.text('phoneNumber');
  if (phone !== undefined) claims['phone_number'] = phone;
  return Object.keys(claims).length === 0 ? undefined : claims;
}

function hashOf(person: Part, parameters: Parameters | null): { hash: string } | undefined {
  const [key, salt] = [person.text('passwordHash'), person.text('salt')];
  if (key === undefined) return undefined;
  if (salt === undefined) {
    person.leaveOut('passwordHash', 'has no salt, so it cannot be imported: notify the person');
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
