// Merges metrics of several workers into one service: sums counters, histograms and meaningful gauges (prom-client
// defines the aggregation). Counts of ended workers remain, because Prometheus would treat a smaller sum as a restart.
import type { Registry } from 'prom-client';

/** One metric of one process, in prom-client's getMetricsAsJSON format. JSON replaces non-finite numbers by null. */
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

/** Monotonic metrics of ended processes. */
export async function remainingMetrics(parts: Metric[][]): Promise<Metric[]> {
  const all = await metricsOf(await sumOf(parts));
  return all.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** A number measured by the supervisor itself. */
export function metricOf(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { type, name, help, aggregator: 'sum', values: [{ value, labels: {} }] };
}
