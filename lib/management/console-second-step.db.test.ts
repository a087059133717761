// Console sign-in with two steps: between the steps, the session permits nothing except the second step.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resetFactors } from '#lib/catalogue/people/operations.ts';
import { newTotp } from '#lib/factors/totp.ts';
import { readConsoleActor, readConsoleVisitor } from '#lib/sessions/console.ts';
import { environment } from '#lib/settings/environment.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { listFactors } from '#lib/store/factors.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  mailTo,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { codeOf, wrongCodeOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { actorOf, browserWith, halfway, held, sealApp, signIn } from '#testing/in-process/console-session.ts';
import { confirmSignIn, putOffSetUp, setUpFirst, viewNewFactor, viewSecondStep } from './console-sign-in.ts';
import {
  addMyPasskey,
  addMyTotp,
  forgetMyBrowsers,
  readMyFactors,
  removeMyPasskey,
  removeMyTotp,
  renameMyPasskey,
  renewMyRecoveryCodes,
} from './my-account.ts';
import { OPERATOR } from './policy.ts';

const before = { databaseUrl: settings().databaseUrl, secret: settings().secrets.join(',') };
const load = (more: Record<string, string> = {}) =>
  loadSettings({
    ...environment(),
    DATABASE_URL: before.databaseUrl,
    GATEHOUSE_SECRET: before.secret,
    ...more,
  });

let zoe: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  zoe = await givenPerson('zoe');
});
afterEach(() => load());

it('a session that lacks the second step has no permissions, and of concurrent uses of one code, one succeeds', async () => {
  const secret = await enrol(zoe.id);
  const cookie = await signIn();
  expect(await readConsoleActor(cookie, null)).toBeNull();
  const who = await halfway(cookie);
  expect(who).toMatchObject({ owes: 'confirm', email: 'zoe@example.com' });
  expect(who).not.toHaveProperty('roles');
  expect(await viewSecondStep(who)).toEqual({ code: 'app', passkey: null });
  expect((await refusal(confirmSignIn(who, { code: wrongCodeOf(secret) }, browserWith(cookie))))?.kind).toBe(
    'invalid',
  );
  const tries = await sql('select sum(count) from attempts');
  for (const [typed, message, code] of [
    [
      '\uff11\uff12\uff13\uff14\uff15\uff16',
      'Enter the code with the digits 0 to 9.',
      'factor.code_latin_digits',
    ],
    ['12345', 'The code has six digits.', 'factor.code_length'],
    ['', 'The code has six digits.', 'factor.code_length'],
  ] as const)
    expect((await refusal(confirmSignIn(who, { code: typed }, browserWith(cookie))))?.faults).toMatchObject([
      { field: 'code', code, message },
    ]);
  // input in an impossible format is not counted as an attempt
  expect(await sql('select sum(count) from attempts')).toEqual(tries);
  const code = codeOf(secret);
  const both = await Promise.allSettled([1, 2].map(() => confirmSignIn(who, { code }, browserWith(cookie))));
  const raised = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(raised).toHaveLength(1);
  expect(await actorOf(held(raised[0] ?? ''))).toMatchObject({ session: { level: 2 } });
  expect(await readConsoleVisitor(cookie, null)).toBeNull();
});

it('adding a first second factor ends password-only sessions and tokens, creates ten recovery codes, and keeps this session', async () => {
  await givenClient(OPERATOR);
  const cookie = await signIn();
  const other = await signIn();
  await givenFamily(zoe, { basis: 'password' });
  const { secret } = await newTotp({ label: 'zoe' });
  const given = { sealed: await sealApp(cookie, secret), code: codeOf(secret) };
  const added = await addMyTotp(await actorOf(cookie), { ...given, browser: browserWith(cookie) });
  expect(added.codes).toHaveLength(10);
  expect(await countLiveFamilies()).toBe(0);
  expect((await actorOf(held(added.cookie))).session.level).toBe(2);
  expect(await readConsoleActor(other, null)).toBeNull();
  expect((await mailTo('zoe@example.com'))[0]?.subject).toBe('Gatehouse: an authenticator app was set up');
  // a recovery code completes the second session, but works only once
  const [spare = ''] = added.codes ?? [];
  const who = await halfway(other);
  expect(await viewSecondStep(who)).toMatchObject({ code: 'app or recovery code' });
  const opened = await confirmSignIn(who, { code: spare.toLowerCase() }, browserWith(other));
  expect(await readConsoleActor(held(opened), null)).not.toBeNull();
  expect((await mailTo('zoe@example.com')).map(({ subject }) => subject)).toContain(
    'Gatehouse: a recovery code was used',
  );
  expect(
    (await refusal(confirmSignIn(await halfway(await signIn()), { code: spare }, browserWith())))?.kind,
  ).toBe('invalid');
});

