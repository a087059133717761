// `node scripts/session-cookies.ts`: CPU cost of sealing and opening session cookies with iron-session and with
// lib/kit/seal, and cost of a forged cookie.
import { z } from 'zod';
import { processWide } from '#lib/kit/process.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { openCookie, sealCookie } from '#lib/sessions/session-rows.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { say } from './bench/report.ts';

const ROUNDS = 8_000;
const AT_ONCE = 16;
const PURPOSE = 'sign-in session';

loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
const shape = z.object({ ids: z.record(z.string(), z.string()) });
const value = { ids: { local: `ghs_${'x'.repeat(43)}` } };
const { secrets } = settings();
const cookie = await sealCookie(value, PURPOSE);
const own = sealJson(value, PURPOSE, secrets);

const open = (text: string) => openCookie(shape, text, PURPOSE);
const forget = () => {
  processWide('opened session cookies').value = undefined;
};
const forgeCookie = (part: number, text: string) => cookie.split('*').with(part, text).join('*');

const works: Record<string, () => unknown> = {
  'own seal: seal': () => sealJson(value, PURPOSE, secrets),
  'own seal: open': () => unsealJson(shape, own, PURPOSE, secrets),
  'iron-session: seal': () => sealCookie(value, PURPOSE),
  'iron-session: open, first time': () => {
    forget();
    return open(cookie);
  },
  'iron-session: open, again': () => open(cookie),
  'forged digest': () => open(cookie.replace(/.~2$/, cookie.endsWith('A~2') ? 'E~2' : 'A~2')),
  'forged digest, 4,000 characters': () => open(forgeCookie(4, 'f'.repeat(3_700))),
  'unknown key': () => open(forgeCookie(1, '7')),
  'long salt': () => open(forgeCookie(2, 'f'.repeat(3_700))),
  '16,000 characters': () => open(forgeCookie(4, 'f'.repeat(16_000))),
};

async function run(rounds: number, work: () => unknown): Promise<void> {
  const caller = async () => {
    for (let i = 0; i < rounds / AT_ONCE; i += 1) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

say(`the cookie has ${cookie.length} characters, with our own seal ${own.length}`);
for (const [name, work] of Object.entries(works)) {
  await run(ROUNDS / 4, work);
  const before = process.cpuUsage();
  await run(ROUNDS, work);
  const { user, system } = process.cpuUsage(before);
  say(`${name.padEnd(32)} ${((user + system) / ROUNDS).toFixed(0).padStart(6)} µs`);
}
