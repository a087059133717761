import { afterEach, expect, test, vi } from 'vitest';
import { RegistryChanged, type Snapshot } from '#lib/store/snapshot.ts';
import { onCurrentRegistry } from './request.ts';

const snapshot = { version: '1' } as Snapshot;
vi.mock('#lib/store/snapshot.ts', async (original) => ({
  ...(await original<object>()),
  catchUp: async () => undefined,
}));
const use = { read: async () => snapshot, clientId: async () => null };
const clock = vi.spyOn(performance, 'now');
afterEach(() => clock.mockReset());

test('a slow request is retried if APIs or clients change during the request', async () => {
  let [now, asked] = [0, 0];
  clock.mockImplementation(() => now);
  const answer = await onCurrentRegistry(use, async () => {
    now += 10_000;
    asked += 1;
    if (asked === 1) throw new RegistryChanged('the registry has changed');
    return 'answered';
  });
  expect(answer).toBe('answered');
});

test('a request fails after three seconds of continuous changes to the registry', async () => {
  let [now, asked] = [0, 0];
  clock.mockImplementation(() => now);
  const answer = onCurrentRegistry(use, async () => {
    now += 1_000;
    asked += 1;
    throw new RegistryChanged('the registry has changed');
  });
  await expect(answer).rejects.toThrow('The configuration is being changed');
  expect(asked).toBe(4);
});
