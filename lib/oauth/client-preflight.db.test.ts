// Preflights with any request headers (Fetch §3.3.2). Any header is safe without credentials, and clients add headers
// for tracing and MCP.
import { beforeAll, expect, test } from 'vitest';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';

beforeAll(givenFixtures);

const ISSUER = '/auth/pw/api/orders';
const READ_BY_BROWSERS = [
  `${ISSUER}/token`,
  `${ISSUER}/revoke`,
  `${ISSUER}/userinfo`,
  `${ISSUER}/jwks`,
  `${ISSUER}/.well-known/openid-configuration`,
  `${ISSUER}/.well-known/oauth-authorization-server`,
  `/.well-known/oauth-authorization-server${ISSUER}`,
  `/.well-known/openid-configuration${ISSUER}`,
  '/.well-known/oauth-protected-resource/apis/orders',
];
const TRACING =
  'traceparent, tracestate, baggage, sentry-trace, x-datadog-trace-id, mcp-protocol-version, dpop';
const allowedBy = async (path: string, asked: string) => {
  const { status, headers } = await ask(path, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://spa.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  });
  expect([status, headers['access-control-allow-credentials']]).toEqual([204, undefined]);
  return String(headers['access-control-allow-headers']);
};

test.each(READ_BY_BROWSERS)('the preflight of %s allows headers requested by browsers', async (path) => {
  expect(await allowedBy(path, TRACING)).toBe(`content-type, authorization, ${TRACING}`);
});

test('if a preflight contains an invalid list of header names, the response does not repeat it', async () => {
  for (const asked of ['', 'a b', 'x,', ',x', 'x;y', 'x\u0000', '<script>', 'x-a,'.repeat(2_000)])
    expect(await allowedBy(`${ISSUER}/token`, asked)).toBe('content-type, authorization');
});
