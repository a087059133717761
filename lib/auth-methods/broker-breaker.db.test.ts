// A broker with known metadata, whose token endpoint does not respond.
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { finishAtBroker, startAtBroker } from './broker.ts';

let broker: Listening;
let calls = 0;

beforeAll(async () => {
  const server = http.createServer((request, response) => {
    if (request.url?.startsWith('/.well-known/')) {
      const at = (path: string) => `${broker.url}${path}`;
      const metadata = {
        issuer: broker.url,
        authorization_endpoint: at('/authorize'),
        jwks_uri: at('/jwks'),
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...metadata, token_endpoint: at('/token') }));
    } else {
      calls += 1;
      response.socket?.destroy();
    }
  });
  broker = await listen(server);
});
afterAll(async () => {
  shiftClock(0);
  await broker.close();
});

function method(): SnapshotMethod {
  const config = { issuer: broker.url, client_id: 'gatehouse', allow_private_network: true };
  return { id: 'brk', type: 'broker', name: 'Broker', config, sealedSecret: null, epoch: '0' };
}

async function depart() {
  const input = { origin: 'https://id.example', state: 's', loginHint: null, maxAgeSeconds: null };
  return startAtBroker(method(), { ...input, again: false });
}

async function comeBack() {
  const departure = await depart();
  if (departure.kind !== 'depart') return departure.kind;
  const answer = { code: 'c', iss: null, arrivedAt: '/auth/callback/brk', whole: false };
  return (await finishAtBroker(method(), answer, departure.expectation)).kind;
}

test('five failed code redemptions in a row block the broker for ten seconds, even if other users start sign-ins in between', async () => {
  for (let person = 0; person < 5; person += 1) expect(await comeBack()).toBe('unavailable');
  expect(calls).toBe(5);
  // the user is not redirected, because the sign-in would fail afterwards
  expect((await depart()).kind).toBe('unavailable');
  shiftClock(10_001);
  expect((await depart()).kind).toBe('depart');
  expect(await comeBack()).toBe('unavailable');
  expect(calls).toBe(6);
  expect((await depart()).kind).toBe('unavailable');
});
