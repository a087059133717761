// Sign-in with provider presets. Each fake provider behaves like the original provider, under the original's host
// names.
import { exportPKCS8 } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import {
  arrive,
  depart,
  forgetAll,
  givenBroker,
  knownThere,
  signInAt,
} from '#testing/brokers/at-scripted-broker.ts';
import {
  OTHER_TENANT,
  type ProviderFakes,
  startProviderFakes,
  TENANT,
} from '#testing/brokers/provider-fakes.ts';
import { ask, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';

let fakes: ProviderFakes;
let appleKey: string;
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  fakes = await startProviderFakes();
  appleKey = await exportPKCS8(fakes.appleKey);
});
afterAll(() => fakes.close());
afterEach(() => shiftClock(0));
beforeEach(async () => {
  Object.assign(fakes.script, { idToken: {}, user: { id: 7, login: 'ada' }, emails: [], token: null });
  fakes.asked.length = 0;
  await forgetAll();
});

const MINE = { client_id: 'gatehouse', allow_private_network: true, trust_email: true };
const given = (preset: string, more: object = {}, secret = 'a secret') =>
  givenBroker({ preset, ...MINE, ...more }, secret);
async function signIn(): Promise<number> {
  return (await signInAt(fakes)).answer.status;
}
/** Returns the callback's status and the stored users. */
async function signedIn() {
  const status = await signIn();
  return [status, ...(await knownThere()).map(({ person: _, ...rest }) => rest)];
}

