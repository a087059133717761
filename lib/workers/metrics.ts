// /metrics as the sum of all workers.
import { type Metric, type MetricsText, metricOf, sumMetrics } from '#lib/observability/sums.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Milliseconds to wait for the metrics of a worker. After that, its last known metrics are used. */
const WAIT_MS = 1_000;

/** `ended`: metrics of workers that have ended. */
export async function sumsOf(of: {
  ended: Metric[];
  workers: readonly WorkerProcess[];
  ready: number;
  replaced: number;
}): Promise<MetricsText> {
  const each = await Promise.all(of.workers.map((worker) => worker.metrics(WAIT_MS)));
  const supervisorMetrics = [
    metricOf('gauge', 'gatehouse_workers', 'Workers that serve', of.ready),
    metricOf(
      'counter',
      'gatehouse_workers_replaced_total',
      'Workers that ended and were replaced',
      of.replaced,
    ),
  ];
  return sumMetrics([of.ended, ...each, supervisorMetrics]);
}
