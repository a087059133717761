// What the profile of an API takes away. `oauth-2.1`: what OAuth 2.0 allows and OAuth 2.1 (draft-ietf-oauth-v2-1) does
// not; `redirect_uri` at the token endpoint is optional and checked where it comes, which §10.2 there asks for.
// `fapi-2.0`: what the FAPI 2.0 Security Profile asks for beside that; lib/registry says what of the API it fixes.
import { isPrivateUse } from '#lib/registry/clients/redirect-rules.ts';
import { profileExcludes } from '#lib/registry/objects/api-tokens.ts';
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { UnauthorizedClient } from '../errors/errors.ts';

type Profiled = Pick<SnapshotApi, 'profile'>;
type Client = { tokenEndpointAuthMethod: string | null };

/** Without the password grant (§1.3), and no code without PKCE (§4.1.1, §7.5.2). */
export const followsOAuth21 = ({ profile }: Profiled): boolean => profile !== null;

/** FAPI 2.0 Security Profile (Final). */
export const followsFapi2 = ({ profile }: Profiled): boolean => profile === 'fapi-2.0';

/**
 * What requires a code challenge of this request: the client's kind, a redirect address that any application of a
 * device can claim (RFC 8252 §8.1), or the API. Null: nothing.
 */
export function pkceDemandedBy(
  api: Profiled,
  { client, redirectUri }: { client: { confidential: boolean }; redirectUri: string },
): string | null {
  if (!client.confidential) return 'this client';
  if (isPrivateUse(redirectUri)) return 'a redirect_uri with a private-use scheme';
  return followsOAuth21(api) ? 'this API' : null;
}

/** UnauthorizedClient: the profile excludes it. */
export function requireProfiledClient(api: Profiled, client: Client): void {
  if (profileExcludes(api, client.tokenEndpointAuthMethod))
    throw new UnauthorizedClient(
      'This API takes confidential clients with private_key_jwt only (FAPI 2.0).',
      {
        reason: 'profile-client',
      },
    );
}

/** §5.4.1, as algorithms of a client's assertions. */
export const FAPI2_ALGS = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** What ID tokens of a client are signed with: §5.4.1 has no RS256. */
export const idTokenAlg = <Alg extends string>(
  api: Profiled,
  { idTokenSignedResponseAlg: alg }: { idTokenSignedResponseAlg: Alg },
): Alg | 'ES256' => (followsFapi2(api) ? 'ES256' : alg);
