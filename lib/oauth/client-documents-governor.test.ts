// Limits on calls to hosts, whatever addresses strangers put into links.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';
import {
  ClientDocumentUnavailable,
  type DocumentAsker,
  readClientDocument,
  runGoverned,
} from './client-documents.ts';

const SETTINGS = { DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) };

let host: DocumentHost;
beforeAll(async () => {
  host = await startDocumentHost();
});
afterEach(() => {
  shiftClock(0);
  processWide('client-document-calls').value = undefined;
});
afterAll(() => host.close());

type Books = { counted: Map<string, unknown>; running: Map<string, unknown> };
const books = () => processWide<Books>('client-document-calls').value;

/** Counts the calls that the limits permit. */
async function made(urls: string[], asker: (at: number) => DocumentAsker = () => ({})): Promise<number> {
  let calls = 0;
  for (const [at, url] of urls.entries())
    await runGoverned(url, asker(at), async () => {
      calls += 1;
    }).catch((error: unknown) => expect(error).toBeInstanceOf(ClientDocumentUnavailable));
  return calls;
}
const urls = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at));
const callers = (at: number) => ({ caller: `192.0.${at >> 8}.${at & 255}` });

test('all callers together can fetch one document address six times a minute', async () => {
  const same = urls(20, () => 'https://agent.example/client');
  expect(await made(same, callers)).toBe(6);
  shiftClock(61_000);
  expect(await made(same, callers)).toBe(6);
});

test('a host of documents receives at most thirty calls a minute, even with different paths', async () => {
  expect(
    await made(
      urls(100, (at) => `https://agent.example/${at}`),
      callers,
    ),
  ).toBe(30);
  expect(await made(['https://other.example/'])).toBe(1);
});

test('a caller causes at most thirty document calls a minute, and other callers continue', async () => {
  const many = urls(100, (at) => `https://host-${at}.example/`);
  expect(await made(many, () => ({ caller: '192.0.2.1' }))).toBe(30);
  expect(await made(many, () => ({ caller: '192.0.2.2' }))).toBe(30);
});

test('an address block counts as one caller, and callers without an address share no limit', async () => {
  const many = urls(100, (at) => `https://host-${at}.example/`);
  expect(await made(many, (at) => ({ caller: `2001:db8::${at + 1}` }))).toBe(30);
  expect(await made(many, () => ({ caller: null }))).toBe(100);
});

test('unknown clients share a limit of three hundred calls, and approved clients have a separate limit', async () => {
  const many = urls(1_000, (at) => `https://host-${at}.example/`);
  expect(await made(many, callers)).toBe(300);
  expect(await made(['https://known.example/'], () => ({ known: true }))).toBe(1);
});

test('a caller causes at most fifteen document calls to a host, so one caller cannot block a host’s clients', async () => {
  const paths = urls(100, (at) => `https://agent.example/${at}`);
  expect(await made(paths, () => ({ caller: '192.0.2.1' }))).toBe(15);
  expect(await made(['https://agent.example/mine'], () => ({ caller: '192.0.2.2' }))).toBe(1);
});

test('document calls for unknown clients do not use the limit of approved clients at a host, so a removed key still becomes invalid', async () => {
  const paths = urls(100, (at) => `https://agent.example/${at}`);
  const waits = Promise.withResolvers<void>();
  const waiting = urls(4, (at) => `https://agent.example/slow-${at}`).map((url, at) =>
    runGoverned(url, callers(at), () => waits.promise),
  );
  expect(await made(['https://agent.example/client'], () => ({ known: true }))).toBe(1);
  waits.resolve();
  await Promise.all(waiting);
  await made([...paths, ...urls(6, () => 'https://agent.example/client')], callers);
  expect(
    await made(
      urls(9, () => 'https://agent.example/client'),
      () => ({ known: true }),
    ),
  ).toBe(5);
});

test('a host receives at most four concurrent document calls', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = urls(4, (at) => `https://agent.example/${at}`).map((url) =>
    runGoverned(url, {}, () => promise),
  );
  expect(await made(['https://agent.example/5'])).toBe(0);
  expect(await made(['https://other.example/5'])).toBe(1);
  resolve();
  await Promise.all(waiting);
  expect(await made(['https://agent.example/5'])).toBe(1);
  expect(books()?.running.size).toBe(0);
});

test('a failed call frees its slot, and its error contains the retry time', async () => {
  const failing = () => runGoverned('https://agent.example/', {}, () => Promise.reject(new Error('no')));
  for (let at = 0; at < 6; at++) await expect(failing()).rejects.toThrow('no');
  expect(books()?.running.size).toBe(0);
  shiftClock(20_000);
  await expect(failing()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(40, -1) });
});

test('1,000 invented document addresses cause no call into the private network, and use limited memory', async () => {
  loadSettings(SETTINGS);
  const invented = urls(1_000, (at) => {
    const kinds = [
      `https://127.0.0.1:${host.port}/${at}`,
      `https://10.0.${at % 256}.1/client`,
      `https://localhost:${host.port}/${at}`,
      `https://[::ffff:127.0.0.1]/${at}`,
      `https://a${at}.localhost/client`,
      `https://172.16.0.${at % 256}:6443/${at}`,
    ];
    return kinds[at % kinds.length] ?? '';
  });
  const outcomes = await Promise.all(
    invented.map((url, at) => readClientDocument(url, callers(at)).catch((error: Error) => error.name)),
  );
  expect(new Set(outcomes)).toEqual(new Set(['ClientDocumentRefused', 'ClientDocumentUnavailable']));
  expect(host.requests).toEqual([]);
  expect(books()?.counted.size).toBeLessThanOrEqual(1_201);
  expect(books()?.running.size).toBe(0);
  expect(processWide<{ copies: Map<string, unknown> }>('client-documents').value?.copies.size).toBe(0);
});
