// A user changes their address: codes prove both mailboxes, wrong input is rejected, and changes run concurrently.
import { beforeEach, expect, it } from 'vitest';
import { changePerson, createPerson, disablePerson } from '#lib/catalogue/people/operations.ts';
import { settleNotices } from '#lib/mail/send.ts';
import {
  events,
  givenEmptyRegistry,
  givenPerson,
  mailTo,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { signInToConsole } from './console-sign-in.ts';
import { requestPasswordReset } from './mail-links.ts';
import { finishAddressChange, readAddressChange, startAddressChange } from './my-account.ts';
import { OPERATOR } from './policy.ts';

beforeEach(async () => {
  await givenEmptyRegistry();
  await sql('delete from attempts');
});

const OLD = 'ada@example.com';
const NEW = 'ada@example.org';
const addressOf = async (id: string) =>
  (
    await sql<{ email: string; verified: boolean }>(
      'select email, email_verified_at is not null as verified from people where id = $1',
      [id],
    )
  )[0];

async function codeTo(address: string): Promise<string> {
  await settleNotices();
  const [newest] = await mailTo(address);
  return newest?.text.match(/code (\d{3} \d{3}) /)?.[1] ?? '';
}

async function begun(ada: Person, email = NEW) {
  const { handle } = await startAddressChange(ada, { email });
  return { handle, codeHere: await codeTo(OLD), codeThere: await codeTo(email.trim().toLowerCase()) };
}

/** Returns another code of the same form. */
const other = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;

it('an email address changes and is verified with the codes from both mails, and the old mailbox is notified', async () => {
  const ada = await givenPerson('ada', 'developer');
  const change = await begun(ada, ' Ada@Example.ORG ');
  expect(await readAddressChange(ada, change)).toEqual({ from: OLD, email: NEW });
  expect(await finishAddressChange(ada, change)).toEqual({ email: NEW });
  expect(await addressOf(ada.id)).toEqual({ email: NEW, verified: true });
  expect(await events('person.changed')).toMatchObject([
    { actor: ada.id, details: { changed: ['email'], before: { email: OLD }, after: { email: NEW } } },
  ]);
  expect((await mailTo(OLD))[0]).toMatchObject({
    subject: expect.stringContaining('your address was changed'),
  });
  const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'r1' };
  const signIn = (username: string) =>
    signInToConsole({ ...browser, authMethodId: 'local', username, password: PASSWORD });
  expect(await signIn(NEW)).toMatchObject({ kind: 'signed-in' });
  expect(await signIn(OLD)).toMatchObject({ kind: 'refused' });
  expect(await readAddressChange(ada, change)).toBeNull();
  expect(await refusal(finishAddressChange(ada, change))).toMatchObject({ kind: 'not-found' });
});

it('one correct code of the two changes no email address, and errors do not reveal the wrong code', async () => {
  const ada = await givenPerson('ada');
  const change = await begun(ada);
  const refusals = [];
  for (const wrong of [
    { codeHere: other(change.codeHere) },
    { codeThere: other(change.codeThere) },
    { codeHere: change.codeThere, codeThere: other(change.codeHere) },
  ]) {
    refusals.push((await refusal(finishAddressChange(ada, { ...change, ...wrong })))?.faults);
  }
  expect(new Set(refusals.map((faults) => JSON.stringify(faults))).size).toBe(1);
  expect(refusals[0]).toHaveLength(2);
  expect(await addressOf(ada.id)).toMatchObject({ email: OLD });
  expect(await finishAddressChange(ada, change)).toEqual({ email: NEW });
});

it('five wrong codes end the address change, even in parallel; the right codes are rejected afterwards', async () => {
  const ada = await givenPerson('ada');
  const change = await begun(ada);
  const wrong = { ...change, codeThere: other(change.codeThere) };
  const kinds = await Promise.all(
    Array.from({ length: 9 }, async () => (await refusal(finishAddressChange(ada, wrong)))?.kind),
  );
  expect(kinds.filter((kind) => kind === 'invalid')).toHaveLength(5);
  expect(kinds.every((kind) => kind !== undefined)).toBe(true);
  expect(await refusal(finishAddressChange(ada, change))).not.toBeNull();
  expect(await addressOf(ada.id)).toMatchObject({ email: OLD });
});

