// Users who wait for an account, while requests for the same address run at the same time.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { finishRegistration } from '#lib/accounts/registration.ts';
import { deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import {
  askedFor,
  asking,
  codeMail,
  NEW_PASSWORD,
  newAddress,
  nobodyWaits,
  peopleAt,
  waitingEmails,
} from '#testing/in-process/registering.ts';
import { approvePerson, invitePeople } from './invitations.ts';

beforeAll(givenFixtures);
beforeEach(nobodyWaits);

test('an invitation that is accepted while the registration is approved creates one account, without a deadlock', async () => {
  for (let at = 0; at < 20; at += 1) {
    const email = newAddress();
    expect(await askedFor(email)).toBe('waits');
    await invitePeople(OPERATOR, { emails: [email] });
    const [mail] = await mailTo(email);
    const handle = /invitation=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    const form = { handle, invited: true, name: 'Nora', password: NEW_PASSWORD } as const;
    const finished = finishRegistration({ ...form, ip: null, requestId: 'r' });
    // varies the order of both requests, because hashing the password takes time
    await sleep((at % 5) * 8);
    const [accepted, approved] = await Promise.allSettled([finished, approvePerson(OPERATOR, { id: email })]);
    if (accepted.status === 'rejected') throw accepted.reason;
    if (approved.status === 'rejected') expect(approved.reason).toMatchObject({ kind: expect.any(String) });
    expect([accepted.value.kind === 'made', approved.status === 'fulfilled'].filter(Boolean)).toHaveLength(1);
    expect(await peopleAt(email)).toHaveLength(1);
    expect(await waitingEmails()).not.toContain(email);
  }
});

test('requesting another code on an older page preserves the waiting registration', async () => {
  const email = newAddress();
  const { visitor, at } = await asking(email);
  const { code } = await codeMail(email);
  const answer = await visitor.post(await visitor.submit(at, { code }), {
    name: 'Nora',
    password: NEW_PASSWORD,
  });
  expect(new URL(locationOf(answer)).searchParams.get('done')).toBe('waits');
  await visitor.post(at, { again: '1' });
  expect(await waitingEmails()).toEqual([email]);
  await approvePerson(OPERATOR, { id: email });
  expect(await peopleAt(email)).toHaveLength(1);
});

test('if a method is deleted during an approval, the user is admitted or the registration ends, never with status 500', async () => {
  for (let at = 0; at < 20; at += 1) {
    const email = newAddress();
    expect(await askedFor(email)).toBe('waits');
    await sql("insert into auth_methods (id, type, name, config) values ('second', 'local', 'Second', '{}')");
    await sql(
      "update person_registrations set auth_method_id = 'second' where kind = 'waiting' and email = $1",
      [email],
    );
    await sql(`update auth_methods set config = '{"registration": "approval"}' where id = 'second'`);
    const removed = deleteAuthMethod(OPERATOR, { id: 'second' });
    // varies the order of both requests
    await sleep(at % 4);
    const [, approved] = await Promise.allSettled([removed, approvePerson(OPERATOR, { id: email })]);
    if (approved.status === 'rejected') expect(approved.reason).toMatchObject({ kind: expect.any(String) });
    expect(await peopleAt(email)).toHaveLength(approved.status === 'fulfilled' ? 1 : 0);
    expect(await waitingEmails()).not.toContain(email);
    await removed;
  }
});
