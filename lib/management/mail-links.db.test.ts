import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { disablePerson, RESET_LINK_MINUTES } from '#lib/catalogue/people/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { listDevelopmentMail, settleNotices } from '#lib/mail/send.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import {
  countLiveFamilies,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  mailTo,
  resetToken,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { mailServer } from '#testing/net/mail-server.ts';
import { signInToConsole } from './console-sign-in.ts';
import {
  readMailToken,
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
} from './mail-links.ts';
import { readMyProfile } from './my-account.ts';
import { OPERATOR } from './policy.ts';

const from = { ip: null, requestId: 'r1' };
const HERE = { fromThisMachine: true };

beforeEach(() => givenEmptyRegistry());

it('a reset link works once, and viewing its page does not use it up', async () => {
  const alice = await givenPerson('reset');
  await givenFamily(alice);
  const token = await resetToken('reset@example.com');
  const purpose = 'password-reset';
  for (let at = 0; at < 2; at += 1) {
    expect(await readMailToken({ token, purpose })).toEqual({ email: 'reset@example.com' });
  }
  expect(await readMailToken({ token, purpose: 'verify-email' })).toBeNull();
  const weak = resetPassword({ token, password: 'password1', ...from });
  await expect(weak).rejects.toMatchObject({ faults: [{ field: 'password' }] });
  const uses = Array.from({ length: 5 }, (_, at) =>
    resetPassword({ token, password: `long-enough-${at}`, ...from }),
  );
  const done = (await Promise.allSettled(uses)).filter((one) => one.status === 'fulfilled');
  expect(done).toHaveLength(1);
  expect(await countLiveFamilies()).toBe(0);
  expect(await readMailToken({ token, purpose })).toBeNull();
});

it('a reset link stops working if it expires, a newer link is sent or the user is disabled', async () => {
  const alice = await givenPerson('older');
  const first = await resetToken('older@example.com');
  const second = await resetToken('older@example.com');
  const purpose = 'password-reset';
  expect(await readMailToken({ token: first, purpose })).toBeNull();
  expect(await readMailToken({ token: second, purpose })).not.toBeNull();
  await sql(`update mail_tokens set expires_at = now()`);
  await expect(resetPassword({ token: second, password: 'long-enough-2', ...from })).rejects.toMatchObject({
    kind: 'not-found',
  });
  const third = await resetToken('older@example.com');
  await disablePerson(OPERATOR, { id: alice.id });
  expect(await readMailToken({ token: third, purpose })).toBeNull();
});

it('the response to a password reset is the same for an unknown address, whose mail contains no link', async () => {
  expect(await requestPasswordReset({ email: 'nobody@example.com', ...from })).toBeUndefined();
  const told = await mailTo('nobody@example.com');
  expect(told).toMatchObject([{ text: expect.stringContaining('no account of this service signs') }]);
  expect(told[0]?.text).not.toContain('token=');
});

it('the response to a password reset does not wait for a lookup that depends on the address', async () => {
  await givenPerson('awaited');
  await withClient(settings().databaseUrl, async (client) => {
    await client.query('begin; lock table people, mail_tokens in access exclusive mode');
    for (const name of ['awaited', 'nobody'])
      await requestPasswordReset({ email: `${name}@example.com`, ...from });
  });
  expect(await mailTo('awaited@example.com')).toHaveLength(1);
});

it('a reset link contains only its token and the reference with which the sign-in continues', async () => {
  await givenPerson('shopper');
  await requestPasswordReset({ email: 'shopper@example.com', after: 'application', ...from });
  const [mail] = await mailTo('shopper@example.com');
  expect(mail?.text).toMatch(/reset-password\?token=ghm_[\w-]+&after=application$/m);
  expect(mail?.text).toContain(`within ${RESET_LINK_MINUTES} minutes`);
  const [row] = await sql<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::int as seconds from mail_tokens',
  );
  expect(row?.seconds).toBe(RESET_LINK_MINUTES * 60);
});

