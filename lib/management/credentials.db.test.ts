// Effects of a change of password or address, and passwords that are rejected.
import { beforeEach, expect, it } from 'vitest';
import {
  changePerson,
  createPerson,
  disablePerson,
  enablePerson,
  readPerson,
  setPassword,
} from '#lib/catalogue/people/operations.ts';
import { settleNotices } from '#lib/mail/send.ts';
import {
  countLiveFamilies,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  mailTo,
  PASSWORD,
  type Person,
  resetToken,
  sql,
} from '#testing/data/registry.ts';
import { readMailToken, requestEmailVerification, resetPassword } from './mail-links.ts';
import { changeMyPassword } from './my-account.ts';
import { OPERATOR } from './policy.ts';

const from = { ip: null, requestId: 'r1' };

beforeEach(() => givenEmptyRegistry());

const moveTo = async (id: string, email: string) => {
  const { version } = await readPerson(OPERATOR, { id });
  return changePerson(OPERATOR, { id, version, email });
};
const endings: [string, (person: Person) => Promise<unknown>][] = [
  [
    'the person changes the password',
    (me) => changeMyPassword(me, { oldPassword: PASSWORD, password: 'long-enough-2' }),
  ],
  ['somebody sets the password', ({ id }) => setPassword(OPERATOR, { id, password: 'long-enough-2' })],
  [
    'the address changes there and back',
    async ({ id, email }) => {
      await moveTo(id, 'elsewhere@example.com');
      await moveTo(id, email ?? '');
    },
  ],
  [
    'the person is disabled and enabled',
    async ({ id }) => {
      await disablePerson(OPERATOR, { id });
      await enablePerson(OPERATOR, { id });
    },
  ],
];

it.each(endings)('every mailed link becomes invalid when %s', async (_, end) => {
  const person = await givenPerson('links');
  const token = await resetToken('links@example.com');
  await requestEmailVerification(person);
  await settleNotices();
  await end(person);
  expect(await readMailToken({ token, purpose: 'password-reset' })).toBeNull();
  await expect(resetPassword({ token, password: 'attackers-own-1', ...from })).rejects.toMatchObject({
    kind: 'not-found',
  });
  expect(await sql('select 1 from mail_tokens')).toEqual([]);
});

it('hash renewal at sign-in keeps reset links valid', async () => {
  const { id } = await givenPerson('rehash');
  const token = await resetToken('rehash@example.com');
  await sql('update people set password_hash = password_hash || $2 where id = $1', [id, ' ']);
  expect(await readMailToken({ token, purpose: 'password-reset' })).not.toBeNull();
});

it('a reset link used during a password change waits for the change and never fails unexpectedly', async () => {
  for (let round = 0; round < 8; round += 1) {
    await givenEmptyRegistry();
    const { id } = await givenPerson('both');
    const token = await resetToken('both@example.com');
    const [reset, set] = await Promise.allSettled([
      resetPassword({ token, password: 'the-mailed-one', ...from }),
      setPassword(OPERATOR, { id, password: 'the-one-that-was-set' }),
    ]);
    expect(set.status).toBe('fulfilled');
    if (reset.status === 'rejected') expect(reset.reason).toMatchObject({ kind: 'not-found' });
    expect(await readMailToken({ token, purpose: 'password-reset' })).toBeNull();
  }
});

it('an address change ends sessions and tokens, and the old address is notified', async () => {
  const admin = await givenPerson('changer', 'administrator');
  const person = await givenPerson('before');
  await givenFamily(person);
  await sql(
    `insert into sessions (id_hash, person_id, auth_method_id, kind, auth_time, last_seen_at, expires_at)
      values ('\\x01', $1, 'local', 'console', now(), now(), now() + interval '1 hour')`,
    [person.id],
  );
  const { version } = await readPerson(admin, { id: person.id });
  await changePerson(admin, { id: person.id, version, email: 'after@example.com' });
  expect(await countLiveFamilies()).toBe(0);
  expect(await sql('select 1 from sessions where ended_at is null')).toEqual([]);
  const [told] = await mailTo('before@example.com');
  expect(told?.subject).toBe('Gatehouse: your address was changed');
  const renamed = { id: person.id, version: version + 1, name: 'Another' };
  await givenFamily(person);
  await changePerson(admin, renamed);
  expect(await countLiveFamilies()).toBe(1);
});

it('every form rejects a password that equals the user’s address or name, or the service’s name', async () => {
  const own = { faults: [{ field: 'password', message: expect.stringContaining('too easy to guess') }] };
  const bob = { email: 'bob.builder@example.com', name: 'Bob Builder' };
  const words = ['Bob.Builder@example.com', 'bob.builder1', 'BobBuilder2026', 'Gatehouse1!'];
  for (const password of words) {
    await expect(createPerson(OPERATOR, { ...bob, password })).rejects.toMatchObject(own);
  }
  const { id } = await createPerson(OPERATOR, { ...bob, password: PASSWORD });
  const me: Person = { kind: 'person', id, email: bob.email, roles: [], signedInAt: null, request: null };
  const token = await resetToken(bob.email);
  for (const password of words) {
    await expect(setPassword(OPERATOR, { id, password })).rejects.toMatchObject(own);
    await expect(resetPassword({ token, password, ...from })).rejects.toMatchObject(own);
    const mine = changeMyPassword(me, { oldPassword: PASSWORD, password });
    await expect(mine).rejects.toMatchObject(own);
  }
});
