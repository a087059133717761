// While there are password hashes of other services, every check takes as long as the slowest kind of them and of ours:
// the time must not tell which addresses have such an account. The kinds are read once a minute, and at the first check
// after an import has brought one; they are measured again at growing intervals, since a busy machine lengthens a time.
import { log } from '#lib/kit/log.ts';
import { paceChecks } from '#lib/kit/password-hash.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import { keptSamples } from '#lib/store/sign-in/kept-hashes.ts';

const EVERY_MS = 60_000;
const MOST_MS = 3_600_000;

/** `epoch`: of the imports that it knows. `againAt`: when the same kinds are measured again. */
type Pace = {
  epoch: number;
  kinds: string;
  askedAt: number;
  againAt: number;
  againInMs: number;
  asked: Promise<void>;
};
const slot = processWide<Pace>('password-pace');

/** The first check of a process, or after an import, waits for it; later ones go on with what was found before. */
export async function paceOfChecks(): Promise<void> {
  const last = slot.value;
  const { keptEpoch: epoch } = await recentSnapshot();
  const known = last !== undefined && last.epoch >= epoch;
  if (known && performance.now() - last.askedAt < EVERY_MS) return last.asked;
  const next: Pace = {
    ...{ epoch, kinds: last?.kinds ?? '', askedAt: performance.now() },
    ...{ againAt: last?.againAt ?? 0, againInMs: last?.againInMs ?? EVERY_MS },
    asked: Promise.resolve(),
  };
  slot.value = next;
  const asked = measured(next).catch((error: Error) => {
    next.askedAt = Number.NEGATIVE_INFINITY;
    log().warn({ reason: error.message }, 'the kinds of password hashes could not be read');
  });
  if (!known) next.asked = asked;
  return next.asked;
}

async function measured(next: Pace): Promise<void> {
  const samples = await keptSamples();
  const kinds = samples.map(({ kind }) => kind).join(' ');
  const isNew = kinds !== next.kinds;
  if (!isNew && (kinds === '' || performance.now() < next.againAt)) return;
  const leastMs = await paceChecks(samples);
  next.againInMs = isNew ? EVERY_MS : Math.min(2 * next.againInMs, MOST_MS);
  next.againAt = performance.now() + next.againInMs;
  next.kinds = kinds;
  if (isNew)
    log().info({ kinds, least_ms: leastMs }, 'password checks take as long as the slowest kind of hash');
}
