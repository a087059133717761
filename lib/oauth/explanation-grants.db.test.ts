// Explanation of grants without a page, compared with the token endpoints.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF, exchangeAs, givenAlice, letAct } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

const EMAIL = 'alice@example.com';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

type Situation = {
  /** SQL statements that run before the sign-in; `after`: those that run after it */
  before?: string[];
  after?: string[];
  scope?: string;
  actor?: boolean;
  /** the actor token belongs to the client itself */
  isMachine?: boolean;
  /** scopes delegated at the API `billing` */
  acts?: string[];
};
type Asked = Pick<Parameters<typeof explainAccess>[1], 'grantType' | 'api'> & Record<string, unknown>;
/** Token claims, or the error. */
type Got = { token: Record<string, unknown> | null; error: string | null };

const set = (what: string) =>
  `update subscriptions set ${what} where client_id = 'conf' and api_id in ('orders', 'billing')`;
const TRUSTED = set('trusted = true');
const api = (what: string) => `update apis set ${what} where id = 'orders'`;
const billing = (what: string) => `update apis set ${what} where id = 'billing'`;
const client = (what: string) => `update clients set ${what} where client_id = 'conf'`;
const FACTOR = `update people set factor_level = 2 where email = '${EMAIL}'`;

beforeAll(async () => {
  await givenFixtures();
  await sql(`update apis set access_token_format = 'jwt' where id = 'billing'`);
});
beforeEach(async () => {
  await sql('delete from consents');
  await sql('delete from delegations');
  await sql('delete from token_families');
  await sql('update people set disabled_at = null, factor_level = 0 where email = $1', [EMAIL]);
  await sql(client('disabled_at = null, confidential = true'));
  await sql(`update apis set profile = null, required_acr = null, second_factor = null`);
  await sql(
    `insert into subscriptions (client_id, api_id, state) values ('conf', 'orders', 'approved'), ('conf', 'billing', 'approved')
     on conflict do nothing`,
  );
  await sql(
    set(`state = 'approved', trusted = false, machine = false, scopes = '{}', required_claim = null`),
  );
});

const run = async (statements: string[] = []) => {
  for (const one of statements) await sql(one);
};

async function explained(asked: Asked, { scope, actor }: Situation) {
  const families = await sql('select count(*) from token_families');
  const { steps, token } = await explainAccess(OPERATOR, {
    ...{ clientId: 'conf', email: EMAIL, authMethod: 'pw', scope },
    ...asked,
    ...(actor && { asActor: true }),
  });
  // no token was issued
  expect(await sql('select count(*) from token_families')).toEqual(families);
  const refused = steps.filter(({ ok }) => !ok).map(stepInEnglish);
  expect(refused).toHaveLength(token ? 0 : 1);
  for (const { reason, change } of refused) {
    expect(reason).toMatch(/\w/);
    expect(change).toMatch(/\w/);
  }
  return { refused: refused[0]?.step ?? null, token: token ? comparable(token) : null };
}

/** Returns the claims without those that differ for each token. */
function comparable({ jti, iat, exp, auth_time, amr, ...same }: Record<string, unknown>) {
  return same;
}

const gotOf = (body: Record<string, unknown>): Got => {
  const token = body['access_token'];
  return typeof token === 'string'
    ? { token: comparable(decodeJwt(token)), error: null }
    : { token: null, error: String(body['error']) };
};

const tokenOf = async (form: Record<string, string | undefined>) => {
  const given = Object.entries({ ...CONF, ...form }).filter(([, value]) => value !== undefined);
  return gotOf(
    jsonOf(
      await ask('/auth/pw/api/orders/token', { form: Object.fromEntries(given) as Record<string, string> }),
    ),
  );
};

async function machineToken(): Promise<string> {
  const form = { ...CONF, grant_type: 'client_credentials' };
  return String(jsonOf(await ask('/auth/pw/api/orders/token', { form }))['access_token']);
}

function agree(told: Awaited<ReturnType<typeof explained>>, got: Got, step: string | null) {
  expect(told).toEqual({ refused: step, token: got.token });
  expect(got.error === null).toBe(step === null);
}

/** Situations, each with the rejecting step; null: access granted. */
type Row = [what: string, situation: Situation, step: string | null];

const PASSWORDS: Row[] = [
  ['a trusted subscription', { before: [TRUSTED] }, null],
  ['a trusted one, and a scope, which is ignored', { before: [TRUSTED], scope: 'read' }, null],
  ['openid', { before: [TRUSTED], scope: 'openid' }, 'scope'],
  ['one that is not trusted', {}, 'subscription'],
  ['one that waits', { before: [set("state = 'pending', trusted = true")] }, 'subscription'],
  ['a disabled client', { before: [TRUSTED, client('disabled_at = now()')] }, 'client'],
  [
    'a disabled person',
    { before: [TRUSTED, `update people set disabled_at = now() where email = '${EMAIL}'`] },
    'person',
  ],
  ['a person with a second factor', { before: [TRUSTED, FACTOR] }, 'second_factor'],
  ['an API that keeps to OAuth 2.1', { before: [TRUSTED, api("profile = 'oauth-2.1'")] }, 'grant'],
  ['an API that requires a second factor', { before: [TRUSTED, api("second_factor = 'required'")] }, 'grant'],
  [
    'a subscription for other people',
    { before: [set(`trusted = true, required_claim = '{"name": "groups", "values": ["finance"]}'`)] },
    'claim',
  ],
];

