// The logout token (OpenID Connect Back-Channel Logout §2.4): who signed out, of which session. Each attempt has its
// own.
import { randomUUID } from 'node:crypto';
import { currentKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import type { LogoutDelivery } from '#lib/store/log/logout-deliveries.ts';
import type { Snapshot, SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { signCompact } from '#lib/tokens/jws.ts';
import { issuerUrl } from '../rules/issuer.ts';
import { idTokenAlg } from '../rules/profile.ts';
import { heardBy, sessionHeardBy } from '../rules/subject.ts';

/** No ID token and no access token (§4: explicit typing). */
const LOGOUT_TOKEN_TYPE = 'logout+jwt';
const LIFETIME_SECONDS = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export async function signLogoutToken(
  { clientId, authMethodId, personId, sid, issuerHost }: LogoutDelivery,
  client: SnapshotClient,
  { api, snapshot }: { api: SnapshotApi; snapshot: Snapshot },
): Promise<string> {
  const key = await currentKey(idTokenAlg(api, client), snapshot);
  const issuedAt = nowSeconds();
  const payload = {
    // the one that the client knows, whether or not it is there any more
    iss: issuerHost || issuerUrl(authMethodId, api.id),
    sub: await heardBy(client, personId, { api, snapshot }),
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid: await sessionHeardBy(client, sid, { api, snapshot }),
  };
  return signCompact(LOGOUT_TOKEN_TYPE, payload, key);
}
