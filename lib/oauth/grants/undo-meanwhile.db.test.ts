// Undoing an approval during a token request: either the token is issued and the undo fails, or the undo succeeds and
// no token is issued. A token issued meanwhile is inactive while the subscription is pending.
import { beforeAll, expect, test } from 'vitest';
import {
  decideSubscription,
  readSubscription,
  undoDecision,
} from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { sql } from '#testing/data/registry.ts';
import { jsonOf } from '#testing/in-process/in-process.ts';
import { giveFormat, givenMachines } from '#testing/in-process/machines.ts';

const BOT = { clientId: 'bot', api: 'orders' };
let machines: Awaited<ReturnType<typeof givenMachines>>;
beforeAll(async () => {
  machines = await givenMachines();
  await giveFormat('opaque');
});

const waits = () =>
  sql("update subscriptions set state = 'pending', version = version + 1 where client_id = 'bot'");
const undo = () =>
  undoDecision(OPERATOR, BOT).catch((error: unknown) => {
    if (error instanceof Refused) return error.code;
    throw error;
  });

test('an approval with issued tokens cannot be undone', async () => {
  await waits();
  await decideSubscription(OPERATOR, { ...BOT, action: 'approve' });
  await machines.tokenFor();
  expect(await undo()).toBe('subscription.undo_used');
  expect((await readSubscription(OPERATOR, BOT)).state).toBe('approved');
});

test('of an undo of an approval and a concurrent token request, one succeeds', async () => {
  for (let round = 0; round < 20; round += 1) {
    await waits();
    await decideSubscription(OPERATOR, { ...BOT, action: 'approve' });
    const [undone, answer] = await Promise.all([undo(), machines.request()]);
    const { state } = await readSubscription(OPERATOR, BOT);
    if (undone === 'pending') {
      expect(state).toBe('pending');
      expect(await machines.outcome()).toBe('400 unauthorized_client');
      if (answer.status !== 200) continue;
      const token = String(jsonOf(answer)['access_token']);
      expect(await machines.introspect(token)).toEqual({ active: false });
    } else {
      expect([undone, state, answer.status]).toEqual(['subscription.undo_used', 'approved', 200]);
      const token = String(jsonOf(answer)['access_token']);
      expect(await machines.introspect(token)).toMatchObject({ active: true });
    }
  }
});
