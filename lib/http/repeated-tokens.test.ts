import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { joinRepeatedTokens } from './peer-context.ts';

test('a handler behind any server of Node sees both of two Authorization headers, and one as it came', async () => {
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
