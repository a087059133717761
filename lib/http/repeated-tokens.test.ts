import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { joinRepeatedTokens } from './peer-context.ts';

test('Node servers pass on both of two Authorization headers, and pass on a single header unchanged', async () => {
  joinRepeatedTokens();
  const server = await listen(
    createServer((request, response) => void response.end(request.headers.authorization ?? 'none')),
  );
  const seen = async (authorization?: string | string[]) =>
    (await send(server.url, authorization === undefined ? {} : { headers: { authorization } })).text;
  expect(await seen(['Bearer a', 'Bearer b'])).toBe('Bearer a, Bearer b');
  expect(await seen('Bearer a')).toBe('Bearer a');
  expect(await seen()).toBe('none');
  await server.close();
});
