// Token exchange (RFC 8693): a subject token for an access token at another API, or with less scope. Only with an
// approved subscription to the target that is trusted, or for a person who lets the client act there; never longer than
// the subject token, never a refresh token.
import { randomUUID } from 'node:crypto';
import type { Answer, Params } from '#lib/http/index.ts';
import { BUILT_IN_API } from '#lib/registry/index.ts';
import {
  exchangeToken,
  type SignInStrength,
  type Snapshot,
  type SnapshotApi,
  type SnapshotMethod,
} from '#lib/store/index.ts';
import { mintOpaque } from '#lib/tokens/index.ts';
import { PERSON_REFUSED, requireSubscription, requireTrust, scopeCeiling } from '../clients/index.ts';
import { InvalidGrant, InvalidRequest, InvalidScope, InvalidTarget } from '../errors/index.ts';
import { tokenResponse } from '../grants/index.ts';
import { findIssuer, levelOfApi, parseScope, scopesAbove, strictnessOf } from '../rules/index.ts';
import type { ExchangeContext } from './context.ts';
import { requireDelegation } from './delegation.ts';
import {
  ACCESS_TOKEN,
  type Act,
  JWT,
  type OwnToken,
  type Presented,
  type PresentedActor,
  readActor,
  readPresented,
} from './presented.ts';

const TOO_WEAK =
  'The target API needs a stronger sign-in than the one of the subject_token: send the person through the browser.';
const NOT_TRUSTED = 'This client has no approved trusted subscription to the target API.';

export async function exchangeSubjectToken(params: Params, context: ExchangeContext): Promise<Answer> {
  const { values } = params;
  const { snapshot, client } = context;
  const api = targetOf(params, snapshot);
  const issuedTokenType = issuedTypeOf(values.get('requested_token_type'), api);
  const asActor = values.has('actor_token');
  const subscription = (asActor ? requireSubscription : requireTrust)(api, client, NOT_TRUSTED);

  const given = presentedAs('subject', params, context);
  const subject = given && (await readPresented(given, snapshot));
  if (!subject) throw new InvalidRequest('subject_token is missing.');
  const acting = presentedAs('actor', params, context);
  const actor = acting && (await readActor(acting, snapshot));
  const method = snapshot.methods.get(subject.authMethodId);
  if (!method || !api.authMethods.includes(method.id))
    throw new InvalidTarget(
      'The target API does not take people of the authentication method of this token.',
    );

  const strength = strengthOf(subject, api, method, snapshot);
  // where the client is not trusted, the person has to let it act
  const asked = { client, api, subject, actorClientId: actor?.clientId ?? null };
  const delegated = subscription.trusted ? null : await requireDelegation(asked);
  const tooHigh = scopesAbove(api, strength.acrLevel ?? 1);
  const ceiling = scopeCeiling(api, subscription).filter(
    (name) => !tooHigh.includes(name) && (delegated?.includes(name) ?? true),
  );
  const scopes = scopesOf(values.get('scope'), ceiling, subject, api);
  // the client acts, with its own token or another's
  const act = actOf(subject, delegated && actor ? { ...actor, sub: client.clientId } : actor);
  const { personId, epochs, authTime, own } = subject;
  const opaque = mintOpaque(api);
  const familyId = randomUUID();
  const expiresAt = await exchangeToken({
    version: snapshot.version,
    basis: delegated ? 'delegation' : 'exchange',
    familyId,
    personId,
    clientId: client.clientId,
    apiId: api.id,
    authMethodId: method.id,
    scopes,
    authTime,
    notAfter: Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt),
    epochs,
    subject: own,
    exchangeDepth: depthOf(own),
    ceilings: ceilingsOf(own),
    act,
    strength: { acrLevel: strength.acrLevel, amr: strength.amr },
    asksFactor: strength.asksFactor,
    opaqueHash: opaque?.hash ?? null,
    requestId: context.http.requestId,
    ip: context.ip,
  });
  if (expiresAt === 'has-factor') throw new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  if (expiresAt === null)
    throw subscription.restricted
      ? new InvalidRequest(PERSON_REFUSED, { reason: 'person-refused' })
      : new InvalidRequest('The subject_token has just ended, or may no longer be exchanged.');
  const granted = {
    familyId,
    personId,
    scopes,
    authTime,
    acrLevel: strength.acrLevel,
    amr: strength.amr,
    refreshToken: null,
    opaqueToken: opaque?.value ?? null,
    scopeAsAsked: values.has('scope'),
    openid: null,
    expiresAt,
    exchanged: { act, issuedTokenType },
  };
  const issuer = findIssuer(snapshot, { authMethodId: method.id, apiId: api.id });
  return tokenResponse(granted, { issuer, client }, 'token-exchange');
}