it('concurrent requests with correct codes change the email address once', async () => {
  const ada = await givenPerson('ada');
  const change = await begun(ada);
  const done = await Promise.all(Array.from({ length: 5 }, () => refusal(finishAddressChange(ada, change))));
  expect(done.filter((refused) => refused === null)).toHaveLength(1);
  expect(await events('person.changed')).toHaveLength(1);
});

it('a change to a taken email address gets the usual response, its mailbox is notified, and every code is rejected', async () => {
  const ada = await givenPerson('ada');
  await givenPerson('taken');
  const before = (await mailTo('taken@example.com')).length;
  const change = await begun(ada, 'taken@example.com');
  expect(await readAddressChange(ada, change)).toEqual({ from: OLD, email: 'taken@example.com' });
  expect(change.codeThere).toBe('');
  expect(await mailTo('taken@example.com')).toHaveLength(before + 1);
  expect(await sql('select codes_hash from address_changes')).toEqual([{ codes_hash: null }]);
  const refused = await refusal(finishAddressChange(ada, { ...change, codeThere: '000000' }));
  expect(refused).toMatchObject({ kind: 'invalid' });
});

it('if an account with the new email address is created during the address change, that account keeps the address', async () => {
  const ada = await givenPerson('ada');
  const change = await begun(ada);
  const make = () => createPerson(OPERATOR, { email: NEW, name: 'Eve', password: PASSWORD, roles: [] });
  const [made, changed] = await Promise.all([refusal(make()), refusal(finishAddressChange(ada, change))]);
  expect([made, changed].filter((refused) => refused === null)).toHaveLength(1);
  expect(await sql('select from people where email = $1', [NEW])).toHaveLength(1);

  await sql('delete from people where email = $1 and id <> $2', [NEW, ada.id]);
  await sql('update people set email = $1 where id = $2', [OLD, ada.id]);
  const second = await begun(ada);
  await make();
  const refused = await refusal(finishAddressChange(ada, second));
  expect(refused).toMatchObject({
    kind: 'conflict',
    message: 'another account already has this address',
  });
  expect(await addressOf(ada.id)).toMatchObject({ email: OLD });
});

it('if two users change to one email address, one succeeds', async () => {
  const [ada, bob] = [await givenPerson('ada'), await givenPerson('bob')];
  const first = await begun(ada);
  const { handle } = await startAddressChange(bob, { email: NEW });
  const second = { handle, codeHere: await codeTo('bob@example.com'), codeThere: await codeTo(NEW) };
  const done = await Promise.all([
    refusal(finishAddressChange(ada, first)),
    refusal(finishAddressChange(bob, second)),
  ]);
  expect(done.filter((refused) => refused === null)).toHaveLength(1);
  expect(done.filter((refused) => refused?.kind === 'conflict')).toHaveLength(1);
});

it('a newer address change cancels the older, and other users cannot finish it', async () => {
  const [ada, bob] = [await givenPerson('ada'), await givenPerson('bob')];
  const older = await begun(ada);
  const newer = await begun(ada, 'ada@example.net');
  expect(await refusal(finishAddressChange(ada, older))).toMatchObject({ kind: 'not-found' });
  expect(await readAddressChange(bob, newer)).toBeNull();
  expect(await refusal(finishAddressChange(bob, newer))).toMatchObject({ kind: 'not-found' });
  expect(await finishAddressChange(ada, newer)).toEqual({ email: 'ada@example.net' });
});

