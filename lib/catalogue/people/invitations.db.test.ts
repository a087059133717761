// Invitations: many addresses in one call, with a result per address. A link creates only one account, always for the
// invited address.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { viewRegister } from '#lib/oauth/pages/register.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import { newAddress, peopleAt, registration } from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { until } from '#testing/net/until.ts';
import { invitePeople, pageInvitations, withdrawInvitation } from './invitations.ts';
import { createPerson, deletePerson } from './operations.ts';
import { personRegistrations } from './registrations.ts';
import { insertPerson } from './rows.ts';

const PASSWORD = 'correct horse battery';

beforeAll(givenFixtures);
beforeEach(async () => {
  for (const table of ['attempts', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('invite');
});

async function linkTo(email: string): Promise<string> {
  const [mail] = await mailTo(email);
  return /register\?invitation=([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? '';
}

const view = (
  invitation: string,
  more: { again?: string; done?: string; cookie?: string | undefined } = {},
) =>
  viewRegister({
    ...{ interaction: undefined, link: undefined, again: undefined, done: undefined, cookie: undefined },
    invitation,
    ...more,
  });

/** The page after the form was sent. */
async function accept(invitation: string, fields: Record<string, string>) {
  const visitor = new Visitor();
  const { searchParams } = new URL(
    locationOf(await visitor.send('/register/submit', { invitation, ...fields })),
  );
  const at = Object.fromEntries(searchParams);
  return view(at['invitation'] ?? '', { ...at, cookie: visitor.jar.header });
}

test('an invitation of several addresses returns a result for each, and a newer link invalidates the older link', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const emails = [
    first,
    'alice@example.com',
    'no address',
    ` ${first.toUpperCase()}`,
    `${'a'.repeat(320)}@example.com`,
  ];
  expect(
    (await invitePeople(OPERATOR, { emails, name: 'Ada' })).map(({ place, outcome }) => [place, outcome]),
  ).toEqual([
    [1, 'invited'],
    [2, 'has-account'],
    [3, 'invalid'],
    [4, 'invited-again'],
    [5, 'invalid'],
  ]);
  const mails = await mailTo(first);
  expect(mails).toHaveLength(2);
  expect(await mailTo('alice@example.com')).toEqual([]);
  const links = mails.map(({ text }) => /invitation=([\w-]{43})$/m.exec(text)?.[1] ?? '');
  const views = await Promise.all(links.map((link) => view(link)));
  expect(views.map(({ kind }) => kind).toSorted()).toEqual(['invited', 'unusable']);
  await Promise.all(Array.from({ length: 10 }, () => invitePeople(OPERATOR, { emails: [second] })));
  const { rows } = await pageInvitations(OPERATOR, {});
  expect(rows.map(({ email, name }) => [email, name])).toEqual([
    [second, ''],
    [first, 'Ada'],
  ]);
});

test('a new account invalidates all invitations of its address, for every method, and they stay invalid after the account is deleted', async () => {
  await sql(`insert into auth_methods (id, type, name, config) values ('two', 'local', 'Two', '{"registration": "invite"}')
    on conflict do nothing`);
  await currentSnapshot();
  const email = newAddress();
  const invited = async (authMethodId: string) => {
    const [result] = await invitePeople(OPERATOR, { emails: [email], authMethodId });
    return [result?.outcome, await linkTo(email)] as const;
  };
  const [, older] = await invited('pw');
  const [outcome, newer] = await invited('two');
  expect(outcome).toBe('invited-again');
  expect([(await view(older)).kind, (await view(newer)).kind]).toEqual(['unusable', 'invited']);
  await createPerson(OPERATOR, { email, name: 'Bob', roles: [] });
  expect(await sql('select email from person_registrations where email = $1', [email])).toEqual([]);
  // a concurrent invitation: neither transaction saw the other, so both the account and the invitation exist
  await sql(`insert into person_registrations (auth_method_id, email, kind, state, name, handle_hash, expires_at)
    values ('two', '${email}', 'invited', 'proved', '', sha256('${newer}'), now() + interval '7 days')`);
  await deletePerson(OPERATOR, { email });
  expect(await accept(newer, { password: PASSWORD })).toMatchObject({ kind: 'unusable' });
  expect(await peopleAt(email)).toEqual([]);
  await sql("delete from auth_methods where id = 'two'");
});

test('an invitation link creates one account for the invited address, whatever the form contains and however often it is sent', async () => {
  const email = newAddress();
  await invitePeople(OPERATOR, { emails: [email] });
  const link = await linkTo(email);
  for (let opened = 0; opened < 3; opened += 1)
    expect(await view(link)).toMatchObject({ kind: 'invited', email });
  expect(await accept(link, { name: 'Ada', password: 'password1' })).toMatchObject({
    kind: 'invited',
    name: 'Ada',
    alert: { code: 'new_password.known' },
  });
  const forms = Array.from({ length: 10 }, () =>
    accept(link, { name: 'Ada', email: 'other@example.com', password: PASSWORD }),
  );
  const pages = await Promise.all(forms);
  expect(pages.filter((page) => page.kind === 'ended')).toHaveLength(1);
  expect(pages.filter((page) => page.kind === 'unusable')).toHaveLength(9);
  expect(await peopleAt(email)).toMatchObject([
    { name: 'Ada', roles: [], email_verified_at: expect.any(Date) },
  ]);
  expect(await peopleAt('other@example.com')).toEqual([]);
  expect((await new Visitor().signIn({ username: email, password: PASSWORD })).page).toBe('client');
});

test('a withdrawn or expired invitation, or one for a disabled user, shows an error, and closed registration requires an invitation', async () => {
  const [gone, old, off] = [newAddress(), newAddress(), newAddress()];
  await invitePeople(OPERATOR, { emails: [gone, old, off] });
  const links = { gone: await linkTo(gone), old: await linkTo(old), off: await linkTo(off) };
  const { rows } = await pageInvitations(OPERATOR, { search: gone });
  await withdrawInvitation(OPERATOR, { id: rows[0]?.id ?? '' });
  await expect(withdrawInvitation(OPERATOR, { id: rows[0]?.id ?? '' })).rejects.toMatchObject({
    kind: 'not-found',
  });
  await sql('update person_registrations set expires_at = now() where email = $1', [old]);
  for (const link of [links.gone, links.old, 'x'.repeat(43)])
    expect(await accept(link, { password: PASSWORD })).toMatchObject({ kind: 'unusable' });
  const login = await new Visitor();
  expect(await login.view('login', await login.start({ prompt: 'create' }))).toMatchObject({
    register: null,
  });
  await registration('off');
  await currentSnapshot();
  expect(await accept(links.off, { password: PASSWORD })).toMatchObject({
    heading: 'register.invitation_gone_heading',
  });
  await expect(invitePeople(OPERATOR, { emails: [off] })).rejects.toMatchObject({ kind: 'conflict' });
  for (const email of [gone, old, off]) expect(await peopleAt(email)).toEqual([]);
});

test('if a user is deleted while an invitation is accepted, no account remains', async () => {
  const email = newAddress();
  await invitePeople(OPERATOR, { emails: [email] });
  const handle = await linkTo(email);
  // the person registered without the invitation, which therefore still exists next to the account
  await sql('insert into people (email) values ($1)', [email]);
  const held = Promise.withResolvers<void>();
  const deletion = held.promise.then(() => deletePerson(OPERATOR, { email }));
  const accepted = await inTransaction(async (db) => {
    const taken = await personRegistrations.take(db, sha256(handle));
    expect(taken?.email).toBe(email);
    held.resolve();
    // both transactions wait for locks, so the test looks for the waiting statements
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(await until(async () => (await sql(waits)).length > 0)).toBe(true);
    const values = { email, name: '', roles: [], passwordHash: 'x', configPassword: null };
    return insertPerson(db, values);
  });
  expect(accepted).toBeNull();
  await deletion;
  expect(await peopleAt(email)).toHaveLength(0);
});

test('RFC 9110 §9.2.1: a scanner that opens an invitation and posts its form does not use it up, and the user can register later', async () => {
  const email = newAddress();
  await invitePeople(OPERATOR, { emails: [email] });
  const invitation = await linkTo(email);
  for (let times = 0; times < 3; times += 1)
    expect(await view(invitation)).toMatchObject({ kind: 'invited', email });
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    await ask(`/register/submit?invitation=${invitation}`, { method });
  // scanners: one script sends the form without an Origin header, another without a password
  const scripted = { method: 'POST', form: { invitation, password: 'chosen by a scanner 1' } };
  expect((await ask('/register/submit', scripted)).status).toBe(403);
  expect(await accept(invitation, { name: '', password: '' })).toMatchObject({ kind: 'invited', email });
  expect(await peopleAt(email)).toEqual([]);
  expect(await accept(invitation, { name: 'Ada', password: PASSWORD })).toMatchObject({
    kind: 'ended',
    label: 'sign_in.heading',
  });
  expect(await peopleAt(email)).toHaveLength(1);
});
