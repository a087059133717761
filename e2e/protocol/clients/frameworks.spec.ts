// Each framework of docs/how-to/protect-an-api.md, with the code of the guide, against the service (RFC 6750).
import { expect, test } from '@playwright/test';
import { generateKeyPair } from 'jose';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { signIn } from '#testing/service/browser.ts';
import { claimsOf, tokensFor } from '#testing/service/token.ts';
import { frameworks, routeHandler, startFramework } from '../../support/clients/framework-apis.ts';
import { forged, tokenAt } from '../../support/clients/resource-server.ts';
import { clearAddressAttempts, makeApi, makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson } from '../../support/service/external.ts';

type Answered = { status: number; challenge: string | null; text: string };
/** Calls the API with these Authorization values. */
type Ask = (...authorization: string[]) => Promise<Answered>;

const all = frameworks();
const own = all.filter(({ tests }) => tests.startsWith('run'));

let tokens: { good: string; external: string; narrow: string; bad: string[] };

test.beforeAll(async () => {
  await clearAddressAttempts();
  const good = await tokenAt('pw', fixturePerson('alice'));
  const browser = await signIn(door, fixturePerson('alice'), fixtureClient('conf'));
  const other = await makeApi();
  const client = await makeClient({ trusted: true, apis: [other.id] });
  const { privateKey } = await generateKeyPair('ES256');
  tokens = {
    good,
    external: await tokenAt('ext', campusPerson()),
    narrow: (await tokensFor(browser, fixtureClient('conf'), { scope: 'write' })).accessToken,
    bad: [
      'nonsense',
      await forged(good, { alg: 'none' }),
      await forged(good, {}, privateKey),
      // an access token that was issued for another API
      await tokenAt('pw', await makePerson(), other.id, client),
    ],
  };
});

test('the framework table marks the tested frameworks', () => {
  expect(own.map(({ name }) => name)).toEqual(['Node', 'Express', 'Fastify', 'Hono']);
  const others = all.filter((framework) => !own.includes(framework));
  expect(others.map(({ name }) => name)).toEqual(['Next', 'Spring', 'ASP.NET Core']);
  for (const { name, tests } of others)
    expect(tests, name).toMatch(/^(?:does not run|only the handler runs)[,.] ./);
});

for (const framework of own)
  test(`${framework.name}: the example returns the four expected responses`, async () => {
    const { url, stop } = await startFramework(framework, door.url);
    try {
      await expectAnswers(asking(url));
    } finally {
      await stop();
    }
  });

test('Next: the route handler returns the four expected responses', async () => {
  const GET = await routeHandler(door.url);
  await expectAnswers(async (...authorization) => {
    const headers = authorization.map((value): [string, string] => ['authorization', value]);
    const answer = await GET(new Request('https://api.example/orders', { headers }));
    const challenge = answer.headers.get('www-authenticate');
    return { status: answer.status, challenge, text: await answer.text() };
  });
});

const asking =
  (url: string): Ask =>
  async (...authorization) => {
    const { status, headers, text } = await send(
      url,
      authorization.length > 0 ? { headers: { authorization } } : {},
    );
    return { status, challenge: headers['www-authenticate'] ?? null, text };
  };

const expectInvalid = (answer: Answered) => {
  expect(answer.status).toBe(401);
  expect(answer.challenge).toMatch(/^Bearer error="invalid_token"/);
};

/** Expects the responses that every protected API must return (RFC 6750 §3). */
async function expectAnswers(ask: Ask) {
  for (const [token, scheme] of [
    [tokens.good, 'Bearer'],
    [tokens.external, 'bearer'],
  ] as const) {
    const { status, text } = await ask(`${scheme} ${token}`);
    expect([status, JSON.parse(text)]).toEqual([200, { sub: claimsOf(token)['sub'] }]);
  }
  for (const without of [await ask(), await ask('Basic YTpi'), await ask('Bearer')])
    expect([without.status, without.challenge]).toEqual([401, 'Bearer']);
  for (const bad of tokens.bad) expectInvalid(await ask(`Bearer ${bad}`));
  const narrow = await ask(`Bearer ${tokens.narrow}`);
  expect(narrow.status).toBe(403);
  expect(narrow.challenge).toMatch(/^Bearer error="insufficient_scope"/);
  expect(narrow.text).not.toContain(String(claimsOf(tokens.narrow)['sub']));
  // if a request has two Authorization headers, neither is accepted
  const twice = await ask(`Bearer ${tokens.good}`, `Bearer ${tokens.good}`);
  expect([400, 401]).toContain(twice.status);
}
