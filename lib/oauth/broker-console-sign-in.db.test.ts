import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleActor, readConsoleActor } from '#lib/sessions/console.ts';
import { findProvedSignIn } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { throughBroker } from '#testing/brokers/broker.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { type Broker, startBroker } from '../../demo/broker.ts';
import { startBrokerConsoleSignIn } from './broker.ts';

let broker: Broker;
beforeAll(async () => {
  broker = await startBroker({
    port: 0,
    clientId: 'gatehouse',
    clientSecret: 'secret-of-the-broker',
    redirectUris: [`${settings().baseUrl}/auth/callback/brk`],
  });
  const { createAuthMethod } = await import('#lib/catalogue/methods/operations.ts');
  const { OPERATOR } = await import('#lib/management/policy.ts');
  const config = { issuer: broker.issuer, client_id: 'gatehouse', allow_private_network: true };
  const method = {
    id: 'brk',
    type: 'broker',
    name: 'Broker',
    config,
    secret: 'secret-of-the-broker',
  } as const;
  await createAuthMethod(OPERATOR, method);
});
afterAll(() => broker.close());

function visit(address: string, cookie: string) {
  const { pathname, search } = new URL(address);
  return ask(pathname + search, { headers: { cookie, accept: 'text/html' }, address: '192.0.2.1' });
}

const FROM = { ip: '192.0.2.1', requestId: 'r0' };

async function depart(returnTo = '/account/sessions', proves?: Buffer) {
  const departure = await startBrokerConsoleSignIn({
    ...(proves && { proves }),
    authMethodId: 'brk',
    cookieHeader: undefined,
    returnTo,
    ...FROM,
  });
  if (departure.kind !== 'depart') throw new Error(departure.kind);
  return { ...departure, cookie: departure.cookie.split(';')[0] as string };
}

async function signedIn(subject: string): Promise<ConsoleActor> {
  const { location, cookie } = await depart();
  const answer = await visit(await throughBroker({ location }, subject), cookie);
  const actor = await readConsoleActor(String(answer.headers['set-cookie']).split(';')[0], null);
  if (!actor) throw new Error('signed out');
  return actor;
}

it('a broker sign-in to the console creates a separate console session without a role', async () => {
  const { location, cookie } = await depart();
  // max_age makes the broker reauthenticate, because sensitive console actions require a sign-in in the last minutes
  expect(new URL(location).searchParams.get('max_age')).toBe('900');
  const answer = await visit(await throughBroker({ location }, 'brenda'), cookie);
  expect(answer.status).toBe(200);
  expect(String(answer.body)).toContain('/account/sessions');
  const session = String(answer.headers['set-cookie']).split(';')[0];
  expect(String(answer.headers['set-cookie'])).toContain('SameSite=Strict');
  const actor = await readConsoleActor(session, null);
  expect(actor).toMatchObject({ roles: [], session: { authMethodId: 'brk' } });
  const rows = await query({
    text: 'select kind from sessions where person_id = $1',
    values: [actor?.id],
  });
  expect(rows).toEqual([{ kind: 'console' }]);
});

it('the broker sign-in to the console works once, in the browser that started it, and redirects only to account pages (no open redirect)', async () => {
  const { location, cookie } = await depart('https://evil.example/');
  const back = await throughBroker({ location }, 'brenda');
  const stranger = await depart();
  expect((await visit(back, stranger.cookie)).headers['set-cookie']).toBeUndefined();
  const first = await visit(back, cookie);
  expect(String(first.body)).toContain(`url=${settings().baseUrl}/account"`);
  const second = await visit(back, cookie);
  expect(second.status).toBe(400);
  expect(second.headers['set-cookie']).toBeUndefined();
  const refused = await depart();
  const cancelled = await visit(await throughBroker(refused, undefined), refused.cookie);
  expect(cancelled.status).toBe(400);
  expect(String(cancelled.body)).toContain(`${settings().baseUrl}/account/sessions`);
  expect(
    await startBrokerConsoleSignIn({ authMethodId: 'none', cookieHeader: undefined, returnTo: '/', ...FROM }),
  ).toEqual({
    kind: 'unknown',
  });
});

it('a broker sign-in that confirms an operation starts no session, and its proof works only in the console session that requested it', async () => {
  const [me, other] = [await signedIn('prover'), await signedIn('other')];
  const { location, cookie } = await depart('/account/links/join', me.session.idHash);
  // prompt=login makes the broker reauthenticate despite an existing session
  expect(new URL(location).searchParams.get('prompt')).toBe('login');
  const back = await throughBroker({ location }, 'bettina');
  const stranger = await depart();
  expect(String((await visit(back, stranger.cookie)).body)).not.toContain('proof=');
  const answer = await visit(back, cookie);
  expect(answer.headers['set-cookie']).toBeUndefined();
  const href = String(answer.headers['refresh']).replace('0; url=', '');
  expect(new URL(href).pathname).toBe('/account/links/join');
  const proof = new URL(href).searchParams.get('proof') ?? '';
  const proved = await findProvedSignIn(proof, me);
  expect(proved).toMatchObject({ authMethodId: 'brk' });
  expect(await findProvedSignIn(proof, other)).toBeNull();
  const { personId } = proved ?? {};
  const sessions = { text: 'select 1 from sessions where person_id = $1', values: [personId] };
  expect(await query(sessions)).toEqual([]);
  expect((await visit(back, cookie)).status).toBe(400);
});
