// The refresh grant (RFC 6749 §6) with rotation: each token works once, its reuse ends the family (RFC 9700 §4.14.2),
// unless it was a race of two honest callers, who are refused and nothing more.
import { countSecurityEvent } from '#lib/observability/index.ts';
import { explainRefreshToken, revokeFamily, rotateRefreshToken } from '#lib/store/index.ts';
import { hashPresented, mint, mintOpaque } from '#lib/tokens/index.ts';
import { scopeCeiling } from '../client.ts';
import { InvalidGrant, InvalidRequest, InvalidScope, UnauthorizedClient } from '../errors.ts';
import { parseScope } from '../scope.ts';
import { binding, type Grant, type GrantContext } from './grant.ts';

const REFUSED = 'The refresh token is unknown, expired, revoked, used, or was not given to this client here.';

export const refreshToken: Grant = {
  grantType: 'refresh_token',
  isPossible: () => true,
  async authorize({ values }, context) {
    const presented = values.get('refresh_token');
    if (presented === undefined) throw new InvalidRequest('refresh_token is missing.');
    const oldHash = hashPresented('refresh', presented);
    if (!oldHash) throw new InvalidGrant(REFUSED);
    const { api } = context.issuer;
    const all = api.scopes.map((scope) => scope.name);
    const scope = values.get('scope');
    const asked = scope === undefined ? null : parseScope(scope, all);

    const successor = mint('refresh');
    const opaque = mintOpaque(api);
    const rotated = await rotateRefreshToken({
      ...binding(context),
      oldHash,
      newHash: successor.hash,
      opaqueHash: opaque?.hash ?? null,
      scopes: asked,
      ceiling: scopeCeiling(api, context.subscription),
    });
    if (!rotated) throw await refusal(oldHash, asked, context);
    return {
      familyId: rotated.familyId,
      personId: rotated.personId,
      scopes: rotated.scopes,
      authTime: rotated.authTime,
      refreshToken: successor.value,
      opaqueToken: opaque?.value ?? null,
      scopeAsAsked: rotated.scopesAsWanted,
    };
  },
};

/** Why nothing was rotated; a reuse ends the family on the way. */
async function refusal(oldHash: Buffer, asked: string[] | null, context: GrantContext): Promise<Error> {
  const facts = await explainRefreshToken({ ...binding(context), oldHash });
  if (!facts?.own) return new InvalidGrant(REFUSED);
  if (facts.used) {
    if (!facts.race) {
      countSecurityEvent('token.reused');
      await revokeFamily(facts.familyId, 'refresh token reused', 'token.reused', binding(context));
    }
    return new InvalidGrant(REFUSED);
  }
  if (!facts.valid) return new InvalidGrant(REFUSED);
  if (facts.basis !== 'consent' && !context.subscription.trusted) {
    return new UnauthorizedClient(
      'This sign-in rests on a trusted subscription, which the client no longer has.',
    );
  }
  if (asked?.some((name) => !facts.scopes.includes(name))) {
    return new InvalidScope('The scope is wider than what was granted.');
  }
  return new InvalidGrant(REFUSED);
}
