// Sign-ins by presets at oidc-provider. That library, rather than Gatehouse, makes the code, checks the challenge and
// the secret, and signs the ID token.
import { exportPKCS8 } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  AUTHORIZE,
  arrive,
  forgetAll,
  givenBroker,
  knownThere,
} from '#testing/brokers/at-scripted-broker.ts';
import { OTHER_TENANT, TENANT } from '#testing/brokers/provider-fakes.ts';
import { SECRET, type SigningProviders, startSigningProviders } from '#testing/brokers/signing-providers.ts';
import { ask, cookieOf, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';

const ASKED = {
  ...{ client_id: 'tru', response_type: 'code', redirect_uri: 'https://tru.example/cb', state: 'theirs' },
};
let providers: SigningProviders;
let appleKey: string;
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  providers = await startSigningProviders(`${settings().authUrl}/auth/callback/brk`);
  appleKey = await exportPKCS8(providers.appleKey);
});
afterAll(() => providers.close());
beforeEach(async () => {
  Object.assign(providers.script, { subject: '1', claims: {}, cancels: false });
  await forgetAll();
});

const given = (preset: string, more: object) =>
  givenBroker(
    { preset, client_id: 'gatehouse', allow_private_network: true, trust_email: true, ...more },
    preset === 'apple' ? appleKey : SECRET,
  );
type Change = (location: URL) => void;
/** Completes a sign-in; returns the callback's status. `more`: extra fields of the form post. */
async function signIn(more: [string, string][] = [], change: Change = () => undefined): Promise<number> {
  const started = await ask(`${AUTHORIZE}?${new URLSearchParams(ASKED)}`);
  const cookie = cookieOf(started);
  const location = new URL(locationOf(started));
  change(location);
  const back = await providers.browse(location.href);
  if ('query' in back) return (await arrive(back.query, cookie)).status;
  const form = new URLSearchParams([...back.form, ...more]);
  const posted = await ask('/auth/callback/brk', { form });
  expect(posted.status).toBe(303);
  return (await arrive(locationOf(posted).split('?')[1] ?? '', cookie)).status;
}

const APPLE = { signed_secret: { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' } };
const ENTRA = { oid: 'o', tid: TENANT, xms_edov: true };
const PRESETS: [string, object, Record<string, unknown>, string][] = [
  ['google', {}, { hd: 'a.example' }, '1'],
  ['microsoft', { tenant: TENANT }, ENTRA, 'o'],
  ['microsoft', { tenants: [TENANT, OTHER_TENANT] }, ENTRA, `${TENANT}/o`],
  ['microsoft', { tenant: 'common', tenants: 'any' }, ENTRA, `${TENANT}/o`],
  ['apple', APPLE, { email_verified: 'true' }, '1'],
  ['gitlab', {}, {}, '1'],
];

it.each(PRESETS)(
  '%s %j: the signed claims identify the user, and a later sign-in identifies the same user',
  async (preset, more, says, subject) => {
    await given(preset, more);
    const told = (email: string) =>
      Object.assign(providers.script.claims, { email, email_verified: true, ...says });
    told('ada@a.example');
    expect(await signIn()).toBe(303);
    const [first] = await knownThere();
    expect(first).toMatchObject({ subject, email: 'ada@a.example', verified: true });
    told('lovelace@b.example');
    expect(await signIn()).toBe(303);
    expect(await knownThere()).toEqual([{ ...first, email: 'lovelace@b.example' }]);
  },
);

it.each(PRESETS)(
  '%s %j: Cancel, a wrong nonce, a wrong challenge and a wrong secret sign nobody in',
  async (preset, more, says) => {
    await given(preset, more);
    providers.script.claims = { ...says };
    providers.script.cancels = true;
    expect(await signIn()).toBe(400);
    providers.script.cancels = false;
    expect(await signIn([], ({ searchParams }) => searchParams.set('nonce', 'of another'))).toBe(400);
    if (preset !== 'apple')
      expect(await signIn([], ({ searchParams }) => searchParams.set('code_challenge', 'A'.repeat(43)))).toBe(
        400,
      );
    await (preset === 'apple'
      ? given(preset, { signed_secret: { team_id: 'ZZZZZ99999', key_id: 'FGHIJ67890' } })
      : givenBroker({ preset, client_id: 'gatehouse', allow_private_network: true, ...more }, 'another'));
    expect(await signIn()).toBe(503);
    expect(await knownThere()).toEqual([]);
  },
);

it('microsoft: a tenant outside of the list is rejected', async () => {
  await given('microsoft', { tenants: [OTHER_TENANT, '9188040d-6c67-4c5b-b112-36a304b66dad'] });
  providers.script.claims = { ...ENTRA };
  expect(await signIn()).toBe(400);
  expect(await knownThere()).toEqual([]);
});

it('apple: the name of the user is read from the posted form', async () => {
  await given('apple', APPLE);
  const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } });
  expect(await signIn([['user', user]])).toBe(303);
  expect(await knownThere()).toMatchObject([{ subject: '1', name: 'Ada Lovelace' }]);
});
