// Compares a token family with a model of its life: random sequences of refresh, reuse, exchange, revocation,
// sign-out, disabling and suspension. After each step, exactly the tokens work that are valid in the model.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { disableClient, enableClient } from '#lib/catalogue/clients/operations.ts';
import { disablePerson, enablePerson, endSessionsOf } from '#lib/catalogue/people/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

const PERSON = { email: 'alice@example.com' };
const CLIENT = { clientId: 'lived' };
const SUBSCRIPTION = { ...CLIENT, api: 'orders' };

/** A token that was exchanged for an access token of the token family. `of`: number of that access token. */
type Child = { of: number; alive: boolean };
type Model = {
  /** true: the token family is not revoked */
  alive: boolean;
  personEnabled: boolean;
  clientEnabled: boolean;
  approved: boolean;
  /** numbers of revoked access tokens */
  revoked: Set<number>;
  children: Child[];
};
/** Tokens that the service issued. Each refresh appends one refresh token and one access token. */
type Real = { personId: string; refresh: string[]; access: string[]; children: string[] };
type Step = fc.AsyncCommand<Model, Real>;

let client: TrustedClient;

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients([CLIENT.clientId])) as [TrustedClient];
  await requestSubscription(OPERATOR, { ...CLIENT, api: 'billing', trusted: true });
  await decideSubscription(OPERATOR, { ...CLIENT, api: 'billing', action: 'approve' });
});

const step = (
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): fc.Arbitrary<Step> => fc.constant({ check, run, toString: () => name });

const post = (path: string, form: Record<string, string>) => ask(path, { form: { ...client, ...form } });
const refreshWith = (refresh_token: string) =>
  post(`${OPENID_PATH}/token`, { grant_type: 'refresh_token', refresh_token });

/** Revokes the token family with everything that was exchanged for its tokens. */
function end(model: Model): void {
  model.alive = false;
  for (const child of model.children) child.alive = false;
}

/** Error code of a token request, in the order in which the token endpoint checks; null: success. */
function errorOf({ alive, personEnabled, clientEnabled, approved }: Model): string | null {
  if (!clientEnabled) return 'invalid_client';
  if (!approved) return 'unauthorized_client';
  return alive && personEnabled ? null : 'invalid_grant';
}

async function isActive(api: 'orders' | 'billing', token: string): Promise<boolean> {
  const basic = Buffer.from(`${api}:fixture-${api}-introspection-secret`).toString('base64');
  const answer = await ask(`/auth/pw/api/${api}/introspect`, {
    form: { token },
    headers: { authorization: `Basic ${basic}` },
  });
  return jsonOf(answer)['active'] === true;
}

/** Compares every access token and every exchanged token with the model. */
async function compare(model: Model, { access, children }: Real): Promise<void> {
  const { alive, personEnabled, clientEnabled, approved, revoked } = model;
  const stands = personEnabled && clientEnabled && approved;
  const tokens = await Promise.all(access.map((token) => isActive('orders', token)));
  expect(tokens).toEqual(access.map((_, number) => stands && alive && !revoked.has(number)));
  const exchanged = await Promise.all(children.map((token) => isActive('billing', token)));
  expect(exchanged).toEqual(model.children.map((child) => stands && child.alive));
}

const operation = (
  name: string,
  run: (real: Real) => Promise<unknown>,
  change: (model: Model) => void,
  check?: (model: Readonly<Model>) => boolean,
) =>
  step(
    name,
    async (model, real) => {
      await run(real);
      change(model);
      await compare(model, real);
    },
    check,
  );

const refresh = step('refresh', async (model, real) => {
  const answer = await refreshWith(real.refresh.at(-1) ?? '');
  const { error = null, refresh_token, access_token } = jsonOf(answer);
  expect(error).toBe(errorOf(model));
  if (error !== null) return;
  real.refresh.push(String(refresh_token));
  real.access.push(String(access_token));
  await compare(model, real);
});

const exchange = step('exchange', async (model, real) => {
  const of = real.access.length - 1;
  const answer = await post('/auth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: real.access[of] ?? '',
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: 'billing',
  });
  const works = errorOf(model) === null && !model.revoked.has(of);
  expect(answer.status === 200).toBe(works);
  if (!works) return;
  real.children.push(String(jsonOf(answer)['access_token']));
  model.children.push({ of, alive: true });
  await compare(model, real);
});