it('after a second sign-in, the page offers a new secret for an app, and says so', async () => {
  const actor = await actorOf(await signIn());
  const offer = async (who: typeof actor, shown?: string) =>
    (await viewNewFactor(who, { ...(shown && { shown }) })).totp;
  const first = await offer(actor);
  expect(first?.renewed).toBe(false);
  expect(await offer(actor, first?.sealed)).toEqual(first);
  const again = await offer(await actorOf(await signIn()), first?.sealed);
  expect(again).toMatchObject({ renewed: true });
  expect(again?.spelled).not.toBe(first?.spelled);
});

it('users can add, rename and remove passkeys, renew recovery codes and forget browsers, and changes are audited', async () => {
  const cookie = await signIn();
  const actor = await actorOf(cookie);
  const { passkey } = await viewNewFactor(actor);
  if (!passkey) throw new Error('no passkeys here');
  const authenticator = new Authenticator(settings().authUrl);
  const response = authenticator.create(passkey.options);
  const browser = browserWith(cookie);
  const added = await addMyPasskey(actor, { state: passkey.state, response, name: 'Phone', browser });
  const now = held(added.cookie);
  const me = await actorOf(now);
  expect(me.session.level).toBe(3);
  const [mine] = (await readMyFactors(me)).passkeys;
  const id = mine?.id ?? '';
  expect(mine).toMatchObject({ name: 'Phone', rpId: settings().passkeyRpId });
  const stranger = await givenPerson('bob');
  expect((await refusal(removeMyPasskey(stranger, { id })))?.kind).toBe('not-found');
  expect((await refusal(renameMyPasskey(stranger, { id, name: 'Mine' })))?.kind).toBe('not-found');
  expect((await refusal(renameMyPasskey(me, { id, name: ' \u202e' })))?.kind).toBe('invalid');
  await renameMyPasskey(me, { id, name: 'Old phone' });
  expect(await renewMyRecoveryCodes(me)).toHaveLength(10);
  // the passkey completes the second step of another sign-in
  const second = await signIn();
  const who = await halfway(second);
  const view = await viewSecondStep(who);
  const answer = {
    state: view.passkey?.state ?? '',
    response: authenticator.get(view.passkey?.options ?? ''),
  };
  expect(await confirmSignIn(who, answer, browserWith(second))).toContain('gatehouse-console=');
  expect((await refusal(confirmSignIn(who, answer, browserWith(second))))?.kind).toBe('invalid');
  const [browserRow] = await sql<{ id: string }>(
    `insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at)
     values (uuid_send(gen_random_uuid()), $1, 'local', now() + interval '1 day') returning id`,
    [zoe.id],
  );
  for (const other of ['', "'", randomUUID()])
    expect((await refusal(forgetMyBrowsers(me, { id: other })))?.kind).toBe('not-found');
  expect(await forgetMyBrowsers(me, { id: browserRow?.id ?? '' })).toBe(1);
  const old = { ...me, signedInAt: new Date(Date.now() - 16 * 60_000) };
  expect((await refusal(removeMyPasskey(old, { id })))?.kind).toBe('reauthenticate');
  // other sessions end, because they may have been opened with a stolen passkey
  const living =
    'select id_hash from sessions s join people p on p.id = s.person_id where ended_at is null and person_epoch = epoch';
  expect((await sql(living)).length).toBeGreaterThan(1);
  await removeMyPasskey(me, { id });
  expect(await sql(living)).toEqual([{ id_hash: me.session.idHash }]);
  expect(await readConsoleActor(now, null)).not.toBeNull();
  expect((await refusal(removeMyTotp(me, { id: randomUUID() })))?.kind).toBe('not-found');
  expect((await refusal(renewMyRecoveryCodes(me)))?.kind).toBe('conflict');
  expect(await events('factor.removed')).toMatchObject([
    { details: { factor: 'passkey', name: 'Old phone' } },
  ]);
  expect(await events('factor.renamed')).toHaveLength(1);
  expect(await events('browser.forgotten')).toHaveLength(1);
  const mails = (await mailTo('zoe@example.com')).map(({ subject }) => subject.replace('Gatehouse: ', ''));
  expect(mails.slice(0, 4)).toEqual(
    expect.arrayContaining([
      'a passkey was added',
      'a passkey was removed',
      'a passkey was renamed',
      'new recovery codes were created',
    ]),
  );
});

