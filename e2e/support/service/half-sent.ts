// A request that is under way when something happens to the service.
import http from 'node:http';
import type { Client } from '#testing/data/world.ts';
import { credentialsOf, tokenUrl } from '#testing/service/token.ts';

/** A refresh that waits for the rest of its body. */
export function halfSent(client: Client, url: string, refreshToken: string) {
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
  return { send: () => request.end(body.slice(10)), answer };
}