const revokeAccess = step(
  'revoke the access token',
  async (model, real) => {
    const of = real.access.length - 1;
    await post(`${OPENID_PATH}/revoke`, { token: real.access[of] ?? '' });
    model.revoked.add(of);
    for (const child of model.children) if (child.of === of) child.alive = false;
    await compare(model, real);
  },
  ({ clientEnabled }) => clientEnabled,
);

/** Steps that revoke nothing occur several times in this list. Otherwise most sequences would end early. */
const STEPS: fc.Arbitrary<Step>[] = [
  ...Array.from({ length: 5 }, () => refresh),
  ...Array.from({ length: 5 }, () => exchange),
  ...Array.from({ length: 3 }, () => revokeAccess),
  // reuse of the direct predecessor within ten seconds is a race, which revokes nothing
  ...[1, 2, 3].map((back) =>
    step(`reuse(${back})`, async (model, real) => {
      const token = real.refresh.at(-1 - back);
      if (token === undefined) return;
      const { error } = jsonOf(await refreshWith(token));
      expect(error).toBe(errorOf(model) ?? 'invalid_grant');
      if (back > 1 && error === 'invalid_grant') end(model);
      await compare(model, real);
    }),
  ),
  operation(
    'revoke the refresh token',
    ({ refresh }) => post(`${OPENID_PATH}/revoke`, { token: refresh.at(-1) ?? '' }),
    end,
    ({ clientEnabled }) => clientEnabled,
  ),
  operation('sign out', ({ personId }) => endSessionsOf(OPERATOR, { personId }), end),
  operation(
    'disable the person',
    () => disablePerson(OPERATOR, PERSON),
    (model) => {
      end(model);
      model.personEnabled = false;
    },
    ({ personEnabled }) => personEnabled,
  ),
  operation(
    'enable the person',
    () => enablePerson(OPERATOR, PERSON),
    (model) => {
      model.personEnabled = true;
    },
    ({ personEnabled }) => !personEnabled,
  ),
  operation(
    'disable the client',
    () => disableClient(OPERATOR, CLIENT),
    (model) => {
      end(model);
      model.clientEnabled = false;
    },
    ({ clientEnabled }) => clientEnabled,
  ),
  operation(
    'enable the client',
    () => enableClient(OPERATOR, CLIENT),
    (model) => {
      model.clientEnabled = true;
    },
    ({ clientEnabled }) => !clientEnabled,
  ),
  operation(
    'suspend the subscription',
    () => decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'suspend' }),
    (model) => {
      model.approved = false;
    },
    ({ approved }) => approved,
  ),
  operation(
    'resume the subscription',
    () => decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' }),
    (model) => {
      model.approved = true;
    },
    ({ approved }) => !approved,
  ),
];

test('in 40 random lives of a token family, each token works exactly as long as the model says', async () => {
  const life = fc.asyncProperty(fc.commands(STEPS, { maxCommands: 20, size: 'max' }), async (steps) => {
    const { personId, cookie } = await signInTo(PERSON.email);
    const { refresh_token, access_token } = await openIdTokens(client, { cookie, scope: 'read' });
    const model: Model = {
      ...{ alive: true, personEnabled: true, clientEnabled: true, approved: true },
      revoked: new Set(),
      children: [],
    };
    const real = { personId, refresh: [refresh_token ?? ''], access: [access_token ?? ''], children: [] };
    try {
      await fc.asyncModelRun(() => ({ model, real }), steps);
    } finally {
      if (!model.personEnabled) await enablePerson(OPERATOR, PERSON);
      if (!model.clientEnabled) await enableClient(OPERATOR, CLIENT);
      if (!model.approved) await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' });
    }
  });
  await fc.assert(life, { numRuns: 40 });
  const events = await sql<{ n: number }>(
    `select (select count(*) from audit_events e where e.event = 'token.revoked' and e.details ->> 'family' = f.id::text)::int as n
     from token_families f where f.client_id = $1 and f.revoked_reason = 'subject revoked'`,
    [CLIENT.clientId],
  );
  expect(events.length).toBeGreaterThan(0);
  expect(
    new Set(events.map(({ n }) => n)),
    'events of each family that ended with its subject token',
  ).toEqual(new Set([1]));
});
