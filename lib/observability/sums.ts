// The metrics of several workers as those of one service: counters and histograms are added up, gauges too where that
// means something (prom-client knows it of each). What a worker counted before its end remains in the sums, or
// Prometheus would take the smaller sum for a restart of all.
import type { Registry } from 'prom-client';

/**
 * What one process has of one metric, as prom-client's getMetricsAsJSON gives it; in JSON what is no number is null.
 */
export type Metric = {
  name: string;
  help: string;
  type: string;
  aggregator: string;
  values: { value: number; labels: object; metricName?: string }[];
};
export type MetricsText = { contentType: string; text: string };

/** Of one process. */
export async function metricsOf(registry: Registry): Promise<Metric[]> {
  const all = await registry.getMetricsAsJSON();
  return all.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type: String(type),
    aggregator,
    values,
  }));
}

async function sumOf(parts: Metric[][]): Promise<Registry> {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(parts);
}

/** The text for Prometheus. */
export async function sumMetrics(parts: Metric[][]): Promise<MetricsText> {
  const sum = await sumOf(parts);
  return { contentType: sum.contentType, text: await sum.metrics() };
}

/** What remains of processes that have ended: what only ever rises. */
export async function remainingMetrics(parts: Metric[][]): Promise<Metric[]> {
  const all = await metricsOf(await sumOf(parts));
  return all.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** A number that the supervisor knows itself. */
export function metricOf(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { type, name, help, aggregator: 'sum', values: [{ value, labels: {} }] };
}
