import { expect, it } from 'vitest';
import { verifyPassword } from '../../../lib/kit/password-hash.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { typed } from '../../../testing/in-process/typed.ts';
import { AUTH0, AUTH0_HASH, FIREBASE, HASH_CONFIG } from '../../../testing/moving-in/lists.ts';
import { convert, type ImportSource } from './import-files.ts';

async function imported(
  source: ImportSource,
  files: Record<string, unknown>,
  choices: Record<string, unknown> = {},
) {
  const lines: Record<string, unknown>[] = [];
  const of = Object.entries(files).map(([name, value]) =>
    sourceFile(name, typeof value === 'string' ? value : `${JSON.stringify(value)}\n`, 50),
  );
  const from = { source, files: of, choices: new Map(Object.entries(choices)) };
  const { report } = await convert(from, async (line) => void lines.push(JSON.parse(line)));
  return {
    lines,
    report,
    told: report.rows.map(({ outcome, path, reason }) => `${outcome}: ${path}: ${reason}`),
  };
}

it('firebase: users are imported with hashes, and the operator must choose a sign-in method for each provider', async () => {
  const files = { 'people.json': FIREBASE, 'hash.txt': HASH_CONFIG };
  const open = await imported('firebase', files);
  expect(open.told.filter((row) => row.startsWith('decide'))).toEqual([
    'decide: providers.google.com: people sign in with google.com: choose the id of its method in Gatehouse',
  ]);
  const { lines, report, told } = await imported('firebase', files, { 'providers.google.com': 'google' });
  expect(report.counts.decide).toBe(0);
  expect(lines).toEqual([
    {
      ...{ subject: 'Xy12Zq34', email: 'Ada@example.com', email_verified: true, name: 'Ada' },
      ...{ picture: 'https://img.example/ada.png', created_at: '2020-09-13T12:26:40.000Z' },
      claims: { plan: 'gold', phone_number: '+15550100' },
      password: { hash: expect.stringMatching(/^\$firescrypt\$ln=14,r=8,p=1\$42xEC\+ixf3L2lw\$lSrfV15/) },
      identities: [{ auth_method: 'google', subject: '1234567890', email: 'ada@gmail.com', name: 'Ada' }],
    },
    { subject: 'Bb', email: 'bob@example.com', email_verified: false, disabled: true },
  ]);
  const { hash } = (lines[0] as { password: { hash: string } }).password;
  expect(await verifyPassword(hash, typed('user1password'))).toBe(true);
  expect(await verifyPassword(hash, typed('user2password'))).toBe(false);
  expect(told).toContain('left out: users[0].customAttributes.iss: a claim cannot have the name iss');
});

it('firebase: if hash parameters are missing, the operator must decide, and until then passwords are not imported', async () => {
  const { told, lines } = await imported('firebase', { 'people.json': FIREBASE });
  expect(told).toContain(
    'decide: hash_config: the hash parameters of the project are missing: add their file to the command',
  );
  expect(lines[0]).not.toHaveProperty('password');
  const wrong = { 'people.json': FIREBASE, 'hash.txt': HASH_CONFIG.replace('rounds: 8', '') };
  await expect(imported('firebase', wrong)).rejects.toThrow('hash.txt: lacks one of rounds');
});

it('auth0: hashes are matched by user id, and an invalid picture drops no user', async () => {
  const files = { 'people.json': { ...AUTH0, picture: 'https://a b' }, 'hashes.json': AUTH0_HASH };
  const { lines, told } = await imported('auth0', files, { 'providers.github': 'github' });
  expect(lines).toEqual([
    {
      ...{
        subject: 'auth0|5f7c8ec7c33c6c004bbafe82',
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada',
      },
      ...{ created_at: '2020-09-13T12:26:40.000Z', disabled: true },
      claims: { plan: 'gold', shoe: { size: 38 } },
      password: { hash: AUTH0_HASH.passwordHash },
      identities: [{ auth_method: 'github', subject: '4711' }],
    },
  ]);
  expect(told).toContain(
    'left out: lines[1]: picture must be an https:// address of at most 2048 characters, without a username or password',
  );
  const other = { ...AUTH0_HASH, _id: { $oid: 'other' } };
  const without = await imported('auth0', { 'people.json': AUTH0, 'hashes.json': other });
  expect(without.told).toContain('left out: hashes["auth0|other"]: no person has this id');
});

it('auth0: a database connection of any name counts as a local account, without a decision of the operator', async () => {
  const own = { connection: 'customers', provider: 'auth0', user_id: '5f7c', isSocial: false };
  const person = { user_id: 'auth0|5f7c', email: 'ada@example.com', identities: [own] };
  const { lines, told } = await imported('auth0', { 'people.json': person });
  expect(lines).toEqual([{ subject: 'auth0|5f7c', email: 'ada@example.com' }]);
  expect(told.filter((one) => /customers|decide/.test(one))).toEqual([]);
  const social = { connection: 'customers', provider: 'github', user_id: 7, isSocial: true };
  const other = await imported('auth0', { 'people.json': { ...person, identities: [social] } });
  expect(other.told).toContainEqual(expect.stringMatching(/^decide: providers\.customers/));
});

it('firebase: the report lists anonymous users, phone users and hashes without salt as left out', async () => {
  const users = [
    { localId: 'anon' },
    {
      localId: 'phone',
      phoneNumber: '+15550100',
      providerUserInfo: [{ providerId: 'phone', rawId: '+15550100' }],
    },
    { localId: 'nosalt', email: 'n@example.com', passwordHash: 'AAAA' },
  ];
  const { lines, told } = await imported('firebase', { 'people.json': { users }, 'hash.txt': HASH_CONFIG });
  expect(lines).toEqual([{ subject: 'nosalt', email: 'n@example.com' }]);
  expect(told).toEqual(
    expect.arrayContaining([
      'left out: users[0]: an anonymous account, which nobody can sign in to',
      'left out: users[1]: signs in by telephone only, which Gatehouse does not support: notify the person',
      'left out: users[2].passwordHash: has no salt, so it cannot be imported: notify the person',
    ]),
  );
});

it('auth0: the report lists metadata of a user without an identity as dropped', async () => {
  const { told } = await imported('auth0', {
    'people.json': { user_id: 'auth0|1', email: 'a@example.com', user_metadata: { shoe: 38 } },
  });
  expect(told).toContain(
    'left out: lines[1].user_metadata.shoe: claims are stored with an identity, and this person has none',
  );
});
