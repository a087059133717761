// One Gatehouse as broker of another: two services with separate databases. The tested servers are the provider, this
// file's service is the client.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type At, Browser, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { gatehouse, type OwnService, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { eachDoor, nextDoor, nodeDoor } from '../../support/service/doors.ts';

const SHOP: Client = {
  clientId: 'shop',
  secret: 'a-secret-of-the-federated-shop',
  redirectUri: 'https://shop.example/cb',
};

/**
 * Starts a service whose methods are brokers. Each method is named after the tested server that is its
 * issuer.
 */
async function startFederated(): Promise<OwnService> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const own = await startOwnDatabase({ BASE_URL: url });
  const brokers = await Promise.all(
    [nodeDoor, nextDoor].map(async (door) => {
      const redirectUris = [`${url}/auth/callback/${door.name}`];
      const { clientId, secret } = await makeClient({ kind: 'confidential', redirectUris });
      return {
        id: door.name,
        type: 'broker',
        name: `Gatehouse ${door.name}`,
        issuer: issuerOf(door),
        client_id: clientId,
        client_secret: secret,
        allow_private_network: true,
      };
    }),
  );
  const file = path.join(own.folder, 'federated.yaml');
  const configuration = {
    auth_methods: brokers,
    apis: [
      {
        id: 'orders',
        name: 'Federated orders',
        url: 'https://api.example/federated',
        auth_methods: brokers.map(({ id }) => id),
        scopes: [{ name: 'read', description: 'See your orders' }],
      },
    ],
    clients: [
      {
        client_id: SHOP.clientId,
        client_name: 'Federated shop',
        confidential: true,
        client_secret: SHOP.secret,
        redirect_uris: [SHOP.redirectUri],
      },
    ],
    subscriptions: [{ client_id: SHOP.clientId, api: 'orders' }],
  };
  writeFileSync(file, stringify(configuration));
  gatehouse(own.env, 'migrate');
  gatehouse(own.env, 'apply', file);
  const server = await startDoor('node', port, own);
  const stop = async () => {
    await server.stop();
    await own.stop();
  };
  return { ...own, url, server, stop };
}

let federated: OwnService;
test.beforeAll(async () => {
  test.setTimeout(90_000);
  federated = await startFederated();
});
test.afterAll(() => federated.stop());

eachDoor((door) => {
  let person: Person;
  let rp: RelyingParty;
  let here: Browser;
  let there: Browser;
  const at: At = { method: door.name };

  test.beforeAll(async () => {
    person = await makePerson();
    rp = await RelyingParty.at(federated, SHOP, { at });
    here = new Browser(federated);
    there = new Browser(door);
  });

  /** At the provider: continues to the first user page, or redirects back to Gatehouse. */
  const atProvider = async (departure: Answer) => {
    expect(departure.location.startsWith(`${issuerOf(door)}/authorize?`), departure.location).toBe(true);
    return there.onward(await there.get(departure.location));
  };
  const signInThere = async (page: Answer) => {
    expect(isSignInPage(page)).toBe(true);
    const next = await there.onward(await there.signInOn(page, person));
    return isConsentPage(next) ? there.onward(await there.decideOn(next, 'allow')) : next;
  };

  test(`a Gatehouse user signs in at another Gatehouse, and the claims are transferred`, async () => {
    const asked = rp.request({ scope: 'openid profile email read' });
    const back = await signInThere(await atProvider(await here.authorize(asked.params, at)));
    expect(back.location.startsWith(`${federated.url}/auth/callback/${door.name}?`)).toBe(true);
    const consent = await here.onward(await here.get(back.location));
    expect(isConsentPage(consent), consent.text.slice(0, 300)).toBe(true);
    const answer = await here.onward(await here.decideOn(consent, 'allow'));
    const signedIn = await rp.finish(asked, answer.location);
    // the federated service has a separate user for the provider's user, identified by the provider's issuer and sub
    expect(signedIn.claims.sub).not.toBe(person.id);
    // the token contains the provider's amr, but not its acr
    const proof = { amr: ['pwd'], broker_acr: 'urn:gatehouse:acr:password' };
    expect(signedIn.claims).toMatchObject(proof);
    expect(signedIn.claims).not.toHaveProperty('acr');
    expect(await rp.userinfo(signedIn)).toMatchObject({
      name: person.name,
      email: person.email,
      email_verified: false,
    });

    // for prompt=none, the federated service answers from its own session; prompt=login reaches the provider's
    // sign-in page
    const silent = rp.request({ prompt: 'none', id_token_hint: signedIn.idToken });
    const again = await rp.finish(silent, (await here.authorize(silent.params, at)).location);
    expect(again.claims.sub).toBe(signedIn.claims.sub);
    expect(again.claims['auth_time']).toBe(signedIn.claims['auth_time']);
    expect(again.claims).toMatchObject(proof);
    const anew = rp.request({ prompt: 'login' });
    const page = await atProvider(await here.authorize(anew.params, at));
    const returned = await signInThere(page);
    const done = await here.onward(await here.get(returned.location));
    expect((await rp.finish(anew, done.location)).claims.sub).toBe(signedIn.claims.sub);
  });
});
