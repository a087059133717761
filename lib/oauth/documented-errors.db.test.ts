// Each endpoint receives a request for every error that its documentation declares. The tables of requests are in
// testing/documented-errors/; a declared error without a request fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import {
  authorizePageRequests,
  authorizePostRequests,
  authorizeRequests,
} from '#testing/documented-errors/authorize.ts';
import {
  callbackRequests,
  formRequests,
  redirectRequests,
} from '#testing/documented-errors/broker-callback.ts';
import { allowDevices, deviceRequests, pollRequests } from '#testing/documented-errors/device.ts';
import { exchangeRequests } from '#testing/documented-errors/exchange.ts';
import { forwardAuthRequests } from '#testing/documented-errors/forward-auth.ts';
import { machineRequests } from '#testing/documented-errors/machine.ts';
import { pushedRequests } from '#testing/documented-errors/pushed.ts';
import { allowRegistration, registrationRequests } from '#testing/documented-errors/registration.ts';
import { type Address, type Ask, post, type Requests } from '#testing/documented-errors/requests.ts';
import { sharedRequests } from '#testing/documented-errors/shared.ts';
import { signOutPostRequests, signOutRequests } from '#testing/documented-errors/sign-out.ts';
import { tokenRequests } from '#testing/documented-errors/token.ts';
import { userinfoPostRequests, userinfoRequests } from '#testing/documented-errors/userinfo.ts';
import { vouchingRequests } from '#testing/documented-errors/vouching.ts';
import {
  bodyOf,
  givenWorld,
  jsonOf,
  locationOf,
  PW,
  send,
  TRU,
  type World,
  withoutPasswords,
} from '#testing/documented-errors/world.ts';
import { DELETE as deleteOpenapi } from '../../app/openapi.json/route.ts';
import { authorizeDeclaration, authorizePostDeclaration } from './authorize/declaration.ts';
import {
  brokerCodeDeclaration,
  brokerFormDeclaration,
  brokerRedirectDeclaration,
  ownBrokerRedirectDeclaration,
} from './broker.ts';
import { deviceDeclaration } from './device.ts';
import { declarations } from './endpoints.ts';
import * as errors from './errors.ts';
import { type Declaration, type DeclaredError, methodNotAllowed } from './errors.ts';
import { exchangeDeclaration } from './exchange/handler.ts';
import { forwardAuthDeclaration } from './forward-auth.ts';
import { introspectionDeclaration } from './introspection.ts';
import { resourceMetadataDeclaration } from './metadata.ts';
import { pushedDeclaration } from './par.ts';
import { registrationDeclaration } from './registration.ts';
import { signOutDeclaration, signOutPostDeclaration } from './sign-out-request.ts';
import { changePasswordDeclaration } from './site-files.ts';
import { tokenDeclaration } from './token.ts';
import { userinfoDeclaration, userinfoPostDeclaration } from './userinfo.ts';

let world: World;
let requests: ReadonlyMap<DeclaredError, Ask[]>;
beforeAll(async () => {
  setLogLevel('silent');
  allowRegistration();
  world = await givenWorld();
  await allowDevices();
  requests = requestsOf(world);
});
afterAll(() => world.close());

/** Finds a declared error by the beginning of its sentence. */
function errorOf({ errors }: Declaration, beginning: string): DeclaredError {
  const [found, ...more] = errors.filter(({ when }) => when.startsWith(beginning));
  if (!found || more.length > 0) throw new Error(`not one error begins: ${beginning}`);
  return found;
}

const rows = (declaration: Declaration, table: Requests) =>
  Object.entries(table).map(([beginning, asks]) => [errorOf(declaration, beginning), asks] as const);

