// Protected resource metadata (RFC 9728 §2) of each API, for its host to copy, to proxy or to point to, and of the
// management API, which is served here, at its own address.
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { membersOfText } from '#lib/registry/fields/display-text.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { DPOP_ALGS } from '#lib/tokens/dpop-proof.ts';
import { startingAddress } from '../rules/issuer.ts';
import { CACHED_DOCUMENT } from './metadata.ts';

/** Where this service has the document of an API. */
export const resourceDocumentAddress = (apiId: string) =>
  `${settings().baseUrl}/.well-known/oauth-protected-resource/apis/${apiId}`;

/**
 * What the API's host serves at the address that RFC 9728 §3.1 gives for `api.url`. Members without a value are left
 * out.
 */
function resourceMetadataOf(api: SnapshotApi) {
  const scopes = api.scopes.map(({ name }) => name);
  return {
    resource: api.url,
    ...membersOfText('resource_name', api.name),
    ...(api.authMethods.length === 0
      ? {}
      : { authorization_servers: api.authMethods.map((id) => startingAddress(api, id)) }),
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGS,
    ...(api.dpop === 'required' ? { dpop_bound_access_tokens_required: true } : {}),
    access_token_format: api.accessTokenFormat,
    ...(api.accessTokenFormat === 'jwt' ? { access_token_signing_alg: api.signingAlg } : {}),
    resource_documentation: `${settings().baseUrl}/apis/${api.id}`,
    ...(api.policyUri === null ? {} : { resource_policy_uri: api.policyUri }),
    ...(api.tosUri === null ? {} : { resource_tos_uri: api.tosUri }),
  };
}

export type ApiDocument = { snapshot: Snapshot; api: SnapshotApi };

export async function handleResourceMetadata({ api }: ApiDocument): Promise<Answer> {
  return json(200, resourceMetadataOf(api), CACHED_DOCUMENT);
}
