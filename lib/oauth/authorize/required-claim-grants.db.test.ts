// A subscription with a required claim issues tokens only to users with the claim, by every grant. Tokens become
// inactive if the user loses the claim.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { changeTerms } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import type { RequiredClaim } from '#lib/registry/claims.ts';
import { brokerWith, byBroker, elsewhere, givenPeopleElsewhere } from '#testing/brokers/people-elsewhere.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import {
  granted,
  type IdentityProvider,
  makeIdJag,
  outcome,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { type Alice, exchangeAs, givenAlice, introspect, letAct } from '#testing/in-process/delegations.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { openIdTokens } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const NOBODY = { name: 'email', values: ['nobody@example.com'] };
const noActor = { actor_token: '', actor_token_type: '' };
const FINANCE = { name: 'groups', values: ['finance'] };

givenPeopleElsewhere();
const term = (clientId: string, requiredClaim: RequiredClaim | null, api = 'orders') =>
  changeTerms(OPERATOR, { clientId, api, requiredClaim });
const answerOf = async (form: Record<string, string>, path = '/auth/pw/api/orders') => {
  const answer = await ask(`${path}/token`, { form: { ...TRU, ...form } });
  return `${answer.status} ${jsonOf(answer)['error'] ?? ''}`.trim();
};

describe('local users', () => {
  let alice: Alice;
  beforeEach(async () => {
    await term('tru', null);
    await term('conf', null);
    await term('conf', null, 'billing');
    alice = await givenAlice();
  });

  test('the password grant fails if the user lacks the required claim', async () => {
    const form = { grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' };
    await term('tru', NOBODY);
    expect(await answerOf(form)).toBe('400 invalid_grant');
    await expectReason('tru', 'person-refused');
    await term('tru', null);
    expect(await answerOf(form)).toBe('200');
  });

  test('an ID-JAG for another service is issued only to a user with the required claim', async () => {
    const audience = 'https://login.chat.example';
    await changeClient(OPERATOR, { clientId: 'tru', idJagAudiences: [audience] });
    const type = 'urn:ietf:params:oauth:token-type';
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: `${type}:id-jag`,
      subject_token: (await openIdTokens(TRU, { cookie: alice.cookie, scope: 'openid' }))['id_token'] ?? '',
      subject_token_type: `${type}:id_token`,
      audience,
    };
    expect(await answerOf(form)).toBe('200');
    await term('tru', NOBODY);
    expect(await answerOf(form)).toBe('400 invalid_request');
  });

  test('exchange and introspection of a delegation check the required claims of the agent and of the subject token’s client', async () => {
    await letAct(alice, 'billing');
    await term('conf', NOBODY, 'billing');
    expect(await exchangeAs(alice)).toMatchObject({ status: 400, error: 'invalid_request' });
    await term('conf', null, 'billing');
    const given = await exchangeAs(alice);
    const active = async () => (await introspect(given['access_token'], 'billing'))['active'];
    expect(await active()).toBe(true);
    await term('conf', NOBODY, 'billing');
    expect(await active()).toBe(false);
    await term('conf', null, 'billing');
    // now the client whose token was exchanged requires a claim that the user lacks
    await term('tru', NOBODY);
    expect(await active()).toBe(false);
    expect(await exchangeAs(alice)).toMatchObject({ status: 400 });
  });

  test('a trusted token exchange fails if the user lacks the required claim', async () => {
    const exchange = () =>
      exchangeAs({ ...alice, subject: alice.actor }, { ...TRU, audience: 'orders', ...noActor });
    expect((await exchange()).status).toBe(200);
    await term('tru', NOBODY);
    expect(await exchange()).toMatchObject({ status: 400, error: 'invalid_request' });
  });
});

describe('a received ID-JAG', () => {
  let idp: IdentityProvider;
  beforeAll(async () => {
    idp = await startIdentityProvider();
    await brokerWith({ claims: { groups: 'groups' } });
    await trustForMachines(idp, 'conf');
  });
  afterAll(async () => {
    await idp.close();
  });

  test('a received ID-JAG is accepted only if the broker’s latest assertion contains the required claim', async () => {
    await term('conf', FINANCE);
    const says = async (groups: string[]) => {
      // times are in whole seconds, so an assertion must be newer than the stored claims
      await sql(
        "update external_identities set last_seen_at = now() - interval '1 minute' where subject = 'ida'",
      );
      return makeIdJag(idp, { claims: { sub: 'ida', groups } });
    };
    expect(await outcome(await says(['sales']))).toBe('400 invalid_grant');
    await expectReason('conf', 'person-refused');
    const { access_token } = await granted(await says(['finance']));
    const active = async () => (await introspect(access_token, 'orders'))['active'];
    expect(await active()).toBe(true);
    expect(await outcome(await says(['sales']))).toBe('400 invalid_grant');
    expect(await active()).toBe(false);
  });
});

describe('users of a broker', () => {
  const refresh = ({ refresh_token = '' }: Record<string, string>) =>
    answerOf({ grant_type: 'refresh_token', refresh_token }, '/auth/brk/api/orders');

  beforeEach(async () => {
    await brokerWith({ claims: { groups: 'memberOf' } });
    await term('tru', FINANCE);
  });

  test('a user who was removed from the group at the broker loses access at the next sign-in, in every session', async () => {
    elsewhere.say = { memberOf: ['staff', 'finance'] };
    const tokens = await byBroker('gina');
    elsewhere.say = { memberOf: ['staff'] };
    await expect(byBroker('gina')).rejects.toThrow();
    expect(await refresh(tokens)).toBe('400 invalid_grant');
    await expectReason('tru', 'person-refused');
    elsewhere.say = { memberOf: 'finance' };
    await byBroker('gina');
    expect(await refresh(tokens)).toBe('200');
  });

  test('group claims over 8 KB are not stored, and the user is denied access', async () => {
    elsewhere.say = { memberOf: Array.from({ length: 1_000 }, (_, at) => (at ? `group-${at}` : 'finance')) };
    await expect(byBroker('greta')).rejects.toThrow();
    elsewhere.say = { memberOf: Array.from({ length: 1_000 }, (_, at) => (at ? `g${at}` : 'finance')) };
    expect((await byBroker('greta'))['access_token']).toBeDefined();
  });

  test('a claim from another method does not satisfy required_claim, even if the user names are identical', async () => {
    await sql(`insert into external_identities (auth_method_id, subject, person_id, claims)
      select 'pw', 'x', id, '{"groups": ["finance"]}' from people where email = 'alice@example.com'`);
    elsewhere.say = {};
    await expect(byBroker('alice')).rejects.toThrow();
  });
});
