// Several authenticator apps of one person, in the console.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { readPerson } from '#lib/catalogue/people/operations.ts';
import { newTotp } from '#lib/factors/totp.ts';
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
import { codeOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { actorOf, browserWith, halfway, held, sealApp, signIn } from '#testing/in-process/console-session.ts';
import { confirmSignIn } from './console-sign-in.ts';
import { addMyTotp, removeMyTotp, renameMyTotp, renewMyRecoveryCodes } from './my-account.ts';
import { OPERATOR } from './policy.ts';

let zoe: Person;
let secret: string;
beforeEach(async () => {
  await givenEmptyRegistry();
  zoe = await givenPerson('zoe', 'developer');
});

async function confirmed(): Promise<string> {
  const cookie = await signIn();
  return held(await confirmSignIn(await halfway(cookie), { code: codeOf(secret) }, browserWith(cookie)));
}

/** Returns the data of the form on the page that sets up an app. */
async function page(cookie: string) {
  const { secret } = await newTotp({ label: 'zoe' });
  return { sealed: await sealApp(cookie, secret), code: codeOf(secret) };
}

it('a second authenticator app is added, named and removed, and the removal ends other sessions and refresh token families', async () => {
  secret = await enrol(zoe.id);
  let cookie = await confirmed();
  await renewMyRecoveryCodes(await actorOf(cookie));
  const browser = browserWith(cookie);
  const added = await addMyTotp(await actorOf(cookie), { ...(await page(cookie)), name: 'Tablet', browser });
  expect(added.codes).toBeNull();
  cookie = held(added.cookie);
  const me = await actorOf(cookie);
  const [first, second] = (await listFactors(zoe.id)).totps;
  expect([first?.name, second?.name]).toEqual([null, 'Tablet']);
  expect(await readPerson(OPERATOR, { id: zoe.id })).toMatchObject({
    factors: ['totp'],
    totpCount: 2,
  });
  await renameMyTotp(me, { id: first?.id ?? '', name: 'Phone' });
  for (const name of ['', 'x'.repeat(61)])
    expect((await refusal(renameMyTotp(me, { id: first?.id ?? '', name })))?.kind).toBe('invalid');
  const bob = { ...(await givenPerson('bob')), signedInAt: new Date() };
  for (const id of [first?.id ?? '', randomUUID(), 'none'])
    for (const work of [() => renameMyTotp(bob, { id, name: 'Mine' }), () => removeMyTotp(bob, { id })])
      expect((await refusal(work()))?.kind).toBe('not-found');

  await givenClient(zoe);
  await givenFamily(zoe);
  const elsewhere = await signIn();
  await removeMyTotp(me, { id: first?.id ?? '' });
  expect(await listFactors(zoe.id)).toMatchObject({ totps: [{ name: 'Tablet' }], recoveryCodes: 10 });
  expect(await readConsoleActor(cookie, null)).not.toBeNull();
  await expect(halfway(elsewhere)).rejects.toThrow('not halfway');
  expect(await countLiveFamilies()).toBe(0);
  expect(await events('factor.removed')).toMatchObject([{ details: { factor: 'totp', name: 'Phone' } }]);
  expect(await events('factor.renamed')).toMatchObject([{ details: { factor: 'totp', name: 'Phone' } }]);
  const subjects = (await mailTo('zoe@example.com')).map(({ subject }) => subject);
  for (const told of ['was set up', 'was renamed', 'was removed'])
    expect(subjects).toContainEqual(expect.stringContaining(`app ${told}`));
});

it('two tabs with a password-only session add a first authenticator app: one succeeds, and the second is rejected', async () => {
  for (let round = 0; round < 5; round += 1) {
    const tabs = [await signIn(), await signIn()];
    const added = await Promise.allSettled(
      tabs.map(async (cookie) =>
        addMyTotp(await actorOf(cookie), { ...(await page(cookie)), browser: browserWith(cookie) }),
      ),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [lost] = added.filter((one) => one.status === 'rejected');
    expect(['factor.app_exists', undefined]).toContain(lost?.reason.code);
    const { totps } = await listFactors(zoe.id);
    expect(totps).toHaveLength(1);
    const [won] = added.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await removeMyTotp(await actorOf(held(won?.cookie ?? '')), { id: totps[0]?.id ?? '' });
  }
});

it('a sixth authenticator app is rejected with second_step.apps_full', async () => {
  secret = await enrol(zoe.id);
  let cookie = await confirmed();
  const add = async () => {
    const browser = browserWith(cookie);
    const added = await addMyTotp(await actorOf(cookie), { ...(await page(cookie)), browser });
    cookie = held(added.cookie);
  };
  for (let at = 0; at < 4; at += 1) await add();
  expect((await refusal(add()))?.code).toBe('second_step.apps_full');
  expect((await listFactors(zoe.id)).totps).toHaveLength(5);
});
