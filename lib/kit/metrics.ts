// What is counted and measured, once a process and for both doors. Counting costs a microsecond and happens always;
// whether anybody may read it, the settings say. Labels are few and fixed: never a name, a token or an address.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

function create() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Requests to the addresses of the core',
      labelNames: ['endpoint', 'method', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    tokens: new Counter({
      name: 'gatehouse_tokens_issued_total',
      help: 'Successful answers of the token addresses',
      labelNames: ['grant_type'],
      registers,
    }),
    refusals: new Counter({
      name: 'gatehouse_refusals_total',
      help: 'Answers with an OAuth error',
      labelNames: ['error'],
      registers,
    }),
    reuses: new Counter({
      name: 'gatehouse_reuse_detected_total',
      help: 'Used codes and refresh tokens that came again and ended their family',
      labelNames: ['kind'],
      registers,
    }),
  };
}

const SLOT = Symbol.for('gatehouse.metrics');
const slot = globalThis as unknown as { [SLOT]?: ReturnType<typeof create> };

function metrics() {
  slot[SLOT] ??= create();
  return slot[SLOT];
}

export function measureRequest(endpoint: string, method: string, status: number, seconds: number): void {
  metrics().requests.observe({ endpoint, method, status }, seconds);
}

export const countTokens = (grantType: string): void => metrics().tokens.inc({ grant_type: grantType });
export const countRefusal = (error: string): void => metrics().refusals.inc({ error });
export const countReuse = (kind: 'code' | 'refresh_token'): void => metrics().reuses.inc({ kind });

/** A value that is read when somebody asks. */
export function gauge(name: string, help: string, read: () => Record<string, number>): void {
  const { registry } = metrics();
  if (registry.getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, value] of Object.entries(read())) this.set({ state }, value);
    },
  });
}

/** Memory, event loop, garbage collection; only where metrics are read. */
export function measureProcess(): void {
  const { registry } = metrics();
  if (!registry.getSingleMetric('process_start_time_seconds')) collectDefaultMetrics({ register: registry });
}

export async function renderMetrics(): Promise<{ type: string; text: string }> {
  const { registry } = metrics();
  return { type: registry.contentType, text: await registry.metrics() };
}