/**
 * The strength of the sign-in behind the token, or InvalidGrant where the target needs more: an exchange raises
 * nothing, and leads nowhere that requires a second factor from where none is required.
 */
function strengthOf(
  { own }: Presented,
  api: SnapshotApi,
  method: SnapshotMethod,
  { apis }: Snapshot,
): SignInStrength & { asksFactor: boolean } {
  const { acrLevel, amr } = own ?? { acrLevel: null, amr: null };
  const level = acrLevel ?? 1;
  const from = own && apis.get(own.apiId);
  const strictness = strictnessOf(api, method);
  const asksMore = level < 2 && strictness > (from ? strictnessOf(from, method) : 0);
  if (level < levelOfApi(api) || (asksMore && strictness === 2))
    throw new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  return { acrLevel, amr, asksFactor: asksMore };
}

/** The one API that audience and resource name together. */
function targetOf({ values, repeated }: Params, snapshot: Snapshot): SnapshotApi {
  const [audience, resource] = [values.get('audience'), values.get('resource')];
  if (audience === undefined && resource === undefined)
    throw new InvalidRequest('audience or resource is missing.');
  if (repeated.has('audience') || repeated.has('resource'))
    throw new InvalidTarget('A token of this service is for one API: name one audience or resource.');
  const byUrl = (url: string) => [...snapshot.apis.values()].find((api) => api.url === url);
  const named = [
    ...(audience === undefined ? [] : [snapshot.apis.get(audience) ?? byUrl(audience)]),
    ...(resource === undefined ? [] : [byUrl(resource)]),
  ];
  const [api] = named;
  if (!api || named.some((other) => other !== api))
    throw new InvalidTarget('audience or resource names no API here, or they name different ones.');
  // its tokens rest on a consent given on the page, and on nothing else (docs/decisions/0014)
  if (api.id === BUILT_IN_API) throw new InvalidTarget('No token is exchanged for one of this API.');
  return api;
}

/** What the answer calls the token: an access token, or a jwt where that was asked for and it is one. */
function issuedTypeOf(requested: string | undefined, api: SnapshotApi): string {
  const possible = api.accessTokenFormat === 'jwt' ? [ACCESS_TOKEN, JWT] : [ACCESS_TOKEN];
  if (requested === undefined) return ACCESS_TOKEN;
  if (!possible.includes(requested))
    throw new InvalidRequest('requested_token_type must be that of an access token, which the API uses.');
  return requested;
}

function presentedAs<Role extends 'subject' | 'actor'>(
  role: Role,
  { values }: Params,
  { client }: ExchangeContext,
) {
  const [token, type] = [values.get(`${role}_token`), values.get(`${role}_token_type`)];
  if (token === undefined && type === undefined) return null;
  if (token === undefined) throw new InvalidRequest(`${role}_token is missing.`);
  if (type === undefined) throw new InvalidRequest(`${role}_token_type is missing.`);
  const authMethodId = role === 'subject' ? values.get('auth_method') : undefined;
  return { role, token, type, authMethodId, clientId: client.clientId };
}

/** At an API where the token has been before, never more than its scope was there. */
function scopesOf(
  asked: string | undefined,
  ceiling: string[],
  { own }: Presented,
  api: SnapshotApi,
): string[] {
  const ceilings = ceilingsOf(own) ?? {};
  const before = Object.hasOwn(ceilings, api.id) ? ceilings[api.id] : undefined;
  const allowed = before ? ceiling.filter((name) => before.includes(name)) : ceiling;
  if (asked !== undefined) return parseScope(asked, allowed);
  if (allowed.length === 0) throw new InvalidScope('Nothing of the scope of this token is allowed here.');
  return allowed;
}

/** What a token may become again at each API where it has been. */
function ceilingsOf(own: OwnToken | null): Record<string, string[]> | null {
  return own && { ...own.ceilings, [own.apiId]: own.scopes };
}

/** Each lookup of the token asks for all of its ancestors, so their number is limited. */
const MAX_EXCHANGES = 8;

function depthOf(own: OwnToken | null): number {
  const depth = (own?.exchangeDepth ?? 0) + 1;
  if (depth > MAX_EXCHANGES) throw new InvalidRequest('The subject_token was exchanged too often.');
  return depth;
}

const MAX_ACTORS = 8;

/** The current actor, around the earlier ones (RFC 8693 §4.1); without a new actor these are kept. */
function actOf(subject: Presented, actor: PresentedActor | null): Act | null {
  const before = subject.own?.act ?? null;
  if (!actor) return before;
  let depth = 1;
  for (let at: unknown = before; at; at = (at as Act)['act']) depth += 1;
  if (depth > MAX_ACTORS) throw new InvalidRequest('The chain of actors is too long.');
  return {
    sub: actor.sub,
    ...(actor.clientId === null ? {} : { client_id: actor.clientId }),
    ...(before ? { act: before } : {}),
  };
}
