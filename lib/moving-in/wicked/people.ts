// People of wicked: their 40 digits are the subject, customId is an identity, groups may give a role of the console.
import type { PersonLine } from '../people/person-line.ts';
import type { Notes } from '../reading/notes.ts';
import type { Part } from '../reading/part.ts';
import type { TakePerson } from '../writing/people-file.ts';
import { momentOf, passwordOf } from '../writing/values.ts';
import type { Groups } from './apis.ts';
import type { Clients } from './clients.ts';
import { type Methods, methodsCalled } from './methods.ts';
import type { WickedFiles } from './wicked-files.ts';

type Consents = NonNullable<PersonLine['consents']>;
type Known = {
  methods: Methods;
  groups: Groups;
  consents: ReadonlyMap<string, Consents>;
  names: ReadonlyMap<string, string>;
  isHexBefore: boolean;
};

const PASSWORDS = 'users[].password';

export async function readPeople(
  files: WickedFiles,
  notes: Notes,
  known: { methods: Methods; groups: Groups; clients: Clients },
  take: TakePerson,
): Promise<void> {
  const consents = await consentsIn(files, known.clients);
  const names = await namesIn(files);
  // people that came from Meteor: no file says which they are
  const isHexBefore = notes.choice(PASSWORDS) === 'bcrypt-sha256hex';
  for await (const { name, part } of files.of('users'))
    await take(part, lineOf(part, name, { ...known, consents, names, isHexBefore }));
}

/** What people registered with; in the pool of the portal that is their name. */
async function namesIn(files: WickedFiles): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { part } of files.of('registrations')) {
    const all = part.has('userId') ? [part] : part.keys().map((at) => part.part(at));
    for (const one of all) {
      const [person = '', name] = [one.text('userId'), one.text('name')];
      const known = ['userId', 'name', 'poolId', 'namespace', 'id'];
      one.ignoreAll(['poolId', 'namespace', 'id', '_links'], 'of wicked alone');
      one.leaveOutAll(
        one.keys().filter((key) => !known.includes(key)),
        'what people registered with stays there',
      );
      if (name === undefined) continue;
      if (found.has(person)) one.leaveOut('name', 'another registration of the person has a name');
      else found.set(person, name);
    }
    part.note();
  }
  return found;
}

async function consentsIn(files: WickedFiles, clients: Clients): Promise<Map<string, Consents>> {
  const found = new Map<string, Consents>();
  for await (const { part } of files.of('grants')) {
    const all = part.has('grants') ? [part] : part.keys().map((at) => part.part(at));
    for (const consent of all) {
      const [person = '', owner, api] = ['userId', 'applicationId', 'apiId'].map((key) => consent.text(key));
      const client = clients.get(`${owner} ${api}`);
      if (!client) {
        consent.sayOfAll('left out', 'its subscription does not come along');
        continue;
      }
      const grants = consent.parts('grants');
      const scopes = grants.flatMap((grant) => grant.text('scope') ?? []);
      const [given] = grants.flatMap((grant) => momentOf(grant, 'grantedDate') ?? []);
      const made = { client_id: client.clientId, api: client.api, scopes, ...(given && { given_at: given }) };
      found.set(person, [...(found.get(person) ?? []), made]);
    }
    part.note();
  }
  return found;
}

function lineOf(
  person: Part,
  file: string,
  { methods, groups, consents, names, isHexBefore }: Known,
): PersonLine {
  const id = person.text('id') ?? file;
  const line: PersonLine = { subject: id };
  const email = person.text('email');
  if (email !== undefined) line.email = email;
  const isValidated = person.flag('validated');
  if (email !== undefined && isValidated !== undefined) line.email_verified = isValidated;
  const [given, family] = [person.text('firstName'), person.text('lastName')];
  const written = person.text('name') ?? [given, family].filter((one) => one !== undefined).join(' ');
  const name = written === '' ? (names.get(id) ?? '') : written;
  if (name !== '') line.name = name;
  if (given !== undefined) line.given_name = given;
  if (family !== undefined) line.family_name = family;
  const hash = person.text('password');
  const password = passwordOf(person, 'password', hash && isHexBefore ? `$bcrypt-sha256hex${hash}` : hash);
  if (password) line.password = password;
  if (person.flag('mustChangePassword') === true) line.must_change_password = true;
  readGroupsOf(person, line, groups);
  readIdentity(person, line, methods);
  if (line.identities === undefined)
    for (const key of ['firstName', 'lastName']) person.say('changed', key, 'is part of the name');
  const given_consents = consents.get(id);
  if (given_consents) line.consents = given_consents;
  person.ignoreAll(
    ['applications', '_links', 'meteor', 'clientId', 'clientSecret', 'passwordIsHashed'],
    'of wicked alone',
  );
  return line;
}

/** Two servers may have a method of one name, and a subject of the one is another person at the other. */
function readIdentity(person: Part, line: PersonLine, methods: Methods): void {
  const [, name = '', subject = ''] = /^([^:]+):(.+)$/s.exec(person.text('customId') ?? '') ?? [];
  const ids = methodsCalled(methods, name).map(({ id }) => id);
  const question = `several servers have a method ${name}: say which it is: ${ids.join(', ')}`;
  const id =
    ids.length < 2
      ? ids[0]
      : person.decide('customId', question, (given) => ids.find((one) => one === given));
  if (id) line.identities = [{ auth_method: id, subject }];
  else if (ids.length === 0) person.leaveOut('customId', 'its method does not come along');
}

function readGroupsOf(person: Part, line: PersonLine, groups: Groups): void {
  const list = person.part('groups');
  const found = list.keys().flatMap((at) => {
    const known = groups.get(list.text(at) ?? '');
    if (!known) list.leaveOut(at, 'there is no such group');
    else if (known.role !== null) list.say('changed', at, `also the role ${known.role} of the console`);
    return known ?? [];
  });
  const roles = [...new Set(found.flatMap(({ role }) => role ?? []))];
  if (found.length > 0) line.groups = [...new Set(found.map(({ id }) => id))];
  if (roles.length > 0) line.roles = roles;
}