it('an address change is cancelled if an administrator sets another address or disables the user', async () => {
  const ada = await givenPerson('ada');
  const change = await begun(ada);
  await changePerson(OPERATOR, { id: ada.id, email: 'moved@example.com' });
  expect(await readAddressChange(ada, change)).toBeNull();
  expect(await refusal(finishAddressChange(ada, change))).toMatchObject({ kind: 'not-found' });
  expect(await addressOf(ada.id)).toMatchObject({ email: 'moved@example.com' });

  const bob = await givenPerson('bob');
  const { handle } = await startAddressChange(bob, { email: NEW });
  const second = { handle, codeHere: await codeTo('bob@example.com'), codeThere: await codeTo(NEW) };
  await disablePerson(OPERATOR, { id: bob.id });
  expect(await refusal(finishAddressChange(bob, second))).toMatchObject({ kind: 'not-found' });
  expect(await addressOf(bob.id)).toMatchObject({ email: 'bob@example.com' });
});

it('links in earlier mails stop working when the address changes', async () => {
  const ada = await givenPerson('ada');
  await requestPasswordReset({ email: OLD, ip: null, requestId: 'r1' });
  await settleNotices();
  expect(await sql('select from mail_tokens')).toHaveLength(1);
  await finishAddressChange(ada, await begun(ada));
  expect(await sql('select from mail_tokens where used_at is null')).toEqual([]);
});

it('addresses of 320 characters, invalid addresses and the current address are rejected with field, and no mail is sent', async () => {
  const ada = await givenPerson('ada');
  for (const email of [
    '',
    'ada',
    'ada@',
    `${'a'.repeat(310)}@example.org`,
    'a\u0000@example.org',
    OLD,
    OLD.toUpperCase(),
  ]) {
    const refused = await refusal(startAddressChange(ada, { email }));
    expect([email, refused?.faults.map(({ field }) => field)]).toEqual([email, ['email']]);
  }
  for (const [codeHere, codeThere] of [
    ['', ''],
    ['12345', '123456'],
    ['abcdef', '123456'],
  ] as const) {
    const refused = await refusal(finishAddressChange(ada, { handle: 'none', codeHere, codeThere }));
    expect(refused?.faults.length).toBeGreaterThan(0);
  }
  await settleNotices();
  expect(await sql('select from address_changes')).toEqual([]);
});

it('an address change requires a recent sign-in, and a user whom the configuration file does not define', async () => {
  const ada = await givenPerson('ada');
  const stale = { ...ada, signedInAt: new Date(Date.now() - 16 * 60_000) };
  expect(await refusal(startAddressChange(stale, { email: NEW }))).toMatchObject({ kind: 'reauthenticate' });
  const change = await begun(ada);
  expect(await refusal(finishAddressChange(stale, change))).toMatchObject({ kind: 'reauthenticate' });
  await sql('update people set managed = true where id = $1', [ada.id]);
  expect(await refusal(startAddressChange(ada, { email: NEW }))).toMatchObject({ kind: 'conflict' });
  const elsewhere = { ...ada, email: null };
  expect(await refusal(startAddressChange(elsewhere, { email: NEW }))).toMatchObject({ kind: 'conflict' });
});

it('an address change is limited to five mails to one address, and to five mails of one person to any addresses', async () => {
  const ada = await givenPerson('ada');
  for (let n = 0; n < 5; n += 1) await startAddressChange(ada, { email: `ada-${n}@example.org` });
  const refused = await refusal(startAddressChange(ada, { email: 'ada-5@example.org' }));
  expect(refused).toMatchObject({ kind: 'slow-down' });
  const bob = await givenPerson('bob');
  for (let n = 0; n < 5; n += 1) await startAddressChange(bob, { email: NEW });
  expect(await refusal(startAddressChange(bob, { email: NEW }))).toMatchObject({ kind: 'slow-down' });
  await settleNotices();
});

it('the table of address changes contains no code and no page handle in plain text', async () => {
  const ada = await givenPerson('ada');
  const { handle, codeHere, codeThere } = await begun(ada);
  const [row] = await sql<{ text: string }>('select row_to_json(c)::text as text from address_changes c');
  for (const secret of [handle, codeHere.replace(' ', ''), codeThere.replace(' ', '')])
    expect(row?.text).not.toContain(secret);
});
