// Hostile values in every field of every route: they are rejected with a message, cause no server error, and are not
// stored.
import { expect, it } from 'vitest';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenPerson, givenToken } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi, type Call as Sent } from '#testing/in-process/management.ts';
import { type Call, faultOfAnswer, hostileCalls } from '../../scripts/fuzz/management-api.ts';
import { routes } from './routes.ts';

async function givenWorld() {
  await givenManagementApi();
  const shop = {
    clientId: 'shop',
    name: 'Shop',
    kind: 'confidential',
    redirectUris: ['https://shop.example/cb'],
  } as const;
  await createClient(OPERATOR, { ...shop, redirectUris: [...shop.redirectUris] });
  await requestSubscription(OPERATOR, { clientId: 'shop', api: 'orders', trusted: true });
  const victim = await givenPerson('victim', 'developer');
  return {
    caller: await givenPerson('root', 'administrator'),
    known: {
      id: 'orders',
      client_id: 'shop',
      api: 'orders',
      role: 'approver',
      kind: 'confidential',
      type: 'local',
      redirect_uris: ['https://shop.example/cb'],
      allowed_origins: ['https://shop.example'],
      logo_uri: 'https://shop.example/logo.png',
      owner_email: victim.email,
      approvers: [victim.email],
      email: 'new@example.com',
      auth_methods: ['local'],
      scopes: ['read'],
      url: 'https://api.example',
      config: {},
      password: 'long-enough-9',
      person: victim.id,
    },
  };
}

/** Fills the parameters of a path. `:id` is the id of an API, method or user. */
function partsFor(call: Call, known: Record<string, unknown>): Call {
  const id = call.path.startsWith('/people')
    ? String(known['person'])
    : call.path.startsWith('/auth-methods')
      ? 'local'
      : null;
  return id === null ? call : { ...call, path: call.path.replace(/^(\/[\w-]+\/)orders(?=\/|$)/, `$1${id}`) };
}

/** True for calls that only read, or have an invalid body. Four such calls run at the same time. */
const changesNothing = ({ route, body }: Call): boolean =>
  route.method === 'GET' || (body !== null && route.body?.safeParse(JSON.parse(body)).success === false);

it('hostile field values never cause server errors, and unstorable values are rejected', async () => {
  const { caller, known } = await givenWorld();
  let token = await givenToken(caller);
  const send = async (path: string, call: Sent) => {
    const answer = await callManagement(path, { token, ...call });
    if (answer.status !== 401) return answer;
    // one route signs the caller out everywhere, so a new token is needed
    token = await givenToken(caller);
    return callManagement(path, { token, ...call });
  };
  /** Version of the object at each path, cached until a call succeeds, because a rejected call changes no version. */
  const versions = new Map<string, string>();
  const versionOf = async (path: string) => {
    const seen = versions.get(path) ?? (await send(path, {})).headers['etag'];
    if (seen !== undefined) versions.set(path, String(seen));
    return seen;
  };
  const faults: string[] = [];
  const fields = new Set<string>();
  const answers = new Map<number, number>();
  const look = async (call: Call) => {
    const { route, path, query, body, place } = call;
    const seen = route.version === 'required' ? await versionOf(path) : undefined;
    const headers: Record<string, string> = seen === undefined ? {} : { 'if-match': String(seen) };
    const answer = await send(path, { method: route.method, query, body, headers });
    if (route.method !== 'GET' && answer.status < 400) versions.clear();
    const type = String(answer.headers['content-type'] ?? '');
    const fault = faultOfAnswer(call, answer.status, type, String(answer.body ?? ''));
    if (fault !== null) faults.push(`${route.method} ${route.path} ${place}: ${fault}`);
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    fields.add(`${route.method} ${route.path} ${place.split(':')[0]}`);
  };
  for (const route of routes) {
    const calls = [...hostileCalls([route], known, { quick: true })].map((made) => partsFor(made, known));
    const { quiet = [], writing = [] } = Object.groupBy(calls, (call) =>
      changesNothing(call) ? 'quiet' : 'writing',
    );
    for (let at = 0; at < quiet.length; at += 4) await Promise.all(quiet.slice(at, at + 4).map(look));
    for (const call of writing) await look(call);
  }
  expect(faults).toEqual([]);
  expect(fields.size).toBeGreaterThan(150);
  // the calls were authenticated, and many succeeded
  expect(answers.get(401)).toBeUndefined();
  expect(answers.get(412)).toBeUndefined();
  expect(answers.get(200)).toBeGreaterThan(100);
}, 300_000);
