// On a host that stops a process with its answer, Next's `after` waits for background work; on Vercel that is its own.
import { beforeEach, expect, it, vi } from 'vitest';
import { inBackground } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { doorTo } from './plain.ts';

const afterwards: (() => Promise<unknown>)[] = [];
vi.mock('next/server', () => ({ after: (work: () => Promise<unknown>) => afterwards.push(work) }));

const SETTINGS = {
  DATABASE_URL: 'postgresql://localhost/gatehouse',
  GATEHOUSE_SECRET: 'A'.repeat(43),
  BASE_URL: 'https://login.example',
};

beforeEach(() => {
  afterwards.length = 0;
});

const mail = Promise.withResolvers<void>();
const door = doorTo(async () => {
  inBackground(mail.promise);
  return { status: 200, headers: {}, body: 'sent' };
});
const ask = async () => (await door.POST(new Request('https://login.example/', { method: 'POST' }))).text();

it('a host without lasting processes waits for the mail of an answer, and the answer does not', async () => {
  loadSettings({ ...SETTINGS, VERCEL: '1', SMTP_URL: 'smtp://mail.example' });
  expect(await ask()).toBe('sent');
  expect(afterwards).toHaveLength(1);
  const waiting = Promise.all(afterwards.map((work) => work())).then(() => 'over');
  const soon = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
  expect(await Promise.race([waiting, soon])).toBe('waits');
  mail.resolve();
  expect(await waiting).toBe('over');
});

it('a process that lasts asks nobody to wait', async () => {
  loadSettings(SETTINGS);
  expect(await ask()).toBe('sent');
  expect(afterwards).toEqual([]);
});
