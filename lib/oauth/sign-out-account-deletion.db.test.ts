// The deletion of an account notifies clients that request logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.5).
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPerson, deletePerson } from '#lib/catalogue/people/operations.ts';
import { deleteMyAccount } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { events, sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import {
  givenTrustedClients,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { until } from '#testing/net/until.ts';
import { deliverLogouts } from './back-channel.ts';

const EMAIL = 'leaver@example.com';
let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
let client: TrustedClient;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  receivers = await startLogoutReceivers();
  const told = { backchannelLogoutUri: `${receivers.url}/told` };
  [client] = (await givenTrustedClients(['told'], told)) as [TrustedClient];
});
afterAll(async () => {
  await receivers.close();
  loadSettings();
});
beforeEach(() => {
  receivers.received.length = 0;
  receivers.answers.clear();
});

async function givenSignedIn() {
  await createPerson(OPERATOR, { email: EMAIL, password: 'long-enough-1' });
  const { personId, cookie } = await signInTo(EMAIL);
  const tokens = await openIdTokens(client, { cookie, scope: 'openid offline_access' });
  const me = {
    kind: 'person',
    id: personId,
    email: EMAIL,
    roles: [],
    signedInAt: null,
    request: null,
  } as const;
  return { me, tokens, sid: decodeJwt(tokens['id_token'] ?? '')['sid'] };
}
const waiting = () => sql('select client_id, person_id from logout_deliveries');
const told = () => receivers.received.map(({ form }) => decodeJwt(form.get('logout_token') ?? ''));

test.each([
  [
    'by the person',
    (id: string, me: Parameters<typeof deleteMyAccount>[0]) => deleteMyAccount(me, { word: 'delete' }),
  ],
  ['by an administrator', (id: string) => deletePerson(OPERATOR, { id })],
])('clients are notified of the logout after the account is deleted: %s', async (_, remove) => {
  const { me, tokens, sid } = await givenSignedIn();
  await remove(me.id, me);
  expect(await waiting()).toEqual([{ client_id: 'told', person_id: me.id }]);
  await deliverLogouts();
  expect(told()).toMatchObject([{ sub: me.id, sid, aud: 'told' }]);
  expect(await waiting()).toEqual([]);
  const form = { ...client, grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' };
  expect((await ask('/auth/pw/api/orders/token', { form })).status).toBe(400);
  const headers = { authorization: `Bearer ${tokens['access_token']}` };
  expect((await ask('/auth/pw/api/orders/userinfo', { headers })).status).toBe(401);
});

test('a client that is slow or fails is notified of the logout even after the account is deleted', async () => {
  receivers.answers.set('told', 'slow');
  const { me } = await givenSignedIn();
  await sql('update sessions set ended_at = now() where person_id = $1', [me.id]);
  const delivered = deliverLogouts();
  await until(() => receivers.received.length === 1);
  await deleteMyAccount(me, { word: 'delete' });
  receivers.release();
  await delivered;
  expect(await waiting()).toEqual([]);
  receivers.answers.set('told', 503);
  const again = await givenSignedIn();
  await deleteMyAccount(again.me, { word: 'delete' });
  await deliverLogouts();
  expect(await waiting()).toHaveLength(1);
  receivers.answers.set('told', 200);
  await sql('update logout_deliveries set next_try_at = now()');
  await deliverLogouts();
  expect(told().map(({ sub }) => sub)).toEqual([me.id, again.me.id, again.me.id]);
  expect(await events('logout.undelivered')).toEqual([]);
});
