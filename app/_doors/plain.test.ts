// A host can end the process after its response. Next's `after` then waits for background work; on Vercel, the
// platform provides this.
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

it('without a long-running process, the request stays open until its mail is sent', async () => {
  loadSettings({ ...SETTINGS, VERCEL: '1', SMTP_URL: 'smtp://mail.example' });
  expect(await ask()).toBe('sent');
  expect(afterwards).toHaveLength(1);
  const waiting = Promise.all(afterwards.map((work) => work())).then(() => 'over');
  const soon = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
  expect(await Promise.race([waiting, soon])).toBe('waits');
  mail.resolve();
  expect(await waiting).toBe('over');
});

it('in a long-running process, no request waits until its mail is sent', async () => {
  loadSettings(SETTINGS);
  expect(await ask()).toBe('sent');
  expect(afterwards).toEqual([]);
});
