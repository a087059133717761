// Dashboard and alert rules in docs/monitoring: every metric and label that they use exists in /metrics, and the
// table in docs/operate/monitor.md matches. Prometheus' promtool accepts the rules (if Debian's package `prometheus`
// is installed).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runningCommit, VERSION } from '#lib/kit/version.ts';
import { sumsOf } from '../workers/metrics.ts';
import { ownMetrics, readMetrics } from './metrics.ts';
import { sumMetrics } from './sums.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const folder = path.join(docs, 'monitoring');
const rules = readFileSync(path.join(folder, 'alerts.yaml'), 'utf8');
const dashboard = readFileSync(path.join(folder, 'grafana-dashboard.json'), 'utf8');
const tests = readFileSync(path.join(folder, 'alerts.test.yaml'), 'utf8');

let given: Set<string>;

beforeAll(async () => {
  const [own, supervisor] = await Promise.all([
    readMetrics(),
    sumsOf({ ended: [], workers: [], ready: 1, replaced: 0 }),
  ]);
  const types = `${own.text}\n${supervisor.text}`.matchAll(/^# TYPE (\w+) (\w+)$/gm);
  given = new Set(
    [...types].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
});

const metricsIn = (text: string) => new Set(text.match(/\b(?:gatehouse|process|nodejs)_[a-z_0-9]+/g));

/** Rows in the table of metrics: the name and the labels. */
const told = new Map(
  [
    ...readFileSync(path.join(docs, 'operate/monitor.md'), 'utf8').matchAll(
      /^\| `(gatehouse_\w+)`\s*\|([^|]*)\|/gm,
    ),
  ].map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []]),
);

test.each([
  ['the rules', rules],
  ['the dashboard', dashboard],
  ['the tests of the rules', tests],
])('%s use only metrics that the endpoint /metrics returns', (_, text) => {
  const asked = metricsIn(text);
  expect(asked.size).toBeGreaterThan(5);
  expect([...asked].filter((name) => !given.has(name))).toEqual([]);
});

test('docs/operate/monitor.md lists exactly the metrics of Gatehouse', () => {
  const ours = [...given].filter((name) => name.startsWith('gatehouse_'));
  const parts = new Set(
    [...told.keys()].flatMap((name) => ['_bucket', '_sum', '_count'].map((end) => name + end)),
  );
  expect(ours.filter((name) => !told.has(name) && !parts.has(name))).toEqual([]);
  expect([...told.keys()].filter((name) => !given.has(name))).toEqual([]);
});

test('rules and dashboard use only the labels listed in the table of metrics', () => {
  const known = new Set([...[...told.values()].flat(), 'le', 'instance']);
  const text = `${rules}\n${dashboard.replaceAll('\\"', '"')}`;
  const matched = [...text.matchAll(/(\w+)(?:=|!=|=~|!~)"[^"]*"[,}]/g)].map(([, label = '']) => label);
  const grouped = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(
    ([, labels = '']) => labels.match(/\w+/g) ?? [],
  );
  expect(matched.length).toBeGreaterThan(10);
  expect([...new Set([...matched, ...grouped])].filter((label) => !known.has(label))).toEqual([]);
});

test('gatehouse_build_info contains version and commit, once for all workers', async () => {
  const own = await ownMetrics();
  const { text } = await sumMetrics([own, own]);
  expect(text).toContain(`gatehouse_build_info{version="${VERSION}",commit="${runningCommit()}"} 1\n`);
});

const promtool = (asked: readonly string[], input = '') =>
  spawnSync('promtool', asked, { cwd: folder, encoding: 'utf8', input });

test.skipIf(promtool(['--version']).status !== 0)(
  'promtool accepts every metric that /metrics returns',
  async () => {
    const { text } = await readMetrics();
    const { status, stdout, stderr } = promtool(['check', 'metrics'], text);
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  },
);

test.skipIf(promtool(['--version']).status !== 0)(
  'promtool accepts the alert rules, and each rule fires when its test expects it, and not earlier',
  () => {
    for (const asked of [
      ['check', 'rules', '--lint-fatal', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const { status, stdout, stderr } = promtool(asked);
      expect(status, `${stdout}\n${stderr}`).toBe(0);
    }
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);
    expect(names.filter((name) => !tests.includes(`alertname="${name}"`))).toEqual([]);
  },
);
