// What this process did, as sums in memory: for /metrics where that is on, and for the operators' page always. Counting
// is a look-up in a Map and an addition; no request waits for the database because of it. Once a minute the sums are
// added to the table `usage_counts`, all of them in one statement.
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { addUsage, CALL_MS, OTHERS, type UsageCount } from '#lib/store/log/usage.ts';
import { metrics } from './metrics.ts';

/** A known issuer, or only a known method; never a made-up one. */
export type Where = { apiId?: string | undefined; authMethodId?: string | undefined };

type Counted = Omit<UsageCount, 'at' | 'n'>;
type Tally = {
  sums: Map<string, UsageCount>;
  labels: Set<string>;
  storing: Promise<void>;
  /** of `performance.now()` */
  storedAt: number;
  stop?: (() => Promise<void>) | undefined;
};

const FLUSH_MS = 60_000;
const BUCKET_MS = 300_000;
/**
 * Sums in memory. With as many, APIs and methods are no longer told apart; with twice as many nothing new is counted.
 */
const MAX_SUMS = 1_000;
/** Methods that the metrics name. */
const MAX_LABELS = 100;

const slot = processWide<Tally>('tally');

function tally(): Tally {
  slot.value ??= {
    sums: new Map(),
    labels: new Set(),
    storing: Promise.resolve(),
    storedAt: Number.NEGATIVE_INFINITY,
  };
  return slot.value;
}

export type SignInOutcome = 'succeeded' | 'refused' | 'unavailable' | 'limited';

export function countSignIn(where: Where, outcome: SignInOutcome): void {
  metrics()?.signIns.inc({ outcome });
  count(where, { kind: 'sign-in', what: outcome });
}

/** `grant`: of RFC 6749, or `token-exchange`. */
export function countToken(where: Where, grant: string): void {
  metrics()?.tokens.inc({ grant });
  count(where, { kind: 'token', what: grant });
}

/** `reason`: one of a fixed list; empty where the error says it all. */
export function countRefusal(where: Where, error: string, reason: string): void {
  metrics()?.refusals.inc({ error, reason });
  count(where, { kind: 'refusal', what: error, detail: reason });
}

/** A verifier or broker was asked. `failed`: it gave no usable answer. `began`: of `performance.now()`. */
export function countCall(authMethodId: string, outcome: 'answered' | 'failed', began: number): void {
  const took = Math.ceil(performance.now() - began);
  metrics()?.calls.observe({ auth_method: labelOf(authMethodId), outcome }, took / 1_000);
  const detail = String(CALL_MS.find((limit) => took <= limit) ?? 'more');
  count({ authMethodId }, { kind: 'call', what: outcome, detail, longest: took });
}

/** Of the metrics: the first methods have their names, however many there are. */
function labelOf(authMethodId: string): string {
  const { labels } = tally();
  if (labels.size < MAX_LABELS) labels.add(authMethodId);
  return labels.has(authMethodId) ? authMethodId : OTHERS;
}

function count(where: Where, counted: Pick<Counted, 'kind' | 'what'> & Partial<Counted>): void {
  const at = new Date(Math.floor(now().getTime() / BUCKET_MS) * BUCKET_MS);
  const { apiId = '', authMethodId = '' } = where;
  add({ detail: '', longest: 0, ...counted, apiId, authMethodId, at, n: 1 });
}

function add(one: UsageCount): void {
  const { sums } = tally();
  const known = sums.get(keyOf(one));
  if (known) {
    known.n += one.n;
    known.longest = Math.max(known.longest, one.longest);
  } else if (sums.size < MAX_SUMS) sums.set(keyOf(one), one);
  else if (one.apiId !== OTHERS) add({ ...one, apiId: OTHERS, authMethodId: OTHERS });
  else if (sums.size < 2 * MAX_SUMS) sums.set(keyOf(one), one);
}

const keyOf = ({ at, kind, what, detail, apiId, authMethodId }: UsageCount): string =>
  `${at.getTime()} ${kind} ${what} ${detail} ${apiId} ${authMethodId}`;

/**
 * Adds what has been counted to the table. One after the other, so that two at once store nothing twice. Never rejects.
 */
export function storeUsage(): Promise<void> {
  const one = tally();
  one.storing = one.storing.then(store);
  return one.storing;
}

async function store(): Promise<void> {
  const one = tally();
  if (one.sums.size === 0) return;
  one.storedAt = performance.now();
  const counts = [...one.sums.values()];
  one.sums = new Map();
  try {
    // what was surely not stored waits for the next time, among what has been counted meanwhile
    if (!(await addUsage(counts))) counts.forEach(add);
  } catch (error) {
    log().warn({ reason: (error as Error).message }, 'what was counted may be lost');
  }
}

/** For hosts without lasting processes, after a request: stores if that has not been done for a minute. */
export async function storeUsageIfDue(): Promise<void> {
  if (performance.now() - tally().storedAt >= FLUSH_MS) await storeUsage();
}

/** Stores once a minute, in a process once; gives the way to stop, which stores the rest. */
export function startUsage(): () => Promise<void> {
  const one = tally();
  one.stop ??= start();
  return one.stop;
}

function start(): () => Promise<void> {
  const timer = setInterval(() => void storeUsage(), FLUSH_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    tally().stop = undefined;
    return storeUsage();
  };
}
