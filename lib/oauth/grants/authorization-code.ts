// The authorization code grant, with and without PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). Every binding is checked in
// the statement that uses the code, so a stranger's attempt does not burn it.
import { randomUUID } from 'node:crypto';
import { countSecurityEvent } from '#lib/observability/index.ts';
import { redeemCode, revokeReusedCode } from '#lib/store/index.ts';
import { hashPresented, mint, mintOpaque } from '#lib/tokens/index.ts';
import { codeGrantGivesRefreshToken } from '../client.ts';
import { InvalidGrant, InvalidRequest } from '../errors.ts';
import { challengeOf, isCodeVerifier } from '../pkce.ts';
import { binding, type Grant } from './grant.ts';

const REFUSED = 'The code is unknown, expired, used, or was not given for this request.';

export const authorizationCode: Grant = {
  grantType: 'authorization_code',
  isPossible: () => true,
  async authorize({ values }, context) {
    const code = values.get('code');
    if (code === undefined) throw new InvalidRequest('code is missing.');
    const verifier = values.get('code_verifier');
    if (verifier !== undefined && !isCodeVerifier(verifier)) {
      throw new InvalidRequest('code_verifier must be 43 to 128 letters, digits and . - _ ~ characters.');
    }
    const codeHash = hashPresented('code', code);
    const redirectUri = values.get('redirect_uri') ?? null;
    if (!codeHash || redirectUri?.includes('\u0000')) throw new InvalidGrant(REFUSED);

    const refresh = codeGrantGivesRefreshToken(context.client) ? mint('refresh') : null;
    const opaque = mintOpaque(context.issuer.api);
    const familyId = randomUUID();
    const presented = {
      ...binding(context),
      codeHash,
      codeChallenge: verifier === undefined ? null : challengeOf(verifier),
    };
    const redeemed = await redeemCode({
      ...presented,
      redirectUri,
      familyId,
      refreshHash: refresh?.hash ?? null,
      opaqueHash: opaque?.hash ?? null,
    });
    if (!redeemed) {
      if (await revokeReusedCode(presented)) countSecurityEvent('code.reused');
      throw new InvalidGrant(REFUSED);
    }
    return {
      familyId,
      personId: redeemed.personId,
      scopes: redeemed.scopes,
      authTime: redeemed.authTime,
      refreshToken: refresh?.value ?? null,
      opaqueToken: opaque?.value ?? null,
      scopeAsAsked: redeemed.scopeAsked,
    };
  },
};
