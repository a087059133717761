// A planned rotation from the view of verifiers that fetch the key set by a timer, and never because of an unknown kid.
import { afterEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { ID_TOKEN_SECONDS } from '#lib/store/keys.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { currentKey, publicKeys, rotateDueKeys, rotateKeys } from './keys.ts';

const MINUTE = 60_000;
afterEach(() => shiftClock(0));

/**
 * Counts the minutes of the next 26 hours in which a verifier with such a timer rejects a new token or one
 * that expires soon.
 */
async function refusedMinutes(everyMinutes: number): Promise<number> {
  const snapshot = await currentSnapshot();
  const kidsAt = (minute: number) => {
    shiftClock(minute * MINUTE);
    return publicKeys(snapshot).keys.map(({ kid }) => kid);
  };
  const signers: string[] = [];
  let refused = 0;
  for (let minute = 0; minute < 26 * 60; minute += 1) {
    const known = kidsAt(minute - (minute % everyMinutes));
    shiftClock(minute * MINUTE);
    signers.push((await currentKey('ES256', snapshot)).kid);
    const oldest = signers[Math.max(0, minute - ID_TOKEN_SECONDS / 60)];
    if (!known.includes(signers[minute]) || !known.includes(oldest)) refused += 1;
  }
  expect(new Set(signers).size).toBe(2);
  shiftClock(0);
  return refused;
}

const age = (days: number) =>
  query({ text: 'update signing_keys set signs_from = now() - make_interval(days => $1)', values: [days] });

test('OpenID Connect Core §10.1.1: a verifier that fetches keys every 20 minutes rejects no token during a planned rotation', async () => {
  await currentKey('ES256', await currentSnapshot());
  await age(88);
  await rotateDueKeys();
  expect(publicKeys(await currentSnapshot()).keys).toHaveLength(1);
  await age(89);
  await rotateDueKeys();
  await rotateDueKeys();
  expect(publicKeys(await currentSnapshot()).keys).toHaveLength(2);
  expect(await refusedMinutes(20)).toBe(0);
});

test('an emergency key signs 150 seconds after its creation', async () => {
  await query({ text: 'delete from signing_keys', values: [] });
  await currentKey('ES256', await currentSnapshot());
  await age(1);
  const before = (await currentKey('ES256', await currentSnapshot())).kid;
  await rotateKeys();
  const snapshot = await currentSnapshot();
  shiftClock(140_000);
  expect((await currentKey('ES256', snapshot)).kid).toBe(before);
  shiftClock(155_000);
  expect((await currentKey('ES256', snapshot)).kid).not.toBe(before);
});
