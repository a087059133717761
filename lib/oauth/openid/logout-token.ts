// The logout token (OpenID Connect Back-Channel Logout §2.4): who signed out, of which session. Each attempt has its own.
import { randomUUID } from 'node:crypto';
import { currentKey } from '#lib/keys/index.ts';
import { nowSeconds } from '#lib/kit/index.ts';
import type { LogoutDelivery, Snapshot, SnapshotClient } from '#lib/store/index.ts';
import { signCompact } from '#lib/tokens/index.ts';
import { issuerUrl } from '../issuer.ts';

/** No ID token and no access token (§4: explicit typing). */
const LOGOUT_TOKEN_TYPE = 'logout+jwt';
const LIFETIME_SECONDS = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export async function signLogoutToken(
  { clientId, apiId, authMethodId, personId, sid }: LogoutDelivery,
  { idTokenSignedResponseAlg }: SnapshotClient,
  snapshot: Snapshot,
): Promise<string> {
  const key = await currentKey(idTokenSignedResponseAlg, snapshot);
  const issuedAt = nowSeconds();
  const payload = {
    iss: issuerUrl(authMethodId, apiId),
    sub: personId,
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid,
  };
  return signCompact(LOGOUT_TOKEN_TYPE, payload, key);
}
