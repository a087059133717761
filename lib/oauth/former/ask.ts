// A refresh token that only the service which gave it can read: it is sent there once, as its client sent it, and the
// tokens of the answer say whose it was (RFC 6749 §6).
import { z } from 'zod';
import { underLimits } from '#lib/auth-methods/attempts.ts';
import { withBreaker } from '#lib/outbound/breaker.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import type { IssuerAddress } from '#lib/registry/objects/former-issuers.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/tokens/limits.ts';
import { readForeignToken } from '#lib/tokens/foreign-token.ts';
import { InvalidGrant, TemporarilyUnavailable } from '../errors/errors.ts';
import { binding, type GrantContext } from '../grants/grant.ts';
import { formerKeys, knowFormerKeys } from '../rules/former-keys.ts';
import { REFRESH_TOKEN } from '../rules/grant-types.ts';

/** A former issuer that may be asked. */
export type AskedIssuer = IssuerAddress & { asks: NonNullable<IssuerAddress['asks']> };

/** What the tokens of the answer prove. */
export type FormerGrant = { sub: string; scopes: string[]; authTime: Date | null };

const answered = z.object({
  access_token: z.string(),
  id_token: z.string().optional(),
  scope: z.string().optional(),
});

/** With what the client authenticates; an assertion is good there too, since it names the old issuer. */
const CREDENTIALS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'];

const UNAVAILABLE = 'The service that gave this refresh token is not answering. Try again in a moment.';
const NO_SCOPE =
  'The service that gave this refresh token does not say its scope: the person has to sign in again.';
const REFUSED = 'The service that gave this refresh token does not take it any more.';

/** What is refused there counts, so that no stranger sends that service more. */
const REFUSALS = { what: 'former', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/** A client that has proved who it is has a limit of its own: all its people come from its address. */
const limitsOf = ({ client, ip }: GrantContext): Limit[] =>
  client.confidential
    ? [...callerLimits(REFUSALS, null), attemptLimit('client', `former ${client.clientId}`, 600)]
    : callerLimits(REFUSALS, ip);

/**
 * InvalidGrant where that service refuses, or its answer proves nothing; TemporarilyUnavailable where none comes, and
 * it may be asked again; TooManyAttempts after too many refusals.
 */
export async function askFormer(
  values: ReadonlyMap<string, string>,
  context: GrantContext,
  address: AskedIssuer,
): Promise<FormerGrant> {
  const { version, ...names } = binding(context);
  const granted = await underLimits(
    limitsOf(context),
    { ...names, reliedOn: { version, clientId: context.client.clientId } },
    () => sentThere(values, context, address),
    (answer) => answer === null,
  );
  if (granted === null) throw new InvalidGrant(REFUSED, { reason: 'refresh-unknown' });
  return granted;
}

/** Null where that service refuses, or its answer proves nothing. */
async function sentThere(
  values: ReadonlyMap<string, string>,
  { http, client, issuer }: GrantContext,
  { url, asks }: AskedIssuer,
): Promise<FormerGrant | null> {
  const form = new URLSearchParams({
    grant_type: REFRESH_TOKEN,
    refresh_token: values.get('refresh_token') ?? '',
  });
  for (const name of CREDENTIALS) {
    const value = values.get(name);
    if (value !== undefined) form.set(name, value);
  }
  const { authorization } = http.headers;
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
  const call = outboundFetch(asks);
  const send = () => call(asks.address, { method: 'POST', headers, body: form });
  const answer = await withBreaker(`former ${asks.address}`, send).catch((error: unknown) => {
    if (error instanceof OutboundFailed) throw new TemporarilyUnavailable(UNAVAILABLE);
    throw error;
  });
  if (answer.status >= 500 || answer.status === 429) throw new TemporarilyUnavailable(UNAVAILABLE);
  const given = answered.safeParse(await answer.json().catch(() => null)).data;
  if (answer.status !== 200 || !given) return null;
  await knowFormerKeys(issuer);
  const of = { issuer: url, keys: { keys: formerKeys(issuer) } };
  const access = await readForeignToken(given.access_token, of);
  const identity = given.id_token === undefined ? null : await readForeignToken(given.id_token, of);
  // an ID token that came says it; where there is none, an access token that can be read
  const named = given.id_token === undefined ? access : identity;
  const isOne = access === null || identity === null || access.sub === identity.sub;
  if (typeof named?.sub !== 'string' || !isOf(named, client.clientId) || !isOne) return null;
  const { sub, auth_time: authTime } = named;
  const scope = given.scope ?? access?.['scope'];
  // RFC 6749 §5.1 lets it be left out where it is what was asked for, which only that service knows
  if (typeof scope !== 'string') throw new InvalidGrant(NO_SCOPE, { reason: 'refresh-unknown' });
  return {
    sub,
    scopes: scope.split(' ').filter(Boolean),
    authTime: typeof authTime === 'number' ? new Date(authTime * 1000) : null,
  };
}

type Claims = NonNullable<Awaited<ReturnType<typeof readForeignToken>>>;

/** Was it given to this client (OpenID Connect Core §2, RFC 9068 §2.2)? An API's name in `aud` says nothing of that. */
function isOf({ aud, azp, client_id: clientId }: Claims, client: string): boolean {
  const named = azp ?? clientId;
  return named === undefined ? [aud].flat().includes(client) : named === client;
}
