// A user, a client and one of each kind of permission, for lib/management/allowed-endings.db.test.ts, with a check
// that each permission is in effect.

import { createApi } from '#lib/catalogue/apis/operations.ts';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { invitePeople } from '#lib/catalogue/people/invitations.ts';
import { createPerson } from '#lib/catalogue/people/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { giveDelegation } from '#lib/management/delegations.ts';
import { type Actor, OPERATOR } from '#lib/management/policy.ts';
import { readSessionHash, startSession } from '#lib/sessions/sign-in.ts';
import { findSignedInLabel } from '#lib/store/hot/sessions.ts';
import { PASSWORD, sql } from '../data/registry.ts';
import { ask, jsonOf, locationOf } from '../in-process/in-process.ts';
import { openIdTokens } from '../in-process/openid.ts';
import type { Form } from './allowed.ts';

/**
 * Clients: `plain` has a consent and machine access, `trust` is trusted, `acts` has a delegation, and no operation
 * affects `beside`.
 */
type Apis = { plain: string; trust: string; acts: string; beside: string };

export type World = {
  tag: string;
  method: string;
  apis: Apis;
  clientId: string;
  secret: string;
  me: Extract<Actor, { kind: 'person' }>;
  /** `Cookie` header of the first sign-in */
  cookie: string;
  refreshToken: string;
  /** second secret, created during the test */
  next?: string;
};

const TRUSTED_BESIDE = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const pathOf = (method: string, api: string) => `/auth/${method}/api/${api}`;
/**
 * Returns the method of this world, or the other method if the API stopped accepting it. Consents do not
 * depend on the method.
 */
async function methodAt({ method }: Pick<World, 'method'>, api: string): Promise<string> {
  const own = await sql('select from combinations where auth_method_id = $1 and api_id = $2', [method, api]);
  return own.length > 0 ? method : 'pw';
}
export const callback = (tag: string) => `https://app-${tag}.example/cb`;
const credentials = ({ clientId, secret, next }: World) => ({
  client_id: clientId,
  client_secret: next ?? secret,
});

/** Signs the user in again. `null`: the user no longer exists or cannot sign in. */
export async function signIn(
  { me }: Pick<World, 'me'>,
  authMethodId: string,
  cookieHeader?: string,
): Promise<string | null> {
  const [person] = await sql<{ epoch: string }>('select epoch from people where id = $1', [me.id]);
  if (!person) return null;
  const session = await startSession({
    cookieHeader,
    authMethodId,
    personId: me.id,
    personEpoch: person.epoch,
    methodEpoch: null,
    amr: ['pwd', 'otp'],
    acrLevel: 2,
    ip: null,
    userAgent: null,
    requestId: 'test',
  });
  return session ? (session.cookie.split(';')[0] ?? '') : null;
}

/** Signs the user in, then gets a code without user interaction. `null`: no code was issued. */
async function codeAt(world: World, api: string, redirectUri = callback(world.tag)): Promise<string | null> {
  const method = await methodAt(world, api);
  const cookie = await signIn(world, method);
  if (cookie === null) return null;
  const query = new URLSearchParams({
    client_id: world.clientId,
    scope: 'read',
    response_type: 'code',
    redirect_uri: redirectUri,
    prompt: 'none',
  });
  const answer = await ask(`${pathOf(method, api)}/authorize?${query}`, { headers: { cookie } });
  return URL.parse(locationOf(answer))?.searchParams.get('code') ?? null;
}

const token = async (world: World, api: string, method: string, form: Record<string, string>) =>
  jsonOf(await ask(`${pathOf(method, api)}/token`, { form: { ...credentials(world), ...form } })) as Record<
    string,
    string
  >;