const requestsOf = (world: World): ReadonlyMap<DeclaredError, Ask[]> =>
  new Map([
    ...rows(authorizeDeclaration, { ...authorizeRequests(world), ...authorizePageRequests }),
    ...rows(authorizePostDeclaration, authorizePostRequests),
    ...rows(pushedDeclaration, pushedRequests),
    ...rows(tokenDeclaration, {
      ...tokenRequests(world),
      ...machineRequests,
      ...pollRequests,
      ...vouchingRequests(world),
    }),
    ...rows(deviceDeclaration, deviceRequests),
    ...rows(exchangeDeclaration, { ...exchangeRequests(world), ...vouchingRequests(world) }),
    ...rows(userinfoDeclaration, userinfoRequests(world)),
    ...rows(userinfoPostDeclaration, userinfoPostRequests),
    ...rows(registrationDeclaration, registrationRequests),
    ...rows(signOutDeclaration, signOutRequests(world)),
    ...rows(signOutPostDeclaration, signOutPostRequests),
    ...rows(forwardAuthDeclaration, forwardAuthRequests(world)),
    ...rows(introspectionDeclaration, {
      'The credentials are missing or wrong, or the client': [
        (address) => post(address, { token: 'x' }),
        (address) => post(address, { ...TRU, client_secret: 'wrong', token: 'x' }),
        (address) => post(address, { client_id: 'spa', token: 'x' }),
      ],
    }),
    ...rows(brokerCodeDeclaration, {
      'code is longer': [
        () => send('/auth/callback/broker/a%20b'),
        () => send(`/auth/callback/broker/${'x'.repeat(4_097)}`),
      ],
      ...callbackRequests,
    }),
    ...rows(brokerRedirectDeclaration, redirectRequests(world)),
    ...rows(brokerFormDeclaration, formRequests),
    ...rows(ownBrokerRedirectDeclaration, {
      'No broker method has this id. The response is': [
        () => send('/auth/callback/nothing', { query: { code: 'x' } }),
        () => send('/auth/callback/pw', { query: { code: 'x' } }),
      ],
    }),
    ...rows(changePasswordDeclaration, {
      'this service has no authentication method with its own': [
        ({ path }) => withoutPasswords(() => send(path)),
      ],
    }),
    ...rows(resourceMetadataDeclaration, {
      'The API does not exist.': [() => send('/.well-known/oauth-protected-resource/apis/nothing')],
    }),
    ...sharedRequests,
  ]);

const NAMES: Record<string, string> = { authMethodId: 'pw', apiId: 'orders', code: 'x' };
const ADDRESSES: (Address & { declares: Declaration })[] = Object.entries(declarations).map(
  ([endpoint, declares]) => {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const path = pattern
      .replace('/callback/:authMethodId', '/callback/partner')
      .replaceAll(/:(\w+)/g, (_, name: string) => NAMES[name] ?? '');
    return { method, path, declares };
  },
);

describe.each(ADDRESSES)('errors of $method $path', (address) => {
  test.each(address.declares.errors)('documented error: $status $error: $when', async (declared) => {
    const asks = requests.get(declared) ?? [];
    expect(asks.length, 'a documented error without a request').toBeGreaterThan(0);
    for (const [at, ask] of asks.entries())
      expect(seen(await ask(address), declared), `request ${at + 1}`).toEqual(expected(declared));
  });
});

test('DELETE /openapi.json returns its documented 405', async () => {
  const answer = deleteOpenapi();
  expect([answer.status, (await answer.json()).error]).toEqual([
    methodNotAllowed.status,
    methodNotAllowed.error,
  ]);
});

test('the token endpoint declares the grant types of the metadata', async () => {
  const metadata = JSON.parse(bodyOf(await send(`${PW}/.well-known/oauth-authorization-server`)));
  const { grant_type } = tokenDeclaration.body?.shape ?? {};
  for (const grantType of metadata.grant_types_supported)
    expect(grant_type?.safeParse(grantType).success, grantType).toBe(true);
});

test('every error class belongs to a documented error', () => {
  const documented = new Set(ADDRESSES.flatMap(({ declares }) => declares.errors.map(({ error }) => error)));
  const codes = Object.values(errors).flatMap((kind) => ('code' in kind && kind.code ? [kind.code] : []));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !documented.has(code))).toEqual([]);
});

const expected = ({ status, error, as }: DeclaredError) => ({
  status,
  as,
  error: as === 'page' ? '' : error,
});

/**
 * Returns status, form and error code of the response, for comparison with the declared error. Pages contain no error
 * code.
 */
function seen(answer: Answer, { as }: DeclaredError) {
  const { status, headers } = answer;
  const type = String(headers['content-type'] ?? '');
  if (as === 'redirect')
    return {
      status,
      as: headers['location'] ? as : type,
      error: locationOf(answer).searchParams.get('error'),
    };
  if (bodyOf(answer) === '') return { status, as: 'empty', error: 'no body' };
  if (type.startsWith('text/html')) return { status, as: 'page', error: '' };
  if (status === 422)
    return { status, as: 'validation', error: 'detail' in jsonOf(answer) ? 'HTTPValidationError' : '' };
  return { status, as: 'json', error: jsonOf(answer)['error'] };
}
