// Speed of argon2id without the service: password checks per second with the service's parameters.
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword, verifyPassword } from '#lib/kit/password-hash.ts';
import { typed } from '#testing/in-process/typed.ts';
import { PASSWORD } from './values.ts';

const hashed = await hashPassword(typed(PASSWORD));
const seconds = Number(process.argv[2] ?? 4);
let done = 0;
let running = true;
const work = async () => {
  while (running) {
    if (await verifyPassword(hashed, typed(PASSWORD))) done += 1;
  }
};
const all = Array.from({ length: 8 }, work);
const started = performance.now();
await sleep(seconds * 1_000);
running = false;
await Promise.all(all);
process.stdout.write(`${(done * 1_000) / (performance.now() - started)}\n`);
