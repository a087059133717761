// Users who wait for an account: approval, and other events at the same time.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { finishRegistration } from '#lib/accounts/registration.ts';
import { deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { settleNotices } from '#lib/mail/send.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { readOverview } from '#lib/management/service.ts';
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
  proved,
  registration,
  waitingEmails,
} from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { approvePerson, invitePeople, pageWaitingPeople, rejectPerson } from './invitations.ts';
import { createPerson } from './operations.ts';

beforeAll(givenFixtures);
beforeEach(nobodyWaits);

const events = (email: string) =>
  sql(
    `select event, actor, person_id is not null as person, auth_method_id, api_id, client_id, details from audit_events
     where details->>'email' = $1 order by id`,
    [email],
  );
const messageOf = ({ message }: Error) => message;

test('a user who registers with a verified address cannot sign in before the approval, and then signs in with the chosen password', async () => {
  const email = newAddress();
  const before = (await readOverview(OPERATOR)).pending;
  const { visitor, at } = await proved(email);
  const place = await visitor.submit(at, { name: 'Nora', password: NEW_PASSWORD });
  expect(await visitor.view('register', place)).toMatchObject({
    kind: 'ended',
    heading: 'agent.waiting',
  });
  expect(await peopleAt(email)).toEqual([]);
  const [row] = (await pageWaitingPeople(OPERATOR)).rows;
  expect(row).toMatchObject({
    ...{ email, name: 'Nora', authMethodId: 'pw', apiId: 'orders', apiName: 'Orders', clientId: 'tru' },
    clientName: expect.any(String),
  });
  expect(Object.keys(row ?? {}).filter((key) => /hash|password/i.test(key))).toEqual([]);
  expect((await readOverview(OPERATOR)).pending).toBe(before + 1);
  const early = new Visitor();
  const refused = await early.signIn({ username: email, password: NEW_PASSWORD });
  expect(await early.view('login', refused)).toMatchObject({ alert: 'sign_in.wrong' });
  expect(await approvePerson(OPERATOR, { id: row?.id ?? '' })).toEqual({ id: expect.any(String), email });
  const [made] = await peopleAt(email);
  expect(made).toMatchObject({ name: 'Nora', roles: [], email_verified_at: expect.any(Date) });
  const [mail] = await mailTo(email);
  expect(mail?.text).toContain('/register?done=approved');
  // the browser still has the authorization request
  expect(
    await visitor.view('register', { ...place, client: new URLSearchParams('done=approved') }),
  ).toMatchObject({
    kind: 'ended',
    heading: 'register.ready_heading',
    href: expect.stringContaining('/login?interaction='),
  });
  const elsewhere = { ...place, client: new URLSearchParams('done=approved') };
  expect(await new Visitor().view('register', elsewhere)).toMatchObject({
    kind: 'elsewhere',
    heading: 'register.ready_heading',
  });
  const { client } = await new Visitor().signIn({ username: email, password: NEW_PASSWORD });
  expect(client.get('code')).toBeTruthy();
  expect(await sql('select from person_registrations')).toEqual([]);
  expect(await events(email)).toEqual([
    {
      ...{ event: 'person.approved', actor: 'operator', person: true, auth_method_id: 'pw' },
      ...{ api_id: 'orders', client_id: 'tru', details: { email, registration: row?.id } },
    },
  ]);
});

test('the rejection of a registration is mailed with an optional reason, creates no user, and permits a new registration', async () => {
  const email = newAddress();
  for (const reason of ['We know nobody of this name.', undefined]) {
    await sql('delete from attempts');
    expect(await askedFor(email)).toBe('waits');
    await rejectPerson(OPERATOR, { id: email, reason });
    await settleNotices();
    const [mail] = await mailTo(email);
    expect(mail?.text).toContain('was rejected');
    expect(mail?.text.includes('Why:')).toBe(reason !== undefined);
    expect(mail?.text.includes('nobody of this name')).toBe(reason !== undefined);
  }
  expect(await peopleAt(email)).toEqual([]);
  expect((await events(email)).map(({ event }) => event)).toEqual(['person.rejected', 'person.rejected']);
  await expect(rejectPerson(OPERATOR, { id: email, reason: 'x'.repeat(2001) })).rejects.toMatchObject({
    kind: 'invalid',
  });
});