const APPLE_CONFIG = { signed_secret: { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' } };

describe('google', () => {
  it.each([
    ['ada@gmail.com', true, undefined, true],
    ['ada@a.example', true, 'a.example', true],
    ['ada@a.example', true, undefined, false],
    ['ada@a.example', false, 'a.example', false],
    ['ada@gmail.com.evil.example', true, undefined, false],
    ['ada@gmail.com', 'true', undefined, true],
  ])(
    'for the address %s (email_verified %s, hd %s), Gatehouse sets verified to %s',
    async (email, email_verified, hd, verified) => {
      await given('google');
      fakes.script.idToken = { email, email_verified, hd };
      expect(await signedIn()).toEqual([303, expect.objectContaining({ email, verified })]);
    },
  );

  it.each([
    [['a.example'], 'A.example', 303],
    [['b.example', 'a.example'], 'a.example', 303],
    [['a.example'], 'evil.example', 400],
    [['a.example'], undefined, 400],
  ])('with the setting domains %j, a sign-in with hd %s returns %d', async (domains, hd, status) => {
    await given('google', { domains });
    const { asked } = await depart(fakes);
    expect(asked.get('hd')).toBe(domains.length === 1 ? 'a.example' : '*');
    fakes.script.idToken = { hd };
    expect(await signIn()).toBe(status);
  });
});

describe('microsoft', () => {
  const THIRD = '22222222-3333-4444-8555-666666666666';
  const iss = (tid: string) => `https://login.microsoftonline.com/${tid}/v2.0`;
  it.each<[string, object, object, (number | string)[]]>([
    ['one tenant', { tenant: TENANT }, { tid: TENANT }, [303, 'o']],
    ['another than the one', { tenant: TENANT }, { tid: OTHER_TENANT }, [400]],
    ['a list', { tenants: [TENANT, OTHER_TENANT] }, { tid: OTHER_TENANT }, [303, `${OTHER_TENANT}/o`]],
    ['a list of one', { tenants: [TENANT.toUpperCase()] }, { tid: TENANT }, [303, `${TENANT}/o`]],
    ['a tid outside the list', { tenants: [TENANT] }, { tid: OTHER_TENANT }, [400]],
    ['a tid outside a list of several', { tenants: [TENANT, THIRD] }, { tid: OTHER_TENANT }, [400]],
    ['any', { tenant: 'common', tenants: 'any' }, { tid: OTHER_TENANT }, [303, `${OTHER_TENANT}/o`]],
    ['no tid', { tenant: 'organizations', tenants: 'any' }, { tid: undefined }, [400]],
    ['a tid that is no GUID', { tenant: 'organizations', tenants: 'any' }, { tid: 'evil' }, [400]],
    [
      'iss of another tenant than tid',
      { tenant: 'organizations', tenants: 'any' },
      { tid: TENANT, iss: iss(OTHER_TENANT) },
      [400],
    ],
    ['no oid', { tenant: TENANT }, { tid: TENANT, oid: undefined }, [400]],
  ])('%s', async (_, more, idToken, expected) => {
    await given('microsoft', more);
    fakes.script.idToken = { oid: 'o', ...idToken };
    const status = await signIn();
    expect([status, ...(await knownThere()).map(({ subject }) => subject)]).toEqual(expected);
  });

  it('an email address typed by a provider’s administrator is unverified (nOAuth)', async () => {
    await given('microsoft', { tenant: TENANT });
    fakes.script.idToken = { oid: 'o', tid: TENANT, email: 'ada@a.example', email_verified: true };
    expect(await signedIn()).toEqual([303, expect.objectContaining({ verified: false })]);
  });

  it('adding a tenant to the list keeps the users, and replacing a single tenant by a list creates new users', async () => {
    fakes.script.idToken = { oid: 'o', tid: TENANT };
    const people = async (more: object) => {
      await given('microsoft', more);
      await signIn();
      return (await knownThere()).map(({ person }) => person);
    };
    const first = await people({ tenants: [TENANT] });
    expect(await people({ tenants: [TENANT, OTHER_TENANT] })).toEqual(first);
    expect(await people({ tenant: 'common', tenants: 'any' })).toEqual(first);
    expect(await people({ tenant: TENANT })).not.toEqual(first);
  });
});

describe('github', () => {
  it('a response without iss is accepted, and an iss that is present must match', async () => {
    await given('github');
    expect((await signInAt(fakes, {}, 'https://github.com/login/oauth')).answer.status).toBe(303);
    expect((await signInAt(fakes, {}, 'https://github.com')).answer.status).toBe(400);
    expect(await signIn()).toBe(303);
  });

  it.each([
    ['bad_verification_code', 400],
    ['incorrect_client_credentials', 503],
  ])('a response with status 200 and %s causes status %d', async (error, status) => {
    await given('github');
    fakes.script.token = { error };
    expect(await signIn()).toBe(status);
  });
});

describe('apple', () => {
  const apple = (more: object = {}, key = appleKey) => given('apple', { ...APPLE_CONFIG, ...more }, key);
  /** Posts the form from Apple's site without the cookie; returns the status of the following GET. */
  async function formOf(fields: [string, string][]): Promise<number> {
    const { state, cookie, asked } = await depart(fakes);
    expect([asked.get('response_mode'), asked.get('code_challenge')]).toEqual(['form_post', null]);
    const form = new URLSearchParams([['code', 'c'], ['state', state], ...fields]);
    const posted = await ask('/auth/callback/brk', { form });
    expect(posted.headers['set-cookie']).toBeUndefined();
    expect(locationOf(posted)).not.toMatch(/Ada|Lovelace/);
    return (await arrive(locationOf(posted).split('?')[1] ?? '', cookie)).status;
  }
  const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'x@evil.example' });

  it('the name that Apple sends only once is stored, and a string as email_verified is accepted', async () => {
    await apple();
    fakes.script.idToken = { email: 'relay@privaterelay.appleid.com', email_verified: 'true' };
    expect(await formOf([['user', user]])).toBe(303);
    const [first] = await knownThere();
    expect(first).toMatchObject({
      email: 'relay@privaterelay.appleid.com',
      verified: true,
      name: 'Ada Lovelace',
    });
    expect(await formOf([])).toBe(303);
    expect(await knownThere()).toEqual([first]);
  });

  it.each<[string, [string, string][]]>([
    [
      'a second user field',
      [
        ['user', user],
        ['user', user],
      ],
    ],
    ['no JSON', [['user', 'Ada Lovelace']]],
    ['a name that is none', [['user', '{"name":{"firstName":7,"lastName":["Lovelace"]}}']]],
  ])('an ID token with %s signs nobody in', async (_, fields) => {
    await apple();
    expect(await formOf(fields)).toBe(303);
    expect(await knownThere()).toMatchObject([{ name: null, email: null }]);
  });

  it('a name that is sent with a bad code is discarded, and a name in the query is ignored', async () => {
    await apple();
    const { state, cookie } = await depart(fakes);
    const posted = await ask('/auth/callback/brk', {
      form: new URLSearchParams({ code: 'bad', state, user }),
    });
    expect((await arrive(locationOf(posted).split('?')[1] ?? '', cookie)).status).toBe(400);
    expect(await knownThere()).toEqual([]);
    const other = await depart(fakes);
    const query = new URLSearchParams({ code: 'c', state: other.state, user });
    expect((await arrive(`${query}`, other.cookie)).status).toBe(303);
    expect(await knownThere()).toMatchObject([{ name: null }]);
  });

  it.each([
    ['a wrong team', { signed_secret: { team_id: 'ZZZZZ99999', key_id: 'FGHIJ67890' } }, 0],
    ['a wrong key id', { signed_secret: { team_id: 'ABCDE12345', key_id: 'ZZZZZ99999' } }, 0],
    ['a verifier that it breaks on', { pkce: true }, 0],
    ['HTTP Basic', { token_endpoint_auth_method: 'client_secret_basic' }, 0],
    ['a clock an hour ahead', {}, 3_600_000],
    ['a clock an hour behind', {}, -3_600_000],
  ])(
    '%s is reported as a failure of the provider, not as a rejection of the user',
    async (_, more, ahead) => {
      await apple(more);
      shiftClock(ahead);
      const { state, cookie } = await depart(fakes);
      expect((await arrive(`code=c&state=${state}`, cookie)).status).toBe(503);
    },
  );
});

it.each<[string, string, object, number]>([
  ['linkedin', 'with a verifier', { pkce: true }, 503],
  ['linkedin', 'by HTTP Basic', { token_endpoint_auth_method: 'client_secret_basic' }, 503],
  ['linkedin', 'with a nonce', { nonce: true }, 400],
  ['x', 'in the body', { token_endpoint_auth_method: 'client_secret_post' }, 400],
  ['x', 'by a member that is not in data', { subject_claim: 'id' }, 503],
])('%s with a setting that it does not support (%s) signs nobody in', async (preset, _, more, status) => {
  fakes.script.user = { id: '7' };
  await given(preset, more);
  expect(await signIn()).toBe(status);
  expect(await knownThere()).toEqual([]);
});

it('facebook: appsecret_proof is computed from secret and token, and a wrong secret signs nobody in', async () => {
  await given('facebook');
  expect(await signIn()).toBe(303);
  await given('facebook', {}, 'another secret');
  expect(await signIn()).toBe(503);
});
