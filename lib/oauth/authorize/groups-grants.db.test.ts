// Scopes that require a group, at every grant: for members, non-members, and users with access to some scopes. Leaving
// the group has an immediate effect.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createGroup, setPersonGroups } from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { brokerWith, byBroker, elsewhere, givenPeopleElsewhere } from '#testing/brokers/people-elsewhere.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import {
  giveMachine,
  granted,
  type IdentityProvider,
  makeIdJag,
  outcome,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { type Alice, exchangeAs, givenAlice, introspect, letAct } from '#testing/in-process/delegations.ts';
import { connect, newDevice, poll } from '#testing/in-process/devices.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { openIdCode, openIdTokens, redeemFor } from '#testing/in-process/openid.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const noActor = { actor_token: '', actor_token_type: '' };
const ORDERS = '/auth/pw/api/orders';

givenPeopleElsewhere();

type Part = 'all' | 'part' | 'none';
/**
 * By default, users outside the group `editors` cannot get the scope `write`. `groups`: groups that have access
 * to the whole API.
 */
const orders = (groups: string[] = [], ofWrite: string[] | undefined = ['editors']) =>
  changeApi(OPERATOR, {
    id: 'orders',
    groups,
    scopes: [
      { name: 'read', description: 'See your orders' },
      { name: 'write', description: 'Place and change orders', ...(ofWrite && { groups: ofWrite }) },
    ],
  });
const inGroups = (...groups: string[]) => setPersonGroups(OPERATOR, { id: 'alice@example.com', groups });
/**
 * Sets up the group and its scopes for Alice. `all`: member of the group. `part`: non-member with access to other
 * scopes. `none`: non-member without access.
 */
async function given(part: Part): Promise<void> {
  await inGroups(...(part === 'all' ? ['editors'] : []));
  await orders(part === 'none' ? ['editors'] : []);
}
const scopeOf = (token: unknown) => decodeJwt(String(token))['scope'];
const SCOPES = { all: 'read write', part: 'read' };

let idp: IdentityProvider;
afterAll(() => idp.close());
beforeAll(async () => {
  idp = await startIdentityProvider();
  await giveMachine('conf', 'orders');
  await createGroup(OPERATOR, { id: 'editors', name: 'Editors' });
  await sql("update apis set device_grant = 'on' where id = 'orders'");
  await sql("update subscriptions set device = true where client_id in ('nat', 'tru') and api_id = 'orders'");
});
beforeEach(async () => {
  await sql('delete from consents');
  await orders();
  await inGroups('editors');
});

const tokenAnswer = async (form: Record<string, string>, path = ORDERS) => {
  const answer = await ask(`${path}/token`, { form: { ...TRU, ...form } });
  const body = jsonOf(answer) as Record<string, string>;
  return { status: answer.status, ...body } as { status: number } & Record<string, string>;
};

