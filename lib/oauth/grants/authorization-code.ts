// The authorization code grant, with and without PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). The statement that uses the
// code checks every binding, so a stranger's attempt does not burn it.
import { randomUUID } from 'node:crypto';
import { countSecurityEvent } from '#lib/observability/metrics.ts';
import { kindOf } from '#lib/registry/client.ts';
import { redeemCode, refuseCode } from '#lib/store/hot/codes.ts';
import { mintOpaque } from '#lib/tokens/access-token.ts';
import { hashPresented, mint } from '#lib/tokens/formats.ts';
import { codeGrantGivesRefreshToken } from '../client.ts';
import { InvalidGrant, InvalidRequest } from '../errors.ts';
import { challengeOf, followsOAuth21, hasStrictScopes, isCodeVerifier } from '../rules.ts';
import {
  binding,
  boundKeys,
  type Grant,
  type GrantContext,
  type Granted,
  keepsRefreshToken,
} from './grant.ts';

const REFUSED = 'The code is unknown, expired, used, or was not given for this request.';

export const redeemAuthorizationCode: Grant<Granted> = async ({ values }, context) => {
  const code = values.get('code');
  if (code === undefined) throw new InvalidRequest('code is missing.');
  const verifier = values.get('code_verifier');
  if (verifier !== undefined && !isCodeVerifier(verifier)) {
    throw new InvalidRequest('code_verifier must be 43 to 128 letters, digits and . - _ ~ characters.');
  }
  // a code from before the API kept to it
  if (verifier === undefined && followsOAuth21(context.issuer.api))
    throw new InvalidGrant(REFUSED, { reason: 'verifier-missing' });
  const codeHash = hashPresented('code', code);
  const redirectUri = values.get('redirect_uri') ?? null;
  if (!codeHash) throw new InvalidGrant(REFUSED, { reason: 'code-unknown' });
  // no code has one, and no statement can hold it
  if (redirectUri?.includes('\u0000')) throw new InvalidGrant(REFUSED, { reason: 'code-other-redirect-uri' });

  const bound = {
    codeHash,
    redirectUri,
    codeChallenge: verifier === undefined ? null : challengeOf(verifier),
    jkt: boundKeys(context).jkt,
  };
  const granted = await tokensOfCode(bound, context);
  if (granted) return granted;
  const { reason, reused } = await refuseCode({ ...binding(context), ...bound });
  if (reused) countSecurityEvent('code.reused');
  throw new InvalidGrant(REFUSED, { reason });
};

type BoundCode = Pick<Parameters<typeof redeemCode>[0], 'codeHash' | 'redirectUri' | 'codeChallenge' | 'jkt'>;

/** What the code gives, once; null: nothing. */
export async function tokensOfCode(bound: BoundCode, context: GrantContext): Promise<Granted | null> {
  const keepsRefresh = keepsRefreshToken(context);
  const kind = keepsRefresh ? 'keptRefresh' : 'refresh';
  const refresh = codeGrantGivesRefreshToken(context.client) ? mint(kind) : null;
  const opaque = mintOpaque(context.issuer.api);
  const familyId = randomUUID();
  const redeemed = await redeemCode({
    ...binding(context),
    ...bound,
    strictScopes: hasStrictScopes(context.issuer.api),
    familyId,
    refreshHash: refresh?.hash ?? null,
    keepsRefresh,
    endsWithSession: refresh !== null && kindOf(context.client) === 'browser',
    refreshJkt: refresh ? boundKeys(context).refreshJkt : null,
    opaqueHash: opaque?.hash ?? null,
  });
  if (!redeemed) return null;
  return {
    familyId,
    personId: redeemed.personId,
    scopes: redeemed.scopes,
    authTime: redeemed.authTime,
    acrLevel: redeemed.acrLevel,
    amr: redeemed.amr,
    refreshToken: refresh?.value ?? null,
    opaqueToken: opaque?.value ?? null,
    openid: redeemed.openid,
  };
}