export async function givenWorld(tag: string): Promise<World> {
  const [method, clientId] = [`m${tag}`, `app-${tag}`];
  const apis = { plain: `p${tag}`, trust: `t${tag}`, acts: `a${tag}`, beside: `k${tag}` };
  await createAuthMethod(OPERATOR, {
    id: method,
    type: 'local',
    name: method,
    config: { registration: 'invite' },
  });
  for (const id of Object.values(apis)) {
    const scopes = [{ name: 'read', description: 'See' }];
    await createApi(OPERATOR, {
      id,
      name: id,
      url: `https://${id}.example`,
      authMethods: [method, 'pw'],
      scopes,
    });
  }
  const email = `${tag}@example.com`;
  const { id } = await createPerson(OPERATOR, { email, password: PASSWORD });
  const made = await createClient(OPERATOR, {
    clientId,
    name: { en: clientId, de: clientId },
    kind: 'confidential',
    redirectUris: [callback(tag)],
  });
  await approve({ apis, clientId });
  await requestSubscription(OPERATOR, { clientId, api: apis.beside, machine: true });
  await decideSubscription(OPERATOR, { clientId, api: apis.beside, action: 'approve' });
  const me = { kind: 'person', id, email, roles: [], signedInAt: new Date(), request: null } as const;
  const world: World = {
    tag,
    method,
    apis,
    clientId,
    secret: made.secret ?? '',
    me,
    cookie: '',
    refreshToken: '',
  };
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes, updated_at) values ($1, $2, $3, '{read}', now() - interval '3 days')",
    [id, clientId, apis.plain],
  );
  await giveDelegation(me, { clientId, api: apis.acts, scopes: ['read'], until: inDays(30) });
  await sql("update delegations set given_at = now() - interval '3 days' where person_id = $1", [id]);
  await sql("insert into totp_secrets (person_id, sealed_secret, last_step) values ($1, 'x', 0)", [id]);
  await sql(
    `insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at)
      values (decode(md5($1::text), 'hex'), $1::uuid, $2, now() + interval '1 day')`,
    [id, method],
  );
  await invitePeople(OPERATOR, { emails: [`invited-${email}`], authMethodId: method });
  world.cookie = (await signIn(world, method)) ?? '';
  const code = (await codeAt(world, apis.plain)) ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback(tag) };
  world.refreshToken = (await token(world, apis.plain, method, form))['refresh_token'] ?? '';
  return world;
}

/** Requests all subscriptions and approves pending ones. */
export async function approve({ apis, clientId }: Pick<World, 'apis' | 'clientId'>): Promise<void> {
  for (const asked of [
    { clientId, api: apis.plain, machine: true },
    { clientId, api: apis.trust, trusted: true },
    { clientId, api: apis.acts },
  ]) {
    if ((await requestSubscription(OPERATOR, asked)) === 'pending')
      await decideSubscription(OPERATOR, { clientId, api: asked.api, action: 'approve' });
  }
}

/**
 * Creates tokens for a token exchange: a user token of another client and a machine token of the application.
 * `null`: unavailable.
 */
async function tokensBeside(world: World): Promise<{ subject: string; actor: string } | null> {
  const cookie = await signIn(world, 'pw');
  if (cookie === null) return null;
  const { access_token: subject = '' } = await openIdTokens(TRUSTED_BESIDE, { cookie, scope: 'read' });
  const form = { grant_type: 'client_credentials' };
  const { access_token: actor } = await token(world, world.apis.beside, 'pw', form);
  return actor === undefined ? null : { subject, actor };
}

const isThere = async (text: string, values: unknown[]) => (await sql(text, values)).length > 0;

/**
 * For each form of permission, a function that tests whether the permission is valid, with a new sign-in if possible.
 */
export const PROBES: Record<Form, (world: World) => Promise<boolean>> = {
  session: async ({ cookie, method }) => {
    const idHash = await readSessionHash(cookie, method);
    const methods = await sql('select from auth_methods where id = $1', [method]);
    if (!idHash || methods.length === 0) return false;
    return (await findSignedInLabel({ idHash, authMethodId: method, idleSeconds: 3_600 })) !== null;
  },
  consent: async (world) => (await codeAt(world, world.apis.plain)) !== null,
  delegation: async (world) => {
    const tokens = await tokensBeside(world);
    if (!tokens) return false;
    const form = {
      ...credentials(world),
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: tokens.subject,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      actor_token: tokens.actor,
      actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: world.apis.acts,
    };
    return (await ask('/auth/token', { form })).status === 200;
  },
  subscription: async ({ clientId, apis }) =>
    isThere(
      `select from subscriptions s join clients c using (client_id)
        where s.client_id = $1 and s.api_id = $2 and s.state = 'approved' and c.disabled_at is null`,
      [clientId, apis.acts],
    ),
  trusted: async (world) => (await codeAt(world, world.apis.trust)) !== null,
  machine: async (world) =>
    'access_token' in
    (await token(world, world.apis.plain, await methodAt(world, world.apis.plain), {
      grant_type: 'client_credentials',
    })),
  refresh: async (world) => {
    const form = { grant_type: 'refresh_token', refresh_token: world.refreshToken };
    const next = (await token(world, world.apis.plain, world.method, form))['refresh_token'];
    world.refreshToken = next ?? world.refreshToken;
    return next !== undefined;
  },
  browser: ({ me, method }) =>
    isThere(
      `select from trusted_browsers t join auth_methods m on m.id = t.auth_method_id join people p on p.id = t.person_id
        where t.person_id = $1 and m.id = $2 and t.expires_at > now() and p.disabled_at is null`,
      [me.id, method],
    ),
  invitation: ({ tag, method }) =>
    isThere(
      `select from person_registrations r join auth_methods m on m.id = r.auth_method_id
        where r.email = $1 and m.id = $2 and r.expires_at > now()`,
      [`invited-${tag}@example.com`, method],
    ),
};