it('a verification link verifies the email address only while it belongs to the user', async () => {
  const alice = await givenPerson('verify');
  await requestEmailVerification(alice);
  const [mail] = await mailTo('verify@example.com');
  const token = /verify-email\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
  expect(await verifyEmail({ token, ...from })).toEqual({ email: 'verify@example.com' });
  expect((await readMyProfile(alice)).emailVerified).toBe(true);
  await expect(verifyEmail({ token, ...from })).rejects.toMatchObject({ kind: 'not-found' });
});

it('LK-01: the token of a mailed link appears in the mail only', async () => {
  await givenPerson('leak');
  const token = await resetToken('leak@example.com');
  expect(token).toMatch(/^ghm_/);
  const rows = await sql<{ text: string }>(
    `select (select json_agg(t)::text from mail_tokens t) || (select json_agg(a)::text from audit_events a) as text`,
  );
  expect(rows[0]?.text).not.toContain(token.slice(4, 20));
  const folder = path.join(settings().dataDir, 'mail');
  const holding = readdirSync(folder).filter((name) =>
    readFileSync(path.join(folder, name), 'utf8').includes(token),
  );
  expect(holding).toHaveLength(1);
  expect(holding[0]).not.toContain(token);
});

it('the mail about a request goes to its approvers, and the mail about a decision to the requester', async () => {
  const dev = await givenPerson('asker', 'developer');
  await givenPerson('judge', 'approver');
  const admin = await givenPerson('admin', 'administrator');
  await givenClient(dev);
  await requestSubscription(dev, { ...SHOP, trusted: true, message: 'Ünser Grund' });
  const [asked] = await mailTo('judge@example.com');
  expect(asked?.text).toContain('Ünser Grund');
  expect(asked?.text).toContain('/admin?client=shop&api=orders');
  await decideSubscription(admin, { ...SHOP, action: 'reject', reason: 'not yet' });
  const [told] = await mailTo('asker@example.com');
  expect(told).toMatchObject({ subject: expect.stringMatching(/^Gatehouse: .+ → orders: rejected$/) });
  expect(told?.text).toContain('not yet');
});

it('SMTP_URL receives the mail, and delivery failure does not fail the request', async () => {
  const server = await mailServer();
  await givenPerson('smtp');
  try {
    loadSettings({ ...process.env, SMTP_URL: server.smtpUrl });
    await requestPasswordReset({ email: 'smtp@example.com', ...from });
    await settleNotices();
    const received = server.received.join('');
    expect(received).toMatch(/MAIL FROM:<login@example.com>/);
    expect(received).toMatch(/reset-password/);
    expect(received).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html[\s\S]*lang=3D"en"/);
    loadSettings({ ...process.env, SMTP_URL: 'smtp://127.0.0.1:1' });
    await requestPasswordReset({ email: 'smtp@example.com', ...from });
    await settleNotices();
    expect(await listDevelopmentMail(HERE)).toBeNull();
  } finally {
    loadSettings();
    await server.close();
  }
  const input = { cookieHeader: undefined, userAgent: null, authMethodId: 'local' };
  const signed = await signInToConsole({ ...input, ...from, username: 'smtp@example.com', password: 'x' });
  expect(signed.kind).toBe('refused');
});

it('password reset accepts a single mailbox: address lists and display names are rejected', async () => {
  const none = [
    'one@example.com,two@example.com',
    '"Prize at evil.example" <one@example.com>',
    '<one@example.com>',
    'one@example.com;x1',
    'mailto:one@example.com',
    'one@example\u3002com',
  ];
  for (const email of none) await requestPasswordReset({ email, ...from });
  await requestPasswordReset({ email: 'other@example.com', ...from });
  // this mail was sent last, so the earlier requests sent none
  expect(await mailTo('other@example.com')).toHaveLength(1);
  expect((await listDevelopmentMail(HERE))?.filter(({ to }) => to.includes('one@'))).toEqual([]);
});
