// The refresh grant (RFC 6749 §6) with rotation: each token works once, and its reuse ends the family (RFC 9700
// §4.14.2), except in a race of two honest callers, where the second is only refused.
import { countSecurityEvent } from '#lib/observability/metrics.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import {
  bindFamily,
  explainRefreshToken,
  keepRefreshToken,
  type RefreshFacts,
  revokeFamily,
  rotateRefreshToken,
} from '#lib/store/hot/refresh-tokens.ts';
import { mintOpaque } from '#lib/tokens/access-token.ts';
import { hashPresented, mint } from '#lib/tokens/formats.ts';
import { scopeCeiling } from '../client.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  type OAuthError,
  UnauthorizedClient,
} from '../errors.ts';
import { proofError } from '../proof.ts';
import { hasStrictScopes, parseScope } from '../rules.ts';
import { type Bound, binding, boundKeys, type Grant, type GrantContext } from './grant.ts';

const REFUSED = 'The refresh token is unknown, expired, revoked, used, or was not given to this client here.';

const NOTHING_LEFT =
  'Nothing of this scope is allowed any more. The refresh token is not used up; a new sign-in gets what is.';

export const rotateToken: Grant = async ({ values }, context) => {
  const presented = values.get('refresh_token');
  if (presented === undefined) throw new InvalidRequest('refresh_token is missing.');
  const keptHash = hashPresented('keptRefresh', presented);
  const oldHash = keptHash ?? hashPresented('refresh', presented);
  if (!oldHash) throw new InvalidGrant(REFUSED, { reason: 'refresh-unknown' });
  const rotation = refreshRotation(values.get('scope'), context);
  const successor = keptHash ? null : mint('refresh');
  const opaque = mintOpaque(context.issuer.api);
  const { jkt, refreshJkt } = boundKeys(context);
  const asked = { ...rotation, jkt, oldHash, opaqueHash: opaque?.hash ?? null };
  // without rotation only the proof of a key tells a thief from the client
  if (keptHash) requireKey(context);
  const rotated = successor
    ? await rotateRefreshToken({ ...asked, newHash: successor.hash })
    : await keepRefreshToken(asked);
  if (!rotated) throw await refusal(oldHash, rotation.scopes, context);
  // a sign-in from before the client had a key
  if (refreshJkt && !rotated.bound) await bindFamily(rotated.familyId, refreshJkt);
  return {
    familyId: rotated.familyId,
    personId: rotated.personId,
    scopes: rotated.scopes,
    authTime: rotated.authTime,
    acrLevel: rotated.acrLevel,
    amr: rotated.amr,
    refreshToken: successor?.value ?? null,
    opaqueToken: opaque?.value ?? null,
    openid: rotated.scopes.includes('openid') ? rotated.openid : null,
  };
};

function requireKey({ proof }: GrantContext): void {
  if (proof === null) throw proofError('proof-missing');
}

/** What a refresh asks for, without its tokens; `scope`: as it was sent. */
export function refreshRotation(scope: string | undefined, context: Bound) {
  const { api } = context.issuer;
  const all = [...OPENID_SCOPE_NAMES, ...api.scopes.map(({ name }) => name)];
  return {
    ...binding(context),
    scopes: scope === undefined ? null : parseScope(scope, all),
    strictScopes: hasStrictScopes(api),
    ceiling: ceilingOf(context),
  };
}

const ceilingOf = ({ issuer, subscription }: Bound): string[] => [
  ...OPENID_SCOPE_NAMES,
  ...scopeCeiling(issuer.api, subscription),
];

/** Why nothing was rotated; a reuse ends the family on the way. */
async function refusal(oldHash: Buffer, asked: string[] | null, context: GrantContext): Promise<OAuthError> {
  const facts = await explainRefreshToken({
    ...binding(context),
    oldHash,
    scopes: asked,
    jkt: boundKeys(context).jkt,
  });
  if (facts?.reason === 'refresh-used' && !facts.race) {
    countSecurityEvent('token.reused');
    await revokeFamily(facts.familyId, 'refresh token reused', 'token.reused', binding(context));
  }
  return refreshRefusal(facts, asked, context);
}

const RESTS_ON_CONSENT: readonly string[] = ['consent', 'device'];

/** The refusal of a refresh token of which this is known. */
export function refreshRefusal(
  facts: RefreshFacts | null,
  asked: string[] | null,
  context: Bound,
): OAuthError {
  const isUsed = facts?.reason === 'refresh-used';
  const reason = !facts ? 'refresh-unknown' : isUsed && facts.race ? 'refresh-race' : facts.reason;
  if (facts && reason === null && !RESTS_ON_CONSENT.includes(facts.basis) && !context.subscription.trusted) {
    return new UnauthorizedClient(
      'This sign-in rests on a trusted subscription, which the client no longer has.',
      { reason: 'not-trusted' },
    );
  }
  if (facts && reason === null && asked?.some((name) => !facts.scopes.includes(name))) {
    return new InvalidScope('The scope is wider than what was granted.');
  }
  const left = ceilingOf(context);
  if (facts && reason === null && !(asked ?? facts.scopes).some((name) => left.includes(name))) {
    return asked === null ? new InvalidGrant(NOTHING_LEFT) : new InvalidScope(NOTHING_LEFT);
  }
  return new InvalidGrant(REFUSED, { reason });
}