it('"required" obliges approvers and administrators to set up a second factor after a grace period, "off" obliges nobody', async () => {
  await givenPerson('root', 'administrator');
  await givenPerson('dev', 'developer');
  load({ CONSOLE_SECOND_FACTOR: 'required' });
  expect(await readConsoleActor(await signIn('dev@example.com'), null)).not.toBeNull();
  const cookie = await signIn('root@example.com');
  const who = await halfway(cookie);
  expect(who.owes).toBe('set-up');
  expect((await refusal(putOffSetUp(who)))?.kind).toBe('conflict');
  const { secret } = await newTotp({ label: 'root' });
  const given = { sealed: await sealApp(cookie, secret), code: codeOf(secret) };
  const late = { ...who, signedInAt: new Date(Date.now() - 16 * 60_000) };
  expect((await refusal(setUpFirst(late, given, browserWith(cookie), new Date())))?.kind).toBe('conflict');
  const { cookie: raised, codes } = await setUpFirst(who, given, browserWith(cookie), new Date());
  expect(codes).toHaveLength(10);
  expect(await readConsoleActor(held(raised), null)).toMatchObject({ roles: ['administrator'] });
  await resetFactors(OPERATOR, { id: who.id });

  load({ CONSOLE_SECOND_FACTOR: 'required', SECOND_FACTOR_GRACE_DAYS: '3' });
  const graced = await signIn('root@example.com');
  await putOffSetUp(await halfway(graced));
  expect(await readConsoleActor(graced, null)).not.toBeNull();
  await sql(
    "update people set factor_grace_from = now() - interval '4 days' where factor_grace_from is not null",
  );
  expect(await readConsoleActor(graced, null)).toBeNull();
  expect((await refusal(putOffSetUp(await halfway(graced))))?.kind).toBe('conflict');

  load({ CONSOLE_SECOND_FACTOR: 'off' });
  await enrol(who.id);
  expect(await readConsoleActor(graced, null)).not.toBeNull();
  load();
  expect((await halfway(graced)).owes).toBe('confirm');
});

it('a second factor added during a reset does not survive', async () => {
  for (let round = 0; round < 6; round += 1) {
    const cookie = await signIn();
    await sql('insert into recovery_codes (code_hash, person_id) values (uuid_send(gen_random_uuid()), $1)', [
      zoe.id,
    ]);
    const { secret } = await newTotp({ label: 'zoe' });
    const given = { sealed: await sealApp(cookie, secret), code: codeOf(secret) };
    const actor = await actorOf(cookie);
    const [added] = await Promise.allSettled([
      addMyTotp(actor, { ...given, browser: browserWith(cookie) }),
      resetFactors(OPERATOR, { id: zoe.id }),
    ]);
    const { totps } = await listFactors(zoe.id);
    // either the factor was rejected and rolled back, or it was added earlier and deleted by the reset
    if (added?.status === 'fulfilled')
      expect(await readConsoleActor(held(added.value.cookie), null)).toBeNull();
    expect(totps).toEqual([]);
    await resetFactors(OPERATOR, { id: zoe.id });
  }
});
