// Merges the metrics of several workers: adds up counters, histograms, and the gauges for which a sum is meaningful
// (prom-client defines the aggregation). The counts of workers that have ended are kept, because Prometheus would
// treat a smaller sum as a restart.
import type { Registry } from 'prom-client';

/**
 * One metric of one process, in the format of prom-client's getMetricsAsJSON. In JSON, null replaces numbers that are
 * not finite.
 */
export type Metric = {
  name: string;
  help: string;
  type: string;
  aggregator: string;
  values: { value: number; labels: object; metricName?: string }[];
};
export type MetricsText = { contentType: string; text: string };

/** The metrics of one process. */
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

/** The sum of several processes, as text for Prometheus. */
export async function sumMetrics(parts: Metric[][]): Promise<MetricsText> {
  const sum = await sumOf(parts);
  return { contentType: sum.contentType, text: await sum.metrics() };
}

/** Adds up the counters and histograms of ended processes. Gauges are dropped, because they can decrease. */
export async function remainingMetrics(parts: Metric[][]): Promise<Metric[]> {
  const all = await metricsOf(await sumOf(parts));
  return all.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** Creates a metric from a number that the supervisor itself measured. */
export function metricOf(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { type, name, help, aggregator: 'sum', values: [{ value, labels: {} }] };
}
