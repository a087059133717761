// Prometheus metrics. They are off unless a port or a token for them is set. The process has one registry, shared by
// the Node server and the Next routes.
import type { Counter, Histogram, Registry } from 'prom-client';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { runningCommit, VERSION } from '#lib/kit/version.ts';
import { poolStats } from '#lib/store/pool.ts';
import { addUsage, CALL_MS, OTHERS, type UsageCount } from '#lib/store/usage.ts';
import { type Metric, type MetricsText, metricsOf } from './sums.ts';
import { startSpan } from './tracing.ts';

type Metrics = {
  registry: Registry;
  requests: Counter<'endpoint' | 'method' | 'status' | 'error'>;
  seconds: Histogram<'endpoint'>;
  events: Counter<'event'>;
  signIns: Counter<'outcome'>;
  tokens: Counter<'grant'>;
  refusals: Counter<'error' | 'reason'>;
  calls: Histogram<'auth_method' | 'outcome'>;
};

const slot = processWide<Metrics | Promise<Metrics>>('metrics');

/** Starts counting. Further calls change nothing. */
export async function startMetrics(): Promise<void> {
  slot.value ??= create();
  slot.value = await slot.value;
}

/** The metrics of this process; null: metrics are off. */
function metrics(): Metrics | null {
  const slotValue = slot.value;
  return slotValue === undefined || slotValue instanceof Promise ? null : slotValue;
}

/**
 * These gauges are removed, because `promtool check metrics` rejects `_total` in the name of a gauge. prom-client
 * exports the same numbers by type, as `nodejs_active_*`.
 */
const GAUGES_NAMED_AS_COUNTERS = ['handles', 'requests', 'resources'].map(
  (what) => `nodejs_active_${what}_total`,
);

