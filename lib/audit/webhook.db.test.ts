import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { listen, textOf } from '#testing/net/listen.ts';
import { recordEvent } from './audit-log.ts';
import { deliverEvents, isChosen } from './webhook.ts';

const SECRET = 'a secret of the webhook that is long enough';
type Received = { headers: Record<string, string | string[] | undefined>; body: string };
let received: Received[] = [];
let answers: number[] = [];
const receiver = await listen(
  createServer(async (incoming, outgoing) => {
    const body = await textOf(incoming);
    const status = answers.shift() ?? 200;
    if (status === 200) received.push({ headers: incoming.headers, body });
    outgoing.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
  }),
);
const names = () => received.map(({ body }) => (JSON.parse(body) as { event: string }).event);
const due = () =>
  query({ text: "update webhook_cursor set next_try_at = now() - interval '1 second'", values: [] });
const deliver = () => deliverEvents({ settledMs: 0 });

beforeAll(async () => {
  setLogLevel('silent');
  loadSettings({
    ...process.env,
    AUDIT_WEBHOOK_URL: `${receiver.url}/events`,
    AUDIT_WEBHOOK_SECRET: SECRET,
    AUDIT_WEBHOOK_EVENTS: 'token.reused, subscription.',
    AUDIT_WEBHOOK_PRIVATE_NETWORK: 'true',
  });
  await recordEvent({ event: 'token.reused' });
  // the first run skips events of the past
  expect(await deliver()).toBe(0);
});
beforeEach(() => {
  received = [];
  answers = [];
});
afterAll(async () => {
  await receiver.close();
  loadSettings(process.env);
});

test('the webhook receives only the chosen events, in order and signed', async () => {
  await recordEvent({ event: 'token.reused', clientId: 'one' });
  await recordEvent({ event: 'client.disabled', clientId: 'one' });
  await recordEvent({ event: 'subscription.revoked', clientId: 'one' });
  expect(await deliver()).toBe(2);
  expect(names()).toEqual(['token.reused', 'subscription.revoked']);
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const expected = createHmac('sha256', SECRET).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  }
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ client_id: 'one', person_id: null });
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  expect(await deliver()).toBe(0);
});

test('events rejected or redirected by the receiver are resent later, in order', async () => {
  await recordEvent({ event: 'token.reused' });
  await recordEvent({ event: 'subscription.approved' });
  for (const refusal of [500, 302, 404]) {
    answers = [refusal];
    expect(await deliver()).toBe(0);
    expect(await deliver(), 'not before its time').toBe(0);
    await due();
  }
  expect(await deliver()).toBe(2);
  expect(names()).toEqual(['token.reused', 'subscription.approved']);
});

test('eight parallel instances send each event once', async () => {
  for (let count = 0; count < 20; count += 1) await recordEvent({ event: 'token.reused' });
  await Promise.all(Array.from({ length: 8 }, deliver));
  expect(received).toHaveLength(20);
});

test('the name prefix of a group, including its dot, selects all events of the group', () => {
  expect(isChosen('subscription.approved', ['subscription.'])).toBe(true);
  expect(isChosen('subscription.approved', ['subscription'])).toBe(false);
  expect(isChosen('token.reused', ['token.reused'])).toBe(true);
  expect(isChosen('token.reused_twice', ['token.reused'])).toBe(false);
});
