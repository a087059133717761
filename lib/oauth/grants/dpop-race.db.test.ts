// A bound code or refresh token works once if requests are concurrent, each with a valid proof, through two servers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { pathIssuer } from '#testing/in-process/issuer-host.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

let doors: Awaited<ReturnType<typeof openDoor>>[];
let client: TrustedClient;
let cookie: string;
let key: ProofKey;

beforeAll(async () => {
  doors = [await openDoor(), await openDoor()];
  await givenFixtures();
  [client] = (await givenTrustedClients(['keyed-server'])) as [TrustedClient];
  ({ cookie } = await signInTo('alice@example.com'));
  key = await proofKey();
});
afterAll(async () => {
  await Promise.all(doors.map((door) => door.close()));
  loadSettings();
});

async function ask(form: Record<string, string>, door = doors[0]): Promise<Answered> {
  const answer = await fetch(`${door?.url}${OPENID_PATH}/token`, {
    method: 'POST',
    headers: { dpop: await proofOf(key, { address: `${pathIssuer()}/token` }) },
    body: new URLSearchParams({ ...client, ...form }),
  });
  const body = (await answer.json()) as Record<string, string>;
  // a slow machine can run out of database connections, and the response then requests a retry
  if (body['error'] === 'temporarily_unavailable') return ask(form, door);
  return { outcome: body['error'] ?? body['token_type'], body };
}
type Answered = { outcome: string | undefined; body: Record<string, string> };
const askAtOnce = (form: Record<string, string>) =>
  Promise.all(Array.from({ length: 100 }, (_, n) => ask(form, doors[n % 2])));
const outcomes = (answers: Awaited<ReturnType<typeof askAtOnce>>) =>
  answers.map(({ outcome }) => outcome).toSorted();
const ONE = ['DPoP', ...Array<string>(99).fill('invalid_grant')];

const codeForm = async () => ({
  grant_type: 'authorization_code',
  code: await openIdCode(client, { cookie, scope: 'openid read' }),
});
const counted = async (table: string) =>
  (await sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n ?? 0;

test('of 100 concurrent redemptions of one code with proofs, exactly one receives tokens', async () => {
  const before = await counted('token_families');
  expect(outcomes(await askAtOnce(await codeForm()))).toEqual(ONE);
  expect((await counted('token_families')) - before).toBe(1);
});

test('of 100 concurrent refreshes with proofs, exactly one receives tokens, and its new refresh token works', async () => {
  const { body } = await ask(await codeForm());
  const refreshForm = (token = '') => ({ grant_type: 'refresh_token', refresh_token: token });
  const before = await counted('refresh_tokens');
  const answers = await askAtOnce(refreshForm(body['refresh_token']));
  expect(outcomes(answers)).toEqual(ONE);
  expect((await counted('refresh_tokens')) - before).toBe(1);
  const won = answers.find(({ outcome }) => outcome === 'DPoP');
  expect((await ask(refreshForm(won?.body['refresh_token']))).outcome).toBe('DPoP');
});
