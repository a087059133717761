// Linking methods: cases in which a proof is not enough, and the notices about linking.
import { beforeEach, expect, test } from 'vitest';
import { givenClient, givenFamily, mailTo, refusal, sql } from '#testing/data/registry.ts';
import { givenLocal, givenMethods, givenStranger, owners, proofOf } from '#testing/in-process/links.ts';
import { linkIdentity, readJoin } from './links.ts';
import { OPERATOR } from './policy.ts';

beforeEach(givenMethods);
const givenAlice = () => givenLocal('alice');

test('linking also notifies the linked account’s verified address', async () => {
  const alice = await givenAlice();
  const known = await givenStranger('k-3', { email: 'vera@work.example' });
  await givenClient(OPERATOR);
  await givenFamily({ ...alice.actor, id: known.personId });
  await linkIdentity(alice.actor, { proof: await proofOf(known.personId, alice) });
  for (const address of ['alice@example.com', 'vera@work.example'])
    expect((await mailTo(address)).map(({ subject }) => subject)).toContain(
      'Gatehouse: a sign-in method was added',
    );
});

test('an account with a second factor cannot be linked, because the user proved only its password or its broker sign-in', async () => {
  const mallory = await givenAlice();
  const vera = await givenStranger('v-1', { method: 'ext' });
  const proof = await proofOf(vera.personId, mallory, { method: 'ext' });
  // the second factor was set up after the proof, and the state at the time of linking decides
  await sql('update people set factor_level = 1 where id = $1', [vera.personId]);
  for (const attempt of [
    () => readJoin(mallory.actor, { proof }),
    () => linkIdentity(mallory.actor, { proof }),
  ])
    expect(await refusal(attempt())).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('its own second factor'),
    });
  expect(await owners()).toEqual([vera.personId]);
  expect(await sql('select disabled_at from people where id = $1', [vera.personId])).toEqual([
    { disabled_at: null },
  ]);
});
