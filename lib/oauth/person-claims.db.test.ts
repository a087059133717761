// Claims of users from a real broker and a real verifier: Gatehouse stores them at the sign-in and returns them to
// clients.
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { throughBroker } from '#testing/brokers/broker.ts';
import {
  brokerWith,
  byBroker,
  elsewhere,
  givenPeopleElsewhere,
  userinfo,
} from '#testing/brokers/people-elsewhere.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';

givenPeopleElsewhere();

test.each([false, true])(
  'the scope profile returns a broker’s profile and mapped claims (in the broker’s ID token: %s)',
  async (inIdToken) => {
    elsewhere.say = {
      given_name: 'Brenda',
      picture: 'https://x.example/b.png',
      memberOf: ['staff', 'eu'],
      shoe_size: 39,
    };
    elsewhere.say['address'] = { locality: 'Delft', country: 'NL' };
    await brokerWith({ claims: { groups: 'memberOf', address: 'address', size: 'shoe_size' } }, inIdToken);
    const all = {
      name: 'brenda',
      given_name: 'Brenda',
      picture: 'https://x.example/b.png',
      groups: ['staff', 'eu'],
      size: 39,
      email: 'brenda@partner.example',
      email_verified: false,
      address: { locality: 'Delft', country: 'NL' },
    };
    expect(await userinfo(await byBroker('brenda'))).toEqual(all);
    const { email: _, email_verified: __, address: ___, ...profile } = all;
    expect(await userinfo(await byBroker('brenda', 'openid profile'))).toEqual(profile);
    expect(await userinfo(await byBroker('brenda', 'openid'))).toEqual({});
  },
);

test('claims that the broker or the claim map no longer contains are deleted at the user’s next sign-in', async () => {
  elsewhere.say = { memberOf: ['staff'], shoe_size: 39, given_name: 'Gus' };
  await brokerWith({ claims: { groups: 'memberOf', size: 'shoe_size' } });
  expect(await userinfo(await byBroker('gus', 'openid profile'))).toMatchObject({
    groups: ['staff'],
    size: 39,
  });
  elsewhere.say = { shoe_size: 40 };
  await brokerWith({ claims: { groups: 'memberOf' } });
  expect(await userinfo(await byBroker('gus', 'openid profile'))).toEqual({ name: 'gus' });
});

test.each([
  [{ trust_email: true }, { email_verified: true }, true],
  [{ trust_email: true }, { email_verified: 'true' }, true],
  [{ trust_email: true }, { email_verified: false }, false],
  [{ trust_email: true }, { email_verified: undefined }, false],
  [{ trust_email: true }, { email_verified: 1 }, false],
  [{ trust_email: true, claims: { email_verified: 'verified' } }, { verified: true }, true],
  [{ trust_email: true, claims: { email_verified: 'verified' } }, { email_verified: true }, false],
  [{}, { email_verified: true }, false],
])('email_verified for the method %j and the broker claims %j: %s', async (method, says, verified) => {
  for (const inIdToken of [false, true]) {
    elsewhere.say = says;
    await brokerWith(method, inIdToken);
    expect(await userinfo(await byBroker('vera', 'openid email'))).toEqual({
      email: 'vera@partner.example',
      email_verified: verified,
    });
  }
});

test('email_verified is true only while the method’s setting trust_email is on', async () => {
  elsewhere.say = { email_verified: true };
  await brokerWith({ trust_email: true });
  const tokens = await byBroker('trudy', 'openid email');
  expect(await userinfo(tokens)).toMatchObject({ email_verified: true });
  await brokerWith({});
  expect(await userinfo(tokens)).toMatchObject({ email_verified: false });
});

test('invalid claim values of a broker are ignored, and the sign-in succeeds without them', async () => {
  elsewhere.say = {
    given_name: ['not', 'a text'],
    picture: 'a NUL \u0000',
    memberOf: ['staff', 7, { odd: true }],
    odd: { deep: { er: true } },
    shoe_size: null,
    big: 'x'.repeat(9_000),
  };
  const claims = { groups: 'memberOf', odd: 'odd', size: 'shoe_size', big: 'big', missing: 'constructor' };
  await brokerWith({ claims });
  expect(await userinfo(await byBroker('odette', 'openid profile'))).toEqual({
    name: 'odette',
    // only the first of several values is used
    given_name: 'not',
    // invalid entries are removed from lists
    groups: ['staff', '7'],
  });
  elsewhere.say = {
    memberOf: Array.from({ length: 400 }, (_, at) => `group-${at}`),
    big: 'x'.repeat(4_000),
    odd: 'last',
  };
  await brokerWith({ claims });
  const { big, ...rest } = await userinfo(await byBroker('odette', 'openid profile'));
  expect([String(big).length, rest]).toEqual([4_000, { name: 'odette', odd: 'last' }]);
});

test('a broker’s amr is copied to the ID token’s amr, and its acr to broker_acr, never to acr', async () => {
  await brokerWith({});
  const payload = decodeJwt((await byBroker('amy', 'openid'))['id_token'] ?? '');
  expect(payload).toMatchObject({ amr: ['pwd', 'otp'], broker_acr: 'urn:partner:gold' });
  expect(payload).not.toHaveProperty('acr');
  // a list of authentication methods and an `acr` that are longer than any real value
  Object.assign(elsewhere.proof, { amr: Array.from({ length: 21 }, () => 'pwd'), acr: 'x'.repeat(201) });
  const bounded = decodeJwt((await byBroker('amos', 'openid'))['id_token'] ?? '');
  for (const absent of ['acr', 'amr', 'broker_acr']) expect(bounded).not.toHaveProperty(absent);
});

const departing = async (over: Record<string, string>) => {
  const asked = {
    client_id: 'tru',
    response_type: 'code',
    redirect_uri: 'https://tru.example/cb',
    scope: 'openid',
  };
  return locationOf(
    await ask(`/auth/brk/api/orders/authorize?${new URLSearchParams({ ...asked, ...over })}`),
  );
};

test('prompt=create and prompt=select_account also reach the broker as prompt=login', async () => {
  await brokerWith({});
  for (const prompt of ['create', 'select_account', 'login'])
    expect(new URL(await departing({ prompt })).searchParams.get('prompt'), prompt).toBe('login');
});

test('a broker sign-in issues no token if the client’s request names another user', async () => {
  await brokerWith({});
  const claims = JSON.stringify({ id_token: { sub: { value: '01234567-89ab-4cde-8f01-23456789abcd' } } });
  const back = new URL(await throughBroker({ location: await departing({ claims }) }, 'brenda'));
  const form = {
    ...{ client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures', grant_type: 'authorization_code' },
    ...Object.fromEntries(back.searchParams),
  };
  const answer = await ask('/auth/token', { form });
  expect([answer.status, jsonOf(answer)['error']]).toEqual([400, 'invalid_grant']);
});
