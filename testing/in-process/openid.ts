// Users with OpenID Connect sign-ins; requests go to the protocol core in this process.
import { randomUUID } from 'node:crypto';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { raiseSession, startSession } from '#lib/sessions/sign-in.ts';
import { sql } from '../data/registry.ts';
import { ask, jsonOf, locationOf } from './in-process.ts';

export const OPENID_PATH = '/auth/pw/api/orders';

/** Starts a session of this user at method `pw`, and returns its Cookie header. */
export async function signInTo(
  email: string,
  cookieHeader?: string,
): Promise<{ personId: string; cookie: string }> {
  const [person] = await sql<{ id: string; epoch: string }>('select id, epoch from people where email = $1', [
    email,
  ]);
  if (!person) throw new Error(`${email} is not there`);
  const session = await startSession({
    cookieHeader,
    authMethodId: 'pw',
    personId: person.id,
    personEpoch: person.epoch,
    methodEpoch: null,
    amr: ['pwd'],
    ip: null,
    userAgent: null,
    requestId: randomUUID(),
  });
  if (!session) throw new Error('no session');
  return { personId: person.id, cookie: session.cookie.split(';')[0] ?? '' };
}

/**
 * Raises the authentication class of the session with a one-time code, trusts the browser, and returns the Cookie
 * header; empty if the session was not raised.
 */
export async function raisedIn(personId: string, cookieHeader: string): Promise<string> {
  const raised = await raiseSession({
    cookieHeader,
    authMethodId: 'pw',
    personId,
    proof: { kind: 'totp', level: 2, amr: ['otp'] },
    trust: true,
    ip: null,
    userAgent: null,
    requestId: randomUUID(),
  });
  return raised?.cookies.map((line) => line.split(';')[0]).join('; ') ?? '';
}

export type TrustedClient = { client_id: string; client_secret: string };

type OpenIdAsked = { cookie: string; scope: string; path?: string; claims?: string };

/** Gets a code for this browser; requires a trusted client. */
export async function openIdCode(
  { client_id }: TrustedClient,
  { cookie, scope, path = OPENID_PATH, claims }: OpenIdAsked,
): Promise<string> {
  const query = {
    client_id,
    scope,
    response_type: 'code',
    redirect_uri: `https://${client_id}.example/cb`,
    ...(claims === undefined ? {} : { claims }),
  };
  const answer = await ask(`${path}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
  const code = new URL(locationOf(answer)).searchParams.get('code');
  if (!code) throw new Error(locationOf(answer));
  return code;
}

export const redeemFor = (client: TrustedClient, code: string, path = OPENID_PATH) =>
  ask(`${path}/token`, {
    form: {
      ...client,
      grant_type: 'authorization_code',
      code,
      redirect_uri: `https://${client.client_id}.example/cb`,
    },
  });

/** Redeems a code, and returns the tokens. */
export async function openIdTokens(
  client: TrustedClient,
  asked: OpenIdAsked,
): Promise<Record<string, string>> {
  const answer = await redeemFor(client, await openIdCode(client, asked), asked.path);
  if (answer.status !== 200) throw new Error(String(answer.body));
  return jsonOf(answer) as Record<string, string>;
}

/** Creates trusted clients of `orders` with these names, each with the settings `over`. */
export async function givenTrustedClients(names: readonly string[], over: Record<string, unknown> = {}) {
  const made: TrustedClient[] = [];
  for (const clientId of names) {
    const { secret } = await createClient(OPERATOR, {
      clientId,
      name: clientId,
      kind: 'confidential',
      redirectUris: [`https://${clientId}.example/cb`],
      ...over,
    });
    await requestSubscription(OPERATOR, { clientId, api: 'orders', trusted: true });
    await decideSubscription(OPERATOR, { clientId, api: 'orders', action: 'approve' });
    made.push({ client_id: clientId, client_secret: secret ?? '' });
  }
  return made;
}
