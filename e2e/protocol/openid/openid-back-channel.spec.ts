// The conformance suite's plan Back-Channel Logout OP, each test named after its module.
import { expect, test } from '@playwright/test';
import { jwtVerify } from 'jose';
import { startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import { until } from '#testing/net/until.ts';
import { Browser } from '#testing/service/browser.ts';
import { openIdCast, RelyingParty } from '../../support/clients/openid.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
test.beforeAll(async () => {
  receivers = await startLogoutReceivers();
});
test.afterAll(() => receivers.close());

eachDoor((door) => {
  test('oidcc-backchannel-logout-discovery-endpoint-verification: the metadata announce back-channel logout, with sessions', async () => {
    const { rp } = await openIdCast(door);
    expect(rp.metadata).toMatchObject({
      end_session_endpoint: `${rp.metadata.issuer}/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });

  test('oidcc-backchannel-rp-initiated-logout: each client of the session is notified once, and token and ID token share the signing algorithm', async () => {
    const person = await makePerson();
    const browser = new Browser(door);
    const given = async (alg: 'RS256' | 'ES256') => {
      // the test receives notifications for many clients; the last path segment identifies the client
      const name = `${door.name}-${alg}`;
      const client = await makeClient({ backchannelLogoutUri: `${receivers.url}/${name}?tenant=7` });
      await sql('update clients set id_token_signed_response_alg = $2 where client_id = $1', [
        client.clientId,
        alg,
      ]);
      const rp = await RelyingParty.at(door, client);
      return { name, alg, rp, signedIn: await rp.signIn(browser, person) };
    };
    const first = await given('RS256');
    const told = [first, await given('ES256')];
    const asked = { id_token_hint: first.signedIn.idToken };
    expect((await browser.get(first.rp.signOutUrl(asked))).status).toBe(200);

    const arrived = () => receivers.received.filter(({ client }) => client.startsWith(`${door.name}-`));
    await until(() => arrived().length >= told.length);
    expect(arrived().map(({ client }) => client)).toEqual(
      expect.arrayContaining(told.map(({ name }) => name)),
    );
    expect(arrived()).toHaveLength(told.length);
    for (const { name, alg, rp, signedIn } of told) {
      const one = arrived().find(({ client }) => client === name);
      expect(one?.type).toBe('application/x-www-form-urlencoded');
      expect([...(one?.form.keys() ?? [])]).toEqual(['logout_token']);
      const { payload } = await jwtVerify(one?.form.get('logout_token') ?? '', rp.keys, {
        issuer: rp.metadata.issuer,
        audience: rp.client.clientId,
        algorithms: [alg],
        typ: 'logout+jwt',
        maxTokenAge: 120,
      });
      // the payload contains no other members and no nonce
      expect(payload).toEqual({
        iss: rp.metadata.issuer,
        aud: rp.client.clientId,
        sub: person.id,
        sid: signedIn.claims['sid'],
        iat: expect.any(Number),
        exp: (payload.iat ?? 0) + 120,
        jti: expect.any(String),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
    }
  });
});
