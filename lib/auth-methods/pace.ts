// While there are password hashes of other services, every check takes as long as the slowest kind of them and of ours:
// the time must not tell which addresses have such an account. Asked once a minute, since an import may run meanwhile.
import { log, paceChecks, processWide } from '#lib/kit/index.ts';
import { keptSamples } from '#lib/store/index.ts';

const EVERY_MS = 60_000;
type Pace = { kinds: string; askedAt: number; asked: Promise<void> };
const slot = processWide<Pace>('password-pace');

/** The first check of a process waits for it; later ones go on with what was found before. */
export async function paceOfChecks(): Promise<void> {
  const last = slot.value;
  if (last && performance.now() - last.askedAt < EVERY_MS) return last.asked;
  const next: Pace = { kinds: last?.kinds ?? '', askedAt: performance.now(), asked: Promise.resolve() };
  slot.value = next;
  const asked = measured(next).catch((error: Error) => {
    next.askedAt = Number.NEGATIVE_INFINITY;
    log().warn({ reason: error.message }, 'the kinds of password hashes could not be read');
  });
  if (!last) next.asked = asked;
  return next.asked;
}

async function measured(next: Pace): Promise<void> {
  const samples = await keptSamples();
  const kinds = samples.map(({ kind }) => kind).join(' ');
  if (kinds === next.kinds) return;
  const leastMs = await paceChecks(samples.map(({ hash }) => hash));
  log().info({ kinds, least_ms: leastMs }, 'password checks take as long as the slowest kind of hash');
  next.kinds = kinds;
}
