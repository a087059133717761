// Runs after all other tests: nothing that the service has written contains a secret that these tests used (case
// LK-01).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { secretsFile } from '#testing/net/secrets.ts';
import { sql } from './support/service/database.ts';

const folder = process.env['E2E_LOG_DIR'] ?? '';
/** A sequence of characters that logs, JSON and SQL never split. */
const RUN = /[\w-]{12,}/g;
const longestRun = (text: string) =>
  (text.match(RUN) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

function readSecrets(): Map<string, string> {
  const file = secretsFile(folder);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  // searches for the signature of a JWT, or for the longest part of a sealed value: both remain recognizable after
  // quoting, truncation or wrapping
  return new Map(lines.map((secret) => [longestRun(secret), secret] as const).filter(([run]) => run !== ''));
}

function leaksIn(text: string, secrets: Map<string, string>): string[] {
  const found = (text.match(RUN) ?? []).filter((run) => secrets.has(run));
  return [...new Set(found)].map((run) => {
    const at = text.indexOf(run);
    return `…${text.slice(Math.max(0, at - 120), at)}«${run.slice(0, 6)}…»`;
  });
}

test('LK-01: no log and no trace of the whole suite contains a secret that the suite used', () => {
  const secrets = readSecrets();
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log') && !name.startsWith('postgres'));
  expect(logs).toEqual(expect.arrayContaining(['node.log', 'next.log', 'traces.log']));
  for (const name of logs)
    expect(leaksIn(readFileSync(path.join(folder, name), 'utf8'), secrets), name).toEqual([]);
});

test('LK-01: no metric contains a secret that the suite used', async () => {
  const secrets = readSecrets();
  const headers = { authorization: `Bearer ${process.env['E2E_METRICS_TOKEN']}` };
  for (const url of [`${process.env['E2E_METRICS_URL']}`, `${process.env['E2E_NEXT_BASE_URL']}/metrics`]) {
    const { status, text } = await send(url, { headers });
    expect(status, url).toBe(200);
    expect(text).toContain('gatehouse_requests_total');
    expect(leaksIn(text, secrets), url).toEqual([]);
  }
});

test('LK-01: no table row contains a secret that the suite used, in plain text or hex', async () => {
  const secrets = readSecrets();
  const inHex = new Map([...secrets].map(([run, secret]) => [Buffer.from(secret).toString('hex'), run]));
  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const { name } of tables) {
    const rows = await sql<{ text: string }>(`select t::text as text from "${name}" t`);
    const dump = rows.map((row) => row.text).join('\n');
    expect(leaksIn(dump, secrets), name).toEqual([]);
    expect(leaksIn(dump, inHex), name).toEqual([]);
  }
});

test('LK-01: the search for secrets finds planted ones', () => {
  const secrets = new Map([['a-secret-of-this-test', 'a-secret-of-this-test']]);
  for (const text of [
    '{"code":"a-secret-of-this-test"}',
    'x=a-secret-of-this-test&y',
    '"a-secret-of-this-test"\n',
  ])
    expect(leaksIn(text, secrets)).toHaveLength(1);
});
