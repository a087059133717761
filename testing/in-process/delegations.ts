// A client that acts for alice: the fixtures' untrusted client `conf`. Requests go to the protocol core in this
// process.

import { endMyDelegation, giveDelegation } from '#lib/management/delegations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { sql } from '../data/registry.ts';
import { ask, jsonOf } from './in-process.ts';
import { openIdTokens, signInTo } from './openid.ts';

export const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const DAY_MS = 86_400_000;

export type Form = Record<string, string>;

export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/**
 * Signs alice in, and gets her tokens for `orders` with these scopes: `subject` of `tru`, and `actor` and
 * `refresh` of the agent.
 */
export async function givenAlice(scope = 'read') {
  const { personId, cookie } = await signInTo('alice@example.com');
  await sql(
    `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'conf', 'orders', '{read,write}')
     on conflict do nothing`,
    [personId],
  );
  const tokensOf = (client: typeof TRU) => openIdTokens(client, { cookie, scope });
  const me: Actor = {
    kind: 'person',
    id: personId,
    email: 'alice@example.com',
    roles: [],
    signedInAt: new Date(),
    request: null,
  };
  const subject = (await tokensOf(TRU))['access_token'] ?? '';
  const { access_token: actor = '', refresh_token: refresh = '' } = await tokensOf(CONF);
  return { personId, cookie, me, subject, actor, refresh };
}

export type Alice = Awaited<ReturnType<typeof givenAlice>>;

/** Creates alice's delegation to the agent. */
export const letAct = ({ me }: Pick<Alice, 'me'>, api: string, scopes = ['read'], until = inDays(30)) =>
  giveDelegation(me, { clientId: 'conf', api, scopes, until });

export const endAct = ({ me }: Pick<Alice, 'me'>, id: string) => endMyDelegation(me, { id });

/**
 * Exchanges alice's token for an API token, as the agent. `over` replaces parameters, empty values omit them.
 */
export async function exchangeAs({ subject, actor }: Pick<Alice, 'subject' | 'actor'>, over: Form = {}) {
  const answer = await ask('/auth/token', {
    form: {
      ...CONF,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subject,
      subject_token_type: ACCESS_TOKEN,
      actor_token: actor,
      actor_token_type: ACCESS_TOKEN,
      audience: 'billing',
      ...over,
    },
  });
  return { status: answer.status, ...jsonOf(answer) } as { status: number } & Form;
}

/** Returns the response of introspection for the API. */
export async function introspect(token: string | undefined, api: string): Promise<Record<string, unknown>> {
  const basic = Buffer.from(`${api}:fixture-${api}-introspection-secret`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  return jsonOf(await ask(`/auth/pw/api/${api}/introspect`, { form: { token: token ?? '' }, headers }));
}
