// Limits on users who wait for an account: their number, how long they wait, and mails to approvers.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { finishRegistration } from '#lib/accounts/registration.ts';
import { settleNotices } from '#lib/mail/send.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { askedFor, NEW_PASSWORD, newAddress, proved, registration } from '#testing/in-process/registering.ts';
import { approvePerson, pageWaitingPeople } from './invitations.ts';

beforeAll(givenFixtures);
beforeEach(async () => {
  for (const table of ['attempts', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('approval');
});

test('a thousand registrations per method can wait for approval, and expire after thirty days without a decision', async () => {
  await sql(`insert into person_registrations (auth_method_id, email, kind, state, handle_hash, password_hash, expires_at)
    select 'pw', 'w' || n || '@example.com', 'waiting', 'proved', sha256(n::text::bytea), 'x', now() + interval '30 days'
    from generate_series(1, 999) n`);
  const [first, second] = [newAddress(), newAddress()];
  expect(await askedFor(first)).toBe('waits');
  const { visitor, at } = await proved(second);
  const full = await visitor.submit(at, { name: '', password: NEW_PASSWORD });
  expect(await visitor.view('register', full)).toMatchObject({ heading: 'register.full_heading' });
  expect((await pageWaitingPeople(OPERATOR, { limit: 200 })).rows).toHaveLength(200);
  const kept =
    "select min(expires_at) > now() + interval '29 days' as long from person_registrations where email = $1";
  expect(await sql(kept, [first])).toEqual([{ long: true }]);
  await sql(
    "update person_registrations set expires_at = now() - interval '1 second' where kind = 'waiting'",
  );
  expect((await pageWaitingPeople(OPERATOR)).rows).toEqual([]);
  await expect(approvePerson(OPERATOR, { id: first })).rejects.toMatchObject({ kind: 'not-found' });
  await deleteExpired();
  expect(await sql("select from person_registrations where kind = 'waiting'")).toEqual([]);
});

test('an address block can add at most 20 waiting registrations a day, and approvers receive one mail an hour', async () => {
  const deciders = async () =>
    (await mailTo('admin@example.com')).filter(({ subject }) => subject.includes('asks for an account'))
      .length;
  const before = await deciders();
  const finish = async (n: number, ip: string) => {
    const handle = `handle-${n}`;
    await sql(
      `insert into person_registrations (auth_method_id, email, kind, state, handle_hash, expires_at)
       values ('pw', $1, 'asked', 'proved', sha256($2::text::bytea), now() + interval '10 minutes')`,
      [newAddress(), handle],
    );
    return finishRegistration({ handle, name: '', password: NEW_PASSWORD, ip, requestId: 'r' });
  };
  const outcomes: string[] = [];
  for (let n = 0; n < 22; n += 1) outcomes.push((await finish(n, `2001:db8:1:2::${n + 1}`)).kind);
  expect(outcomes).toEqual([...Array(20).fill('waits'), 'slow-down', 'slow-down']);
  expect(await finish(22, '192.0.2.9')).toEqual({ kind: 'waits' });
  await settleNotices();
  expect(await deciders()).toBe(before + 1);
});
