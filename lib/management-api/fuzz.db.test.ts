// Hostile values in every field of every route: refused with words, never a fault of ours, and nothing of it is kept.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { givenClient, givenEmptyRegistry, givenPerson, givenToken } from '#testing/registry.ts';
import { type Call, faultOfAnswer, hostileCalls } from '../../scripts/fuzz/management-api.ts';
import {
  createClient,
  decideSubscription,
  ensureManagementApi,
  OPERATOR,
  requestSubscription,
} from '../management/index.ts';
import { handleManagementApi, routes } from './index.ts';

async function givenWorld() {
  await givenEmptyRegistry();
  await ensureManagementApi();
  await givenClient(OPERATOR, 'ops');
  await requestSubscription(OPERATOR, { clientId: 'ops', api: 'management' });
  await decideSubscription(OPERATOR, { clientId: 'ops', api: 'management', action: 'approve' });
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

/** `:id` is an API's, a method's or a person's. */
function partsFor(call: Call, known: Record<string, unknown>): Call {
  const id = call.path.startsWith('/people')
    ? String(known['person'])
    : call.path.startsWith('/auth-methods')
      ? 'local'
      : null;
  return id === null ? call : { ...call, path: call.path.replace(/^(\/[\w-]+\/)orders(?=\/|$)/, `$1${id}`) };
}

it('no hostile value in any field of any route is a fault of ours, and what can not be stored is refused', async () => {
  const { caller, known } = await givenWorld();
  const send = async (
    method: string,
    path: string,
    query: string,
    body: string | null,
    more: Record<string, string>,
  ) => {
    const bytes = Buffer.from(body ?? '');
    // signing out everywhere is one of the routes
    const token = await givenToken(caller);
    const answer = await handleManagementApi({
      method,
      path: `/api/v1${path}`,
      query,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
      body: async () => (bytes.length > 65_536 ? 'too-large' : bytes),
      peerAddress: '192.0.2.1',
      requestId: randomUUID(),
    });
    if (!answer) throw new Error(`${path} is no address of the API`);
    return answer;
  };
  const faults: string[] = [];
  const fields = new Set<string>();
  const answers = new Map<number, number>();
  for (const made of hostileCalls(routes, known, { quick: true })) {
    const call = partsFor(made, known);
    const { route, path, query, body, place } = call;
    const seen = route.versioned ? (await send('GET', path, '', null, {})).headers['etag'] : undefined;
    const match = seen === undefined ? {} : { 'if-match': String(seen) };
    const answer = await send(route.method, path, query, body, match);
    const type = String(answer.headers['content-type'] ?? '');
    const fault = faultOfAnswer(call, answer.status, type, String(answer.body ?? ''));
    if (fault !== null) faults.push(`${route.method} ${route.path} ${place}: ${fault}`);
    answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    fields.add(`${route.method} ${route.path} ${place.split(':')[0]}`);
  }
  expect(faults).toEqual([]);
  expect(fields.size).toBeGreaterThan(150);
  // they got past the token, and some of them were even done
  expect(answers.get(401)).toBeUndefined();
  expect(answers.get(200)).toBeGreaterThan(100);
}, 300_000);