describe('RFC 6749 §4.3: the explanation of a password grant agrees with the request', () => {
  test.each(PASSWORDS)(
    'explanation and token endpoint name the same step: %s',
    async (_, situation, step) => {
      await run(situation.before);
      const { scope } = situation;
      const told = await explained({ grantType: 'password', api: 'orders' }, situation);
      const sent = { grant_type: 'password', username: EMAIL, password: 'alice-password-1', scope };
      agree(told, await tokenOf(sent), step);
    },
  );
});

const REFRESHES: Row[] = [
  ['after a sign-in', {}, null],
  ['with less scope', { scope: 'read' }, null],
  ['with more scope', { scope: 'nope' }, 'scope'],
  ['a subscription that is suspended since', { after: [set("state = 'suspended'")] }, 'subscription'],
  ['a subscription for less since', { after: [set("scopes = '{read}'")] }, null],
  ['nothing of it is left', { after: [set("scopes = '{write}'")], scope: 'read' }, 'scope'],
  ['a disabled client', { after: [client('disabled_at = now()')] }, 'client'],
  [
    'a disabled person',
    { after: [`update people set disabled_at = now() where email = '${EMAIL}'`] },
    'person',
  ],
  ['a family that was revoked', { after: ['update token_families set revoked_at = now()'] }, 'refresh'],
  [
    'one that has expired',
    { after: [`update refresh_tokens set expires_at = now() - interval '1 minute'`] },
    'refresh',
  ],
  ['a consent that was withdrawn', { after: ['delete from consents'] }, 'refresh'],
  [
    'a subscription that is for other people since',
    { after: [set(`required_claim = '{"name": "groups", "values": ["finance"]}'`)] },
    'claim',
  ],
  [
    'an API that requires a second factor since',
    { after: [api(`required_acr = 'urn:gatehouse:acr:mfa'`)] },
    'second_factor',
  ],
];

describe('RFC 6749 §6: the explanation of a refresh agrees with the request', () => {
  test.each(REFRESHES)(
    'explanation and token endpoint name the same step: %s',
    async (_, situation, step) => {
      const { refresh } = await givenAlice('read write');
      await run(situation.after);
      const { scope } = situation;
      const told = await explained({ grantType: 'refresh_token', api: 'orders' }, situation);
      agree(told, await tokenOf({ grant_type: 'refresh_token', refresh_token: refresh, scope }), step);
    },
  );

  test('the explanation for a client without refresh tokens of this user fails at the refresh step', async () => {
    const told = await explained({ grantType: 'refresh_token', api: 'orders' }, {});
    expect(told).toEqual({ refused: 'refresh', token: null });
  });
});

const EXCHANGES: Row[] = [
  ['a trusted subscription', { before: [TRUSTED] }, null],
  ['less scope', { before: [TRUSTED], scope: 'pay' }, null],
  ['an unknown scope', { before: [TRUSTED], scope: 'nope' }, 'scope'],
  ['one that is not trusted', {}, 'subscription'],
  ['one that was revoked', { after: [set("state = 'revoked', trusted = true")] }, 'subscription'],
  ['a disabled client', { before: [TRUSTED], after: [client('disabled_at = now()')] }, 'client'],
  [
    'a target that requires a second factor',
    { before: [TRUSTED, billing(`required_acr = 'urn:gatehouse:acr:mfa'`)] },
    'second_factor',
  ],
  [
    'a subscription for other people',
    { before: [TRUSTED], after: [set(`required_claim = '{"name": "groups", "values": ["finance"]}'`)] },
    'claim',
  ],
  ['a delegation', { acts: ['read'], actor: true }, null],
  ['a delegation of another scope', { acts: ['read'], actor: true, scope: 'pay' }, 'scope'],
  ['a delegation without an actor', { acts: ['read'] }, 'subscription'],
  ['an actor without a delegation', { actor: true }, 'subscription'],
  [
    'an actor that is trusted',
    { before: [set('trusted = true, machine = true')], actor: true, isMachine: true },
    null,
  ],
];

describe('RFC 8693: the explanation of an exchange agrees with the request', () => {
  test.each(EXCHANGES)(
    'explanation and token endpoint name the same step: %s',
    async (_, situation, step) => {
      await run(situation.before);
      const alice = await givenAlice('read');
      if (situation.acts) await letAct(alice, 'billing', situation.acts);
      await run(situation.after);
      const { scope, actor } = situation;
      const subject = { subjectApi: 'orders', subjectClientId: 'tru' };
      const told = await explained({ grantType: EXCHANGE, api: 'billing', ...subject }, situation);
      const own = situation.isMachine ? await machineToken() : undefined;
      const over = {
        ...(own && { actor_token: own }),
        ...(scope && { scope }),
        ...(!actor && { actor_token: '', actor_token_type: '' }),
      };
      agree(told, gotOf(await exchangeAs(alice, over)), step);
    },
  );

  test('the explanation reports a subject token that cannot exist', async () => {
    await run([TRUSTED, `update clients set disabled_at = now() where client_id = 'tru'`]);
    const told = await explained(
      { grantType: EXCHANGE, api: 'billing', subjectApi: 'orders', subjectClientId: 'tru' },
      {},
    );
    await run([`update clients set disabled_at = null where client_id = 'tru'`]);
    expect(told).toEqual({ refused: 'subject_token', token: null });
  });
});