describe.each(['all', 'part', 'none'] as const)('%s of the scopes are permitted by groups', (part) => {
  test('code flow and prompt=none return only permitted scopes', async () => {
    const { cookie } = await givenAlice();
    await given(part);
    const query = {
      client_id: 'tru',
      response_type: 'code',
      redirect_uri: 'https://tru.example/cb',
      prompt: 'none',
    };
    const answer = await ask(`${ORDERS}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
    const back = new URL(String(answer.headers['location'])).searchParams;
    expect(back.get('error')).toBe(part === 'none' ? 'access_denied' : null);
    const visitor = new Visitor();
    if (part === 'none') {
      await expect(visitor.signIn(ALICE)).rejects.toThrow(/403/);
      return;
    }
    const code = (await visitor.signIn(ALICE)).client.get('code') ?? '';
    const tokens = jsonOf(await redeemFor(TRU, code));
    expect(scopeOf(tokens['access_token'])).toBe(SCOPES[part]);
    expect(tokens['scope']).toBe(SCOPES[part]);
  });

  test('the consent page shows only permitted scopes', async () => {
    await sql("delete from consents where client_id = 'conf'");
    await given(part);
    const visitor = new Visitor();
    const over = { client_id: 'conf', redirect_uri: 'https://conf.example/cb', scope: 'read write' };
    if (part === 'none') {
      await expect(visitor.signIn(ALICE, over)).rejects.toThrow(/403/);
      return;
    }
    const place = await visitor.signIn(ALICE, over);
    const view = await visitor.view('consent', place);
    if (view.kind !== 'ready') throw new Error('no consent is asked for');
    expect(view.scopes.map(({ name }) => name).join(' ')).toBe(SCOPES[part]);
    const back = await visitor.submit(place, { decision: 'allow' });
    expect(back.client.get('code')).not.toBeNull();
    const consents = await sql<{ scopes: string[] }>("select scopes from consents where client_id = 'conf'");
    expect(consents.map(({ scopes }) => scopes.join(' '))).toEqual([SCOPES[part]]);
  });

  test('a code issued before the user’s groups changed yields only the permitted scopes', async () => {
    const { cookie } = await givenAlice();
    const code = await openIdCode(TRU, { cookie, scope: 'read write' });
    await given(part);
    const answer = await redeemFor(TRU, code);
    if (part === 'none') {
      expect(jsonOf(answer)['error']).toBe('invalid_grant');
      await expectReason('tru', 'person-refused');
    } else expect(scopeOf(jsonOf(answer)['access_token'])).toBe(SCOPES[part]);
  });

  test('a refresh, with or without a scope parameter, returns only the permitted scopes', async () => {
    const { cookie } = await givenAlice();
    const tokens = await openIdTokens(TRU, { cookie, scope: 'read write' });
    await given(part);
    const form = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' };
    const wanted = await tokenAnswer({ ...form, scope: 'write' });
    if (part !== 'all') expect(wanted).toMatchObject({ status: 400, error: 'invalid_grant' });
    const again = part === 'all' ? { ...form, refresh_token: wanted['refresh_token'] ?? '' } : form;
    const renewed = await tokenAnswer(again);
    if (part === 'none') {
      expect(renewed).toMatchObject({ status: 400, error: 'invalid_grant' });
      await expectReason('tru', 'person-refused');
      expect((await introspect(tokens['access_token'], 'orders'))['active']).toBe(false);
    } else expect(scopeOf(renewed['access_token'])).toBe(SCOPES[part]);
    if (part === 'part') expect(renewed['scope']).toBe('read');
  });

  test('the password grant returns only the permitted scopes', async () => {
    await given(part);
    const answer = await tokenAnswer({ grant_type: 'password', ...ALICE });
    if (part === 'none') expect(answer).toMatchObject({ status: 400, error: 'invalid_grant' });
    else expect(answer).toMatchObject({ status: 200, scope: SCOPES[part] });
  });

  test('token exchange and delegation return only the permitted scopes', async () => {
    const alice = await givenAlice('read write');
    await letAct(alice, 'orders', ['read', 'write']);
    await given(part);
    for (const form of [{ ...TRU, audience: 'orders', ...noActor }, { audience: 'orders' }]) {
      const answer = await exchangeAs(alice, form);
      if (part === 'none') expect(answer).toMatchObject({ status: 400 });
      else expect(scopeOf(answer['access_token'])).toBe(SCOPES[part]);
      const asked = await exchangeAs(alice, { ...form, scope: 'write' });
      expect(asked.status).toBe(part === 'all' ? 200 : 400);
    }
  });

  test('a device receives only the permitted scopes', async () => {
    await given(part);
    const device = await newDevice({ scope: 'read write' });
    const done = await connect(device).catch(String);
    if (part === 'none') expect(String(done)).toMatch(/ended/);
    else expect(scopeOf((await poll(device))['access_token'])).toBe(SCOPES[part]);
  });

  test('exchanges of ID-JAG and broker code return only permitted scopes', async () => {
    try {
      await brokerWith({ claims: { groups: 'memberOf' } });
      await sql(
        `update groups set rules = '[{"auth_method": "brk", "claim": "groups", "values": ["e"]}]' where id = 'editors'`,
      );
      elsewhere.say = { memberOf: part === 'all' ? ['e'] : [] };
      await orders(part === 'none' ? ['editors'] : []);
      if (part === 'none') await expect(byBroker('gil', 'read write')).rejects.toThrow();
      else expect(scopeOf((await byBroker('gil', 'read write'))['access_token'])).toBe(SCOPES[part]);
      await trustForMachines(idp);
      const claims = { sub: `jag-${part}`, memberOf: elsewhere.say['memberOf'] };
      const assertion = await makeIdJag(idp, { claims });
      if (part === 'none') expect(await outcome(assertion)).toBe('400 invalid_grant');
      else expect(scopeOf((await granted(assertion))['access_token'])).toBe(SCOPES[part]);
    } finally {
      await sql("update groups set rules = '[]'");
    }
  });
});

describe('after a user leaves a group', () => {
  let alice: Alice;
  beforeEach(async () => {
    alice = await givenAlice('read write');
  });

  test('eight concurrent loops of refresh and exchange: after the user has left the group, no token contains its scope', async () => {
    let left = false;
    const late: string[] = [];
    // an authorize request fails if the groups change while it runs
    const families = await Promise.all(
      Array.from({ length: 8 }, () => openIdTokens(TRU, { cookie: alice.cookie, scope: 'read write' })),
    );
    const loops = families.map(async (tokens, at) => {
      let refresh = tokens['refresh_token'] ?? '';
      let subject = tokens['access_token'] ?? '';
      for (let turn = 0; turn < 8; turn += 1) {
        const after = left;
        if (at % 2 === 0) {
          const next = await tokenAnswer({ grant_type: 'refresh_token', refresh_token: refresh });
          expect(next.status).toBe(200);
          refresh = next['refresh_token'] ?? '';
          if (after) late.push(String(scopeOf(next['access_token'])));
        } else {
          const next = await exchangeAs({ subject, actor: '' }, { ...TRU, audience: 'orders', ...noActor });
          if (next.status !== 200) break;
          subject = turn % 3 === 0 ? subject : (next['access_token'] ?? '');
          if (after) late.push(String(scopeOf(next['access_token'])));
        }
        if (at === 0 && turn === 2) {
          await inGroups();
          left = true;
        }
      }
    });
    await Promise.all(loops);
    expect(late.length).toBeGreaterThan(4);
    expect(new Set(late)).toEqual(new Set(['read']));
  });

  test('after a user has left a group, neither an earlier consent nor the exchange of an earlier token restores its scope', async () => {
    const before = alice.subject;
    await inGroups();
    const narrow = await exchangeAs(
      { subject: before, actor: '' },
      { ...TRU, audience: 'orders', ...noActor },
    );
    expect(scopeOf(narrow['access_token'])).toBe('read');
    await inGroups('editors');
    const form = { ...TRU, audience: 'orders', ...noActor };
    const again = await exchangeAs({ subject: narrow['access_token'] ?? '', actor: '' }, form);
    expect(scopeOf(again['access_token'])).toBe('read');
    await inGroups();
    const code = await openIdCode(
      { client_id: 'conf', client_secret: '' },
      { cookie: alice.cookie, scope: 'read write' },
    );
    const conf = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
    expect(scopeOf(jsonOf(await redeemFor(conf, code))['access_token'])).toBe('read');
  });
});
