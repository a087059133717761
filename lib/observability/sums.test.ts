import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type Metric, metricOf, metricsOf, remainingMetrics, sumMetrics } from './sums.ts';

/** A worker whose messages are sent as JSON over a channel. */
async function workerThat(served: { requests: number; connections: number; seconds: number }) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Counter({ name: 'requests_total', help: 'r', labelNames: ['status'], registers }).inc(
    { status: '200' },
    served.requests,
  );
  new Gauge({ name: 'connections', help: 'c', registers }).set(served.connections);
  new Histogram({ name: 'seconds', help: 's', buckets: [0.1, 1], registers }).observe(served.seconds);
  return JSON.parse(JSON.stringify(await metricsOf(registry))) as Metric[];
}

const linesOf = async (parts: Metric[][]) => (await sumMetrics(parts)).text.split('\n');

test('/metrics adds up counters, gauges and histograms of all workers', async () => {
  const one = await workerThat({ requests: 3, connections: 2, seconds: 0.05 });
  const two = await workerThat({ requests: 4, connections: 5, seconds: 0.5 });
  const lines = await linesOf([one, two, [metricOf('gauge', 'workers', 'w', 2)]]);
  expect(lines).toEqual(
    expect.arrayContaining([
      'requests_total{status="200"} 7',
      'connections 7',
      'seconds_bucket{le="0.1"} 1',
      'seconds_bucket{le="1"} 2',
      'seconds_count 2',
      'workers 2',
      '# TYPE workers gauge',
      '# TYPE requests_total counter',
    ]),
  );
  expect(lines.filter((line) => line.startsWith('nodejs_version_info{'))).toHaveLength(1);
});

test('after a worker ends, counters in /metrics never decrease, and gauges of the worker disappear', async () => {
  const one = await workerThat({ requests: 3, connections: 2, seconds: 0.05 });
  const two = await workerThat({ requests: 4, connections: 5, seconds: 0.5 });
  const three = await workerThat({ requests: 1, connections: 1, seconds: 0.5 });
  const gone = await remainingMetrics([await remainingMetrics([[], one]), two]);
  const lines = await linesOf([gone, three]);
  expect(lines).toEqual(
    expect.arrayContaining(['requests_total{status="200"} 8', 'connections 1', 'seconds_count 3']),
  );
});

test('without workers, /metrics contains only the metrics of the supervisor', async () => {
  const lines = await linesOf([[], [metricOf('counter', 'replaced_total', 'r', 7)]]);
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['replaced_total 7']);
});
