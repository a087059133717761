import { expect, test } from 'vitest';
import { hashPassword, PasswordHashBusy, passwordQueue, verifyPassword } from './index.ts';

const QUEUE = 128;

test('LG-11: the queue of password checks is bounded; what it can not hold is refused at once, and it recovers', async () => {
  const hashed = await hashPassword('right');
  const order: string[] = [];
  const checks = Array.from({ length: QUEUE + 40 }, () =>
    verifyPassword(hashed, 'right').then(
      (right) => order.push(`verified ${right}`),
      (error: unknown) => order.push(error instanceof PasswordHashBusy ? 'refused' : 'broken'),
    ),
  );
  await Promise.all(checks);
  const refused = order.filter((one) => one === 'refused').length;
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(40);
  expect(order.slice(0, refused).every((one) => one === 'refused')).toBe(true);
  expect(order.slice(refused).every((one) => one === 'verified true')).toBe(true);
  expect(passwordQueue()).toEqual({ running: 0, waiting: 0 });
  expect(await verifyPassword(hashed, 'wrong')).toBe(false);
});

test('a hash that is none verifies nothing and breaks nothing', async () => {
  for (const bad of ['', 'x', '$argon2id$', '$2b$10$abcdefghijklmnopqrstuv'])
    expect(await verifyPassword(bad, 'x')).toBe(false);
});
