// What an API with the profile `oauth-2.1` takes away: what OAuth 2.0 allows and OAuth 2.1 (draft-ietf-oauth-v2-1) does
// not. `redirect_uri` at the token endpoint is optional and checked where it comes, which §10.2 there asks for.
import type { SnapshotApi } from '#lib/store/index.ts';

type Profiled = Pick<SnapshotApi, 'profile'>;

/** Without the password grant (§1.3), and no code without PKCE (§4.1.1, §7.5.2). */
export const followsOAuth21 = ({ profile }: Profiled): boolean => profile === 'oauth-2.1';

/** What requires a code challenge of this client: the client's kind, or the API. Null: nothing. */
export function pkceDemandedBy(api: Profiled, client: { confidential: boolean }): string | null {
  if (!client.confidential) return 'this client';
  return followsOAuth21(api) ? 'this API' : null;
}