test('ten concurrent approvals and ten rejections of a registration cause one decision and one mail', async () => {
  const email = newAddress();
  expect(await askedFor(email)).toBe('waits');
  const before = (await mailTo(email)).length;
  const decisions = Array.from({ length: 20 }, (_, n) =>
    (n % 2 === 0 ? approvePerson : rejectPerson)(OPERATOR, { id: email }),
  );
  const outcomes = await Promise.allSettled(decisions);
  await settleNotices();
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const others = outcomes.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
  const [decision] = await events(email);
  const how = decision?.['event'] === 'person.approved' ? 'approved' : 'rejected';
  expect([...new Set(others)]).toEqual([
    expect.stringMatching(
      new RegExp(
        `^operator has already decided \\(${how}, [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC\\)$`,
      ),
    ),
  ]);
  expect((await mailTo(email)).length).toBe(before + 1);
  const [decided] = await events(email);
  expect(await peopleAt(email)).toHaveLength(decided?.['event'] === 'person.approved' ? 1 : 0);
  expect(await events(email)).toHaveLength(1);
});

test('fifty forms of one user and five registrations of one address leave one waiting registration, and the rest get a message', async () => {
  const email = newAddress();
  const rows: Awaited<ReturnType<typeof proved>>[] = [];
  for (let n = 0; n < 5; n += 1) {
    await sql('delete from attempts');
    rows.push(await proved(email));
  }
  const late = await asking(newAddress());
  await sql('delete from attempts');
  const answers = await Promise.all(
    rows.map(({ visitor, at }) => visitor.post(at, { name: '', password: NEW_PASSWORD })),
  );
  const ends = answers.map((answer) => new URL(locationOf(answer)).searchParams.get('done'));
  expect(ends.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    'waits',
    ...Array(4).fill('waits-already'),
  ]);
  expect(await waitingEmails()).toEqual([email]);
  const winner = rows[ends.indexOf('waits')];
  if (!winner) throw new Error('nobody won');
  // the same form again returns the same page
  const copies = Array.from({ length: 5 }, () => new Visitor(winner.visitor.jar.copy()));
  const again = await Promise.all(
    copies.map((copy) => copy.post(winner.at, { name: '', password: 'another horse battery' })),
  );
  expect(again.map((answer) => new URL(locationOf(answer)).searchParams.get('done'))).toEqual(
    Array(5).fill('waits'),
  );
  // after the address is verified, a later visitor gets the message
  await sql('delete from attempts');
  const { visitor, at } = await asking(email);
  const told = await visitor.submit(at, await codeMail(email));
  expect(await visitor.view('register', told)).toMatchObject({
    kind: 'ended',
    message: 'register.waits_already',
  });
  expect(late.at.page).toBe('register');
  await approvePerson(OPERATOR, { id: email });
  const { client } = await new Visitor().signIn({ username: email, password: NEW_PASSWORD });
  expect(client.get('code')).toBeTruthy();
});

test('if an administrator creates the account before the approval, there is one user, and the registration ends', async () => {
  const email = newAddress();
  expect(await askedFor(email)).toBe('waits');
  const [approved, created] = await Promise.allSettled([
    approvePerson(OPERATOR, { id: email }),
    createPerson(OPERATOR, { email, name: 'Other', roles: [], password: 'yet another battery' }),
  ]);
  expect([approved.status, created.status].toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await peopleAt(email)).toHaveLength(1);
  expect(await waitingEmails()).toEqual([]);
  const second = newAddress();
  expect(await askedFor(second)).toBe('waits');
  await createPerson(OPERATOR, { email: second, name: 'Other', roles: [] });
  await expect(approvePerson(OPERATOR, { id: second })).rejects.toMatchObject({ kind: 'not-found' });
  expect(await waitingEmails()).toEqual([]);
});

test('an invitation takes precedence over an approval, and a disabled or deleted method admits no waiting user', async () => {
  const email = newAddress();
  expect(await askedFor(email)).toBe('waits');
  await registration('off');
  await expect(approvePerson(OPERATOR, { id: email })).rejects.toMatchObject({ kind: 'conflict' });
  expect(await waitingEmails()).toEqual([email]);
  await registration('approval');
  const [invited] = await invitePeople(OPERATOR, { emails: [email] });
  expect(invited?.outcome).toBe('invited');
  const [mail] = await mailTo(email);
  const handle = /invitation=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
  const form = { handle, invited: true, name: 'Nora', password: 'another horse battery' } as const;
  expect(await finishRegistration({ ...form, ip: null, requestId: 'r' })).toMatchObject({ kind: 'made' });
  expect(await waitingEmails()).toEqual([]);
  expect(await peopleAt(email)).toHaveLength(1);

  const other = newAddress();
  expect(await askedFor(other)).toBe('waits');
  await sql("insert into auth_methods (id, type, name, config) values ('second', 'local', 'Second', '{}')");
  await sql("update person_registrations set auth_method_id = 'second' where kind = 'waiting'");
  await deleteAuthMethod(OPERATOR, { id: 'second' });
  await expect(approvePerson(OPERATOR, { id: other })).rejects.toMatchObject({ kind: 'not-found' });
  expect(await peopleAt(other)).toEqual([]);
});
