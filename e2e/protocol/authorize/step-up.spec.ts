// Step-up (RFC 9470) from end to end: an unmodified openid-client, an API in Node that runs the code of
// docs/how-to/step-up.md, one in Python, and the pages where a person proves an authenticator app.
import { expect, test } from '@playwright/test';
import * as openid from 'openid-client';
import { writeSnippet } from '#testing/code/doc-snippets.ts';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { Browser } from '#testing/service/browser.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { appCode } from '../../support/pages/second-factor.ts';
import {
  acr,
  addAppOn,
  GUIDE,
  startNodeApi,
  startPythonApi,
  WANTED,
  walk,
} from '../../support/pages/step-up.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door, type NamedDoor } from '../../support/service/doors.ts';
import { hasPython } from '../../support/service/python.ts';

type Wanted = Record<string, string>;
type Proof = () => Record<string, string>;

/** Client of this file's API, with a user's browser. */
class Visit {
  readonly rp: RelyingParty;
  readonly browser: Browser;
  readonly person: Person;
  constructor(rp: RelyingParty, door: NamedDoor, person: Person) {
    this.rp = rp;
    this.browser = new Browser(door);
    this.person = person;
  }

  /** Completes an authorization request and returns openid-client's result. */
  async signIn(wanted: Wanted, proof?: Proof) {
    const asked = await this.rp.pkceRequest({ scope: 'openid read', ...wanted });
    const address = openid.buildAuthorizationUrl(this.rp.config, asked.params as Wanted);
    const { pages, page } = await walk(this.browser, address, this.person, proof);
    return { pages, ...(await this.rp.finish(asked, page.location)) };
  }
}

let api: { id: string };
let client: Client;
let rp: RelyingParty;
let strict: RelyingParty;

test.beforeAll(async () => {
  api = await makeApi({ required_acr: acr('password'), second_factor: 'off' });
  const elsewhere = await makeApi({ second_factor: 'required' });
  client = await makeClient({ apis: [api.id, elsewhere.id] });
  rp = await RelyingParty.at(door, client, { at: { api: api.id } });
  strict = await RelyingParty.at(door, client, { at: { api: elsewhere.id } });
});

const visitOf = (person: Person) => new Visit(rp, door, person);

/**
 * Creates a user with an authenticator app, which is set up in another browser through an API that requires
 * a second factor.
 */
async function somebodyWithApp() {
  const person = await makePerson();
  const browser = new Browser(door);
  const asked = await strict.pkceRequest();
  const { page } = await walk(
    browser,
    openid.buildAuthorizationUrl(strict.config, asked.params as Wanted),
    person,
  );
  return { person, ...(await addAppOn(browser, page)) };
}

const APIS = [
  { language: 'Node', start: startNodeApi, missing: false },
  { language: 'Python', start: startPythonApi, missing: !hasPython('jwt, cryptography') },
];
for (const { language, start, missing } of APIS) {
  test(`RFC 9470: an API in ${language} requires a step-up, which openid-client performs and a refresh cannot replace`, async () => {
    test.skip(missing, 'PyJWT is not installed');
    const { strengthWanted } = (await import(writeSnippet('challenge.mjs', null, {}, undefined, GUIDE))) as {
      strengthWanted: (error: unknown) => Wanted | null;
    };
    const { person, secret, recoveryCodes } = await somebodyWithApp();
    const server = await start(door, api.id);
    const call = async (token: string) => {
      const answer = await openid.fetchProtectedResource(rp.config, token, server.url, 'GET');
      return [answer.status, await answer.text()];
    };
    const challengeTo = async (token: string) => {
      const error = await call(token).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }] });
      return strengthWanted(error);
    };
    const welcome = [200, person.id];
    try {
      const visit = visitOf(person);
      expect(rp.metadata['acr_values_supported']).toEqual(
        expect.arrayContaining([acr('password'), acr('mfa')]),
      );
      const weak = await visit.signIn({ acr_values: acr('password') });
      expect(weak.pages).not.toContain('confirm');
      expect(weak.claims['acr']).toBe(acr('password'));
      const wanted = (await challengeTo(weak.tokens.access_token)) ?? {};
      expect(wanted).toEqual(WANTED);

      await expect(visit.signIn({ ...wanted, prompt: 'none' })).rejects.toMatchObject({
        error: 'login_required',
      });
      const strong = await visit.signIn(wanted, () => ({ code: appCode(secret, 1) }));
      expect(strong.pages).toEqual(['confirm']);
      expect(strong.claims).toMatchObject({ acr: acr('mfa'), auth_time: weak.claims['auth_time'] });
      expect(await call(strong.tokens.access_token)).toEqual(welcome);

      const renewed = await openid.refreshTokenGrant(rp.config, weak.tokens.refresh_token ?? '');
      expect(await challengeTo(renewed.access_token)).toEqual(WANTED);
      const kept = await openid.refreshTokenGrant(rp.config, strong.tokens.refresh_token ?? '');
      expect(await call(kept.access_token)).toEqual(welcome);

      // the sign-in is older than the step-up allows, so both factors are required again
      await sql("update sessions set auth_time = auth_time - interval '20 minutes' where person_id = $1", [
        person.id,
      ]);
      const old = await visit.signIn({ acr_values: acr('mfa') });
      expect(old.pages).toEqual([]);
      const fresh = (await challengeTo(old.tokens.access_token)) ?? {};
      const again = await visit.signIn(fresh, () => ({ recovery_code: recoveryCodes[0] ?? '' }));
      expect(again.pages).toEqual(['login', 'confirm']);
      expect(await call(again.tokens.access_token)).toEqual(welcome);
    } finally {
      await server.close();
    }
  });
}

test('an API that requires a misspelt acr rejects password-only sign-ins', async () => {
  const server = await startNodeApi(door, api.id, 'mfa');
  const { tokens } = await visitOf(await makePerson()).signIn({});
  const called = openid.fetchProtectedResource(rp.config, tokens.access_token, server.url, 'GET');
  await expect(called).rejects.toMatchObject({ status: 401 });
  await server.close();
});

test('OpenID Connect Core Unmet Authentication Requirements 1.0: openid-client receives unmet_authentication_requirements for an acr that this user cannot reach', async () => {
  const unmet = { error: 'unmet_authentication_requirements' };
  const stranger = visitOf(await makePerson());
  const essential = JSON.stringify({ id_token: { acr: { essential: true, value: acr('mfa') } } });
  await stranger.signIn({});
  for (const wanted of [{ acr_values: acr('mfa') }, { claims: essential }])
    for (const prompt of [{}, { prompt: 'none' }])
      await expect(stranger.signIn({ ...wanted, ...prompt })).rejects.toMatchObject(unmet);

  const visit = visitOf((await somebodyWithApp()).person);
  await expect(visit.signIn({ acr_values: acr('phishing-resistant') })).rejects.toMatchObject(unmet);
  // after the failed step-up, a usual request shows that the authentication class of the session is unchanged
  expect((await visit.signIn({})).claims['acr']).toBe(acr('password'));
});
