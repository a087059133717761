// What an exchange gives (RFC 8693): the strength, the scope and the actors of the new token, from a subject token that
// was read. An exchange raises nothing.
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import type {
  Snapshot,
  SnapshotApi,
  SnapshotMethod,
  SnapshotSubscription,
} from '#lib/store/registry/snapshot-rows.ts';
import type { Exchange } from '#lib/store/tokens/exchange.ts';
import type { SignInStrength } from '#lib/store/tokens/strength.ts';
import {
  type AuthenticatedClient,
  type ProvedClient,
  requireProvedClient,
} from '../clients/authenticated-client.ts';
import { PERSON_REFUSED, requireSubscription, requireTrust, scopeCeiling } from '../clients/client.ts';
import { scopesOfPerson } from '../clients/person-scopes.ts';
import { InvalidGrant, InvalidRequest, InvalidScope, InvalidTarget } from '../errors/errors.ts';
import { parseScope } from '../rules/scope.ts';
import { levelOfApi, scopesAbove, strictnessOf } from '../rules/strength.ts';
import { requireDelegation } from './delegation.ts';
import type { Act, OwnToken, Presented, PresentedActor } from './presented.ts';

const TOO_WEAK =
  'The target API needs a stronger sign-in than the one of the subject_token: send the person through the browser.';
const PUBLIC = 'A public client can not prove that it is the client, so it exchanges no token.';
const NOT_TRUSTED = 'This client has no approved trusted subscription to the target API.';

/** UnauthorizedClient for a public client: anybody can send its client_id. */
export const requireExchangeClient = (client: AuthenticatedClient): ProvedClient =>
  requireProvedClient(client, PUBLIC, 'exchange-public');

/** The subscription to the target; `asActor`: the client names itself as the actor, so it need not be trusted. */
export function requireTarget(
  api: SnapshotApi,
  client: ProvedClient,
  asActor: boolean,
): SnapshotSubscription {
  // its tokens rest on a consent given on the page, and on nothing else (docs/decisions/0014)
  if (api.id === BUILT_IN_API) throw new InvalidTarget('No token is exchanged for one of this API.');
  return (asActor ? requireSubscription : requireTrust)(api, client, NOT_TRUSTED);
}

type Asked = {
  client: ProvedClient;
  api: SnapshotApi;
  subscription: SnapshotSubscription;
  subject: Presented;
  actor: PresentedActor | null;
  /** as it was sent */
  scope: string | undefined;
};

/** The new token's family, without what names it and its tokens. */
export async function exchangeTerms(
  { client, api, subscription, subject, actor, scope }: Asked,
  snapshot: Snapshot,
) {
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
  const possible = scopeCeiling(api, subscription).filter(
    (name) => !tooHigh.includes(name) && (delegated?.includes(name) ?? true),
  );
  const { personId, epochs, authTime, own } = subject;
  const ceiling = await scopesOfPerson({ api, method }, personId, possible);
  if (ceiling === null) throw new InvalidRequest(PERSON_REFUSED, { reason: 'person-refused' });
  return {
    version: snapshot.version,
    basis: delegated ? ('delegation' as const) : ('exchange' as const),
    personId,
    clientId: client.clientId,
    apiId: api.id,
    authMethodId: method.id,
    scopes: scopesOf(scope, ceiling, subject, api),
    authTime,
    notAfter: Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt),
    epochs,
    // the client acts, with its own token or another's
    act: actOf(subject, delegated && actor ? { ...actor, sub: client.clientId } : actor),
    exchangeDepth: depthOf(own),
    ceilings: ceilingsOf(own),
    strength: { acrLevel: strength.acrLevel, amr: strength.amr },
    asksFactor: strength.asksFactor,
  } satisfies Partial<Exchange>;
}

/** Why the statement gave nothing. */
export function notExchanged(outcome: 'has-factor' | null, { restricted }: SnapshotSubscription) {
  if (outcome === 'has-factor') return new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  return restricted
    ? new InvalidRequest(PERSON_REFUSED, { reason: 'person-refused' })
    : new InvalidRequest('The subject_token has just ended, or may no longer be exchanged.');
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