async function create(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of GAUGES_NAMED_AS_COUNTERS) registry.removeSingleMetric(name);
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'Always 1; the labels contain the version and the commit of the running build',
    labelNames: ['version', 'commit'],
    // all workers have the same value
    aggregator: 'first',
    registers,
  }).set({ version: VERSION, commit: runningCommit() }, 1);
  new Gauge({
    name: 'gatehouse_database_connections',
    help: 'Connections of this process to PostgreSQL, and callers that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(poolStats())) this.set({ state }, count);
    },
  });
  return {
    registry,
    requests: new Counter({
      name: 'gatehouse_requests_total',
      help: 'Answers of the protocol addresses; error is the OAuth error code, empty where there is none',
      labelNames: ['endpoint', 'method', 'status', 'error'],
      registers,
    }),
    seconds: new Histogram({
      name: 'gatehouse_request_duration_seconds',
      help: 'From the request to its answer, by address',
      labelNames: ['endpoint'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    events: new Counter({
      name: 'gatehouse_security_events_total',
      help: 'What an operator wants to be woken for: a refresh token used again, a code used again, a passkey that may have a copy',
      labelNames: ['event'],
      registers,
    }),
    signIns: new Counter({
      name: 'gatehouse_sign_ins_total',
      help: 'Attempts to sign in, by what became of them',
      labelNames: ['outcome'],
      registers,
    }),
    tokens: new Counter({
      name: 'gatehouse_tokens_total',
      help: 'Answers with an access token, by grant',
      labelNames: ['grant'],
      registers,
    }),
    refusals: new Counter({
      name: 'gatehouse_refusals_total',
      help: 'Requests of clients that were refused under an issuer, by error code and by the reason that the client is not told',
      labelNames: ['error', 'reason'],
      registers,
    }),
    calls: new Histogram({
      name: 'gatehouse_auth_method_duration_seconds',
      help: 'How long verifiers and brokers took to answer, or to fail',
      labelNames: ['auth_method', 'outcome'],
      buckets: CALL_MS.map((ms) => ms / 1_000),
      registers,
    }),
  };
}

export function countSecurityEvent(event: 'token.reused' | 'code.reused' | 'passkey.counter_back'): void {
  metrics()?.events.inc({ event });
}

/** The metrics of this process. */
export async function ownMetrics(): Promise<Metric[]> {
  await startMetrics();
  const registry = metrics()?.registry;
  return registry ? metricsOf(registry) : [];
}

// stored once per process, because the route /metrics runs in another copy of this module, which Next loads
const elsewhere = processWide<() => Promise<string>>('metrics.elsewhere');

/** Sets the source of /metrics if there are several workers: the sums of all workers. */
export function readMetricsFrom(sums: () => Promise<string>): void {
  elsewhere.value = sums;
}

/** The text for Prometheus, with its content type. */
export async function readMetrics(): Promise<MetricsText> {
  await startMetrics();
  const registry = metrics()?.registry;
  const text = elsewhere.value ? await elsewhere.value() : await registry?.metrics();
  return { contentType: registry?.contentType ?? 'text/plain', text: text ?? '' };
}

// Counters of this process in memory: for /metrics if it is enabled, and always for the usage page. Counting needs a
// lookup in a Map and an addition, so no request waits for the database. Once a minute, a single statement adds the
// sums to the table `usage_counts`.

/** A known issuer or sign-in method. Ids that do not exist are not counted. */
export type Where = { apiId?: string | undefined; authMethodId?: string | undefined };

type Counted = Omit<UsageCount, 'at' | 'n'>;
type Tally = {
  sums: Map<string, UsageCount>;
  labels: Set<string>;
  storing: Promise<void>;
  /** time by `performance.now()` */
  storedAt: number;
  stop?: (() => Promise<void>) | undefined;
};

const FLUSH_MS = 60_000;
const BUCKET_MS = 300_000;
/**
 * Maximum number of sums in memory. Above it, counts no longer distinguish APIs and methods. Above twice this number,
 * new combinations are not counted.
 */
const MAX_SUMS = 1_000;
/** Maximum number of methods that the metrics name. */
const MAX_LABELS = 100;

const tallies = processWide<Tally>('tally');

function tally(): Tally {
  tallies.value ??= {
    sums: new Map(),
    labels: new Set(),
    storing: Promise.resolve(),
    storedAt: Number.NEGATIVE_INFINITY,
  };
  return tallies.value;
}

export type SignInOutcome = 'succeeded' | 'refused' | 'unavailable' | 'limited';

export function countSignIn(where: Where, outcome: SignInOutcome): void {
  metrics()?.signIns.inc({ outcome });
  count(where, { kind: 'sign-in', what: outcome });
}

/** `grant`: a grant of RFC 6749, or `token-exchange`. */
export function countToken(where: Where, grant: string): void {
  metrics()?.tokens.inc({ grant });
  count(where, { kind: 'token', what: grant });
}

/** `reason` comes from a fixed list. It is empty if the error code is sufficient. */
export function countRefusal(where: Where, error: string, reason: string): void {
  metrics()?.refusals.inc({ error, reason });
  count(where, { kind: 'refusal', what: error, detail: reason });
}

/**
 * Counts a call to a verifier or broker. `failed`: the call got no usable response. `began`: start time by
 * `performance.now()`.
 */
export function countCall(authMethodId: string, outcome: 'answered' | 'failed', began: number): void {
  const took = Math.ceil(performance.now() - began);
  metrics()?.calls.observe({ auth_method: labelOf(authMethodId), outcome }, took / 1_000);
  const detail = String(CALL_MS.find((limit) => took <= limit) ?? 'more');
  count({ authMethodId }, { kind: 'call', what: outcome, detail, longest: took });
}

/**
 * Label of a method in the metrics: only the first methods get their own name, to limit the number of time series.
 */
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

function add(usageCount: UsageCount): void {
  const { sums } = tally();
  const sum = sums.get(keyOf(usageCount));
  if (sum) {
    sum.n += usageCount.n;
    sum.longest = Math.max(sum.longest, usageCount.longest);
  } else if (sums.size < MAX_SUMS) sums.set(keyOf(usageCount), usageCount);
  else if (usageCount.apiId !== OTHERS) add({ ...usageCount, apiId: OTHERS, authMethodId: OTHERS });
  else if (sums.size < 2 * MAX_SUMS) sums.set(keyOf(usageCount), usageCount);
}

const keyOf = ({ at, kind, what, detail, apiId, authMethodId }: UsageCount): string =>
  `${at.getTime()} ${kind} ${what} ${detail} ${apiId} ${authMethodId}`;

/**
 * Adds the counters to the table. Concurrent calls run one after the other, so that nothing is stored twice. Never
 * rejects.
 */
export function storeUsage(): Promise<void> {
  const usageTally = tally();
  usageTally.storing = usageTally.storing.then(store);
  return usageTally.storing;
}

async function store(): Promise<void> {
  const usageTally = tally();
  if (usageTally.sums.size === 0) return;
  usageTally.storedAt = performance.now();
  const counts = [...usageTally.sums.values()];
  usageTally.sums = new Map();
  try {
    // counts that could not be stored are added to the present counts, and stored next time
    if (!(await addUsage(counts))) counts.forEach(add);
  } catch (error) {
    log().warn({ reason: (error as Error).message }, 'what was counted may be lost');
  }
}

/** Stores the counters, at most once a minute. Requests call it on a host without long-running processes. */
export async function storeUsageIfDue(): Promise<void> {
  if (performance.now() - tally().storedAt >= FLUSH_MS) await storeUsage();
}

/**
 * Stores the counters once a minute. The timer is started once per process. Returns a function that stops it and
 * stores the rest.
 */
export function startUsage(): () => Promise<void> {
  const usageTally = tally();
  usageTally.stop ??= start();
  return usageTally.stop;
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

/** Records the span and the metrics of a request to an endpoint. If both are off, this costs nothing. */
export async function observeRequest(
  pattern: string,
  request: HttpRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const counting = metrics();
  const span = startSpan(
    `${request.method} ${pattern}`,
    {
      'http.request.method': request.method,
      'http.route': pattern,
      'gatehouse.request_id': request.requestId,
    },
    request.headers['traceparent'],
  );
  if (!counting && !span) return work();
  const started = performance.now();
  const answer = await work();
  const { status, error = '' } = answer;
  counting?.requests.inc({ endpoint: pattern, method: request.method, status, error });
  counting?.seconds.observe({ endpoint: pattern }, (performance.now() - started) / 1_000);
  span?.setAttributes({
    'http.response.status_code': status,
    ...(error === '' ? {} : { 'error.type': error }),
  });
  // 2 is SpanStatusCode.ERROR
  if (status >= 500) span?.setStatus({ code: 2 });
  span?.end();
  return answer;
}
