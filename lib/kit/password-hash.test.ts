import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { asStranger, typed } from '#testing/in-process/typed.ts';
import {
  type Asker,
  type HashRequest,
  measuredBeside,
  needsRehash,
  PasswordHashBusy,
  paceChecks,
  passwordQueue,
  refuseWhenBusy,
  sharePasswordChecks,
  verifyNobody,
  verifyPassword,
} from './password-hash.ts';

const QUEUE = 128;
const asKnown: HashRequest = { asker: 'known', from: null };
/** A hash that is quick to compute, because these tests examine only the order of checks. */
const hashed = await hash('right', { algorithm: 2, memoryCost: 256, timeCost: 1, parallelism: 1 });

test('LG-11: the queue of password checks is limited, and checks beyond the limit are rejected immediately until the queue shrinks', async () => {
  const order: string[] = [];
  const checks = Array.from({ length: QUEUE + 40 }, () =>
    verifyPassword(hashed, typed('right')).then(
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
  expect(await verifyPassword(hashed, typed('wrong'))).toBe(false);
});

test('an error caused by a full queue at the first check of an unknown account is not cached', async () => {
  const full = Array.from({ length: QUEUE + 40 }, () =>
    verifyPassword(hashed, typed('right')).catch(() => null),
  );
  await expect(verifyNobody(typed('x'))).rejects.toThrow(PasswordHashBusy);
  await Promise.all(full);
  expect(await verifyNobody(typed('x'))).toBe(false);
});

test('LG-11: sign-ins from known browsers take precedence while unknown browsers fill the queue', async () => {
  const order: string[] = [];
  const strangers = Array.from({ length: QUEUE + 40 }, () =>
    verifyPassword(hashed, typed('wrong')).then(
      () => order.push('stranger'),
      () => order.push('refused'),
    ),
  );
  expect(() => refuseWhenBusy(asStranger)).toThrow(PasswordHashBusy);
  refuseWhenBusy(asKnown);
  const known = verifyPassword(hashed, typed('right'), asKnown).then((right) => order.push(`known ${right}`));
  await Promise.all([...strangers, known]);
  const checked = order.filter((one) => one !== 'refused');
  // only running checks ended before the check of the known browser
  expect(checked.indexOf('known true')).toBeLessThanOrEqual(availableParallelism());
  expect(passwordQueue()).toEqual({ running: 0, waiting: 0 });
});

test.each([
  ['new passwords', 'newcomer', 'stranger'],
  ['sign-ins of strangers', 'stranger', 'newcomer'],
  ['sign-ins of known browsers', 'known', 'stranger'],
] as const)(
  'any number of %s leaves a part of the password checks to other sign-ins',
  async (_, flood, other) => {
    const order: string[] = [];
    const check = (asker: Asker) =>
      verifyPassword(hashed, typed('right'), { asker, from: null }).then(() => order.push(asker));
    const many = Array.from({ length: 30 }, () => check(flood));
    const few = Array.from({ length: 4 }, () => check(other));
    await Promise.all([...many, ...few]);
    const before = order.slice(0, order.indexOf(other)).length;
    // only the checks that were already running, and three consecutive checks of one kind, ended before the first
    // check of the other kind
    expect(before).toBeLessThanOrEqual(availableParallelism() + 3);
    expect(order.lastIndexOf(other)).toBeLessThanOrEqual(availableParallelism() + 4 * 4);
    expect(passwordQueue()).toEqual({ running: 0, waiting: 0 });
  },
);

test('LG-11: each of four workers gets a quarter of the queue', async () => {
  sharePasswordChecks(4);
  try {
    const checks = Array.from({ length: QUEUE }, () => verifyPassword(hashed, typed('right')));
    const kept = (await Promise.allSettled(checks)).filter(({ status }) => status === 'fulfilled').length;
    expect(kept).toBeGreaterThanOrEqual(QUEUE / 4);
    expect(kept).toBeLessThanOrEqual(QUEUE / 4 + Math.max(1, availableParallelism() / 4));
  } finally {
    sharePasswordChecks(1);
  }
});

test('an invalid stored hash matches no password and throws no error', async () => {
  for (const bad of ['', 'x', '$argon2id$', '$2b$10$abcdefghijklmnopqrstuv'])
    expect(await verifyPassword(bad, typed('x'))).toBe(false);
});

test('if the store has imported hashes that are slower, every password check takes at least their time', async () => {
  // made with `htpasswd -nbBC 10`
  const leastMs = await paceChecks([
    { kind: '2y$10', hash: '$2y$10$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q' },
  ]);
  try {
    const began = performance.now();
    await verifyNobody(typed('x'));
    // timers may fire one millisecond early
    expect(performance.now() - began).toBeGreaterThanOrEqual(leastMs - 1);
  } finally {
    expect(await paceChecks([])).toBe(0);
  }
});

test('the minimum time of a password check is at most one second, and each hash kind keeps its shortest measured time', async () => {
  // made with `htpasswd -nbBC 14`
  const dear = { kind: '2y$14', hash: '$2y$14$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q' };
  const cheap = { kind: '2y$09', hash: '$2y$09$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q' };
  try {
    expect(await paceChecks([dear])).toBeLessThanOrEqual(1_000);
    const busy = Array.from({ length: 4 }, () => hash('other work', { memoryCost: 19_456 }));
    const [underLoad, together] = await Promise.all([paceChecks([cheap]), paceChecks([cheap])]);
    await Promise.all(busy);
    expect(together).toBeLessThanOrEqual(underLoad);
    expect(await paceChecks([cheap])).toBeLessThanOrEqual(together);
  } finally {
    expect(await paceChecks([])).toBe(0);
  }
}, 30_000);

test('hash kinds that are imported during a measurement are measured afterwards', async () => {
  const cheap = { kind: '2y$04', hash: '$2y$04$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q' };
  const results = await Promise.all([
    paceChecks([]),
    paceChecks([cheap]),
    paceChecks([cheap]),
    paceChecks([]),
  ]);
  expect(results).toEqual([0, expect.any(Number), results[1], 0]);
  expect(results[1]).toBeGreaterThan(0);
});

test('a full queue of password checks alternates between a flooding network and other networks, and drops entries of the flooding network', async () => {
  const order: string[] = [];
  const check = (from: string) =>
    verifyPassword(hashed, typed('wrong'), { asker: 'stranger', from }).then(
      () => order.push(from),
      () => order.push(`${from} refused`),
    );
  const flood = Array.from({ length: QUEUE + 40 }, () => check('flood'));
  const others = ['one', 'two', 'one'].map(check);
  await Promise.all([...flood, ...others]);
  const checked = order.filter((one) => !one.endsWith('refused'));
  expect(order).not.toContain('one refused');
  expect(order).not.toContain('two refused');
  // only the checks that were already running, and one check of the flood per turn, ended before the last check of
  // `one`
  expect(checked.lastIndexOf('one')).toBeLessThanOrEqual(availableParallelism() + 6);
  expect(order.filter((one) => one === 'flood refused').length).toBeGreaterThanOrEqual(3);
  expect(passwordQueue()).toEqual({ running: 0, waiting: 0 });
});

test('if imported hashes are faster, a current hash is measured too, because unknown people are checked with it', async () => {
  const cheap = '$2y$04$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q';
  const [first, ours, ...more] = await measuredBeside([{ kind: '2y$04', hash: cheap }]);
  expect([first?.hash, needsRehash(ours?.hash ?? ''), more]).toEqual([cheap, false, []]);
  expect(await measuredBeside([])).toEqual([]);
});
