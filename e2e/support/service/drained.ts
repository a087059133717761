// A request that is in progress while the service stops.
import http from 'node:http';
import { expect } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { credentialsOf, tokenUrl } from '#testing/service/token.ts';

/** Sends a refresh request whose body is incomplete. */
function halfSent(client: Client, url: string, refreshToken: string) {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    ...credentialsOf(client),
    refresh_token: refreshToken,
  }).toString();
  const request = http.request(tokenUrl({ url }), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
  });
  request.write(body.slice(0, 10));
  const answer = new Promise<number>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => resolve(response.resume().statusCode ?? 0));
  });
  return { sendRest: () => request.end(body.slice(10)), answer };
}

type Serving = { client: Client; url: string; refreshToken: string };

/** Calls `stop` during a half-sent request: the service reports not ready, but responds to that request. */
export async function expectDrained(
  { client, url, refreshToken }: Serving,
  stop: () => unknown,
): Promise<void> {
  const { sendRest, answer } = halfSent(client, url, refreshToken);
  const stopped = stop();
  await expect.poll(async () => (await send(`${url}/ready`)).status).toBe(503);
  sendRest();
  expect(await answer).toBe(200);
  await stopped;
}
