// Prometheus metrics. Off unless a port or a token for them is set; one registry for the process, shared by both doors.
import type { Counter, Histogram, Registry } from 'prom-client';
import { processWide } from '#lib/kit/process-wide.ts';
import { runningCommit, VERSION } from '#lib/kit/version.ts';
import { poolStats } from '#lib/store/database/pool.ts';
import { CALL_MS } from '#lib/store/log/usage.ts';
import { type Metric, type MetricsText, metricsOf } from './sums.ts';

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

/** Null: metrics are off. */
export function metrics(): Metrics | null {
  const found = slot.value;
  return found === undefined || found instanceof Promise ? null : found;
}

/** prom-client repeats them as `nodejs_active_*` by type; `promtool check metrics` rejects `_total` in a gauge's name. */
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
    // the same in each worker
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

/** What this process has counted. */
export async function ownMetrics(): Promise<Metric[]> {
  await startMetrics();
  const registry = metrics()?.registry;
  return registry ? metricsOf(registry) : [];
}

// once in the process: the address /metrics is in Next's copy
const elsewhere = processWide<() => Promise<string>>('metrics.elsewhere');

/** One of several workers: who asks for metrics gets the sums of all of them. */
export function readMetricsFrom(sums: () => Promise<string>): void {
  elsewhere.value = sums;
}

/** The text for Prometheus, and its content type. */
export async function readMetrics(): Promise<MetricsText> {
  await startMetrics();
  const registry = metrics()?.registry;
  const text = elsewhere.value ? await elsewhere.value() : await registry?.metrics();
  return { contentType: registry?.contentType ?? 'text/plain', text: text ?? '' };
}
