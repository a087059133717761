// A new phone: the old app stays valid until the new app has shown its code, and no session or token ends.
import { beforeEach, expect, it } from 'vitest';
import { endSessionsOf, resetFactors } from '#lib/catalogue/people/operations.ts';
import { newTotp, totpToReplace } from '#lib/factors/totp.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';
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
} from '#testing/data/registry.ts';
import { codeOf, totpOf, wrongCodeOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { actorOf, browserWith, halfway, sealApp, signIn } from '#testing/in-process/console-session.ts';
import { confirmSignIn } from './console-sign-in.ts';
import { removeMyTotp, renewMyRecoveryCodes, replaceMyTotp } from './my-account.ts';
import { OPERATOR } from './policy.ts';

let zoe: Person;
let cookie: string;
let old: string;
beforeEach(async () => {
  await givenEmptyRegistry();
  zoe = await givenPerson('zoe', 'developer');
  old = await enrol(zoe.id);
  const first = await signIn();
  const raised = await confirmSignIn(await halfway(first), { code: codeOf(old) }, browserWith(first));
  cookie = raised.split(';')[0] ?? '';
});

/** Returns the data that a browser tab shows at this moment. */
async function tab() {
  const { secret } = await newTotp({ label: 'zoe@example.com' });
  const replaces = (await totpToReplace(zoe.id, await totpOf(zoe.id))) ?? undefined;
  return { secret, sealed: await sealApp(cookie, secret, replaces), code: codeOf(secret) };
}

it('the replacement of an authenticator app keeps sessions, tokens and recovery codes, and a mail notifies the user', async () => {
  const me = await actorOf(cookie);
  await givenClient(zoe);
  await givenFamily(zoe);
  await renewMyRecoveryCodes(me);
  const { secret, sealed, code } = await tab();
  const wrong = await refusal(replaceMyTotp(me, { sealed, code: wrongCodeOf(secret) }));
  expect(wrong?.kind).toBe('invalid');
  const [before] = (await listFactors(zoe.id)).totps;
  await replaceMyTotp(me, { sealed, code });
  const after = await listFactors(zoe.id);
  expect(after.totps[0]?.createdAt.getTime()).toBeGreaterThan(before?.createdAt.getTime() ?? 0);
  expect(after.recoveryCodes).toBe(10);
  expect(await readConsoleActor(cookie, null)).not.toBeNull();
  expect(await countLiveFamilies()).toBe(1);
  expect(await events('factor.added')).toContainEqual(
    expect.objectContaining({ details: { factor: 'totp', replaced: true } }),
  );
  const subjects = (await mailTo('zoe@example.com')).map(({ subject }) => subject);
  expect(subjects).toContainEqual(expect.stringContaining('authenticator app was replaced'));
});

it('of two concurrent tabs, one replaces the authenticator app, and the second gets an error', async () => {
  const me = await actorOf(cookie);
  const tabs = [await tab(), await tab()];
  const outcomes = await Promise.allSettled(
    tabs.map(({ sealed, code }) => replaceMyTotp(me, { sealed, code })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const [lost] = outcomes.filter((one) => one.status === 'rejected');
  expect(lost?.reason).toMatchObject({ code: 'second_step.app_changed' });
});

it('an authenticator app that is removed or reset during its replacement is not restored', async () => {
  const me = await actorOf(cookie);
  const { sealed, code } = await tab();
  await removeMyTotp(me, { id: await totpOf(zoe.id) });
  expect((await refusal(replaceMyTotp(me, { sealed, code })))?.code).toBe('second_step.app_changed');
  expect((await listFactors(zoe.id)).totps).toEqual([]);
});

it('a session that has ended cannot replace the authenticator app', async () => {
  const me = await actorOf(cookie);
  const [{ sealed, code }, another] = [await tab(), await tab()];
  await endSessionsOf(OPERATOR, { personId: zoe.id });
  expect((await refusal(replaceMyTotp(me, { sealed, code })))?.code).toBe('second_step.app_changed');
  await Promise.allSettled([
    replaceMyTotp(me, { sealed: another.sealed, code: another.code }),
    resetFactors(OPERATOR, { id: zoe.id }),
  ]);
  expect((await listFactors(zoe.id)).totps).toEqual([]);
});

it('the replacement of an authenticator app rejects the secret of the page that adds an app', async () => {
  const me = await actorOf(cookie);
  const { secret } = await newTotp({ label: 'zoe' });
  const sealed = await sealApp(cookie, secret);
  expect((await refusal(replaceMyTotp(me, { sealed, code: codeOf(secret) })))?.code).toBe(
    'factor.open_too_long',
  );
});
