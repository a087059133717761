// Authorization server metadata (RFC 8414), one document at the four addresses where clients look for it.
import type { Answer } from '#lib/http/message.ts';
import { jsonText } from '#lib/http/respond.ts';
import { algsInUse, publicKeys, publicKeysEnd, withFirstKeys } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/clients/public-keys.ts';
import { isOpenToAll } from '#lib/registry/methods/questions.ts';
import { idTokenAlgs } from '#lib/registry/objects/api-tokens.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { DPOP_ALGS } from '#lib/tokens/dpop-proof.ts';
import { supportedGrantTypes } from '../grants/grant-table.ts';
import { hasMachines } from '../grants/machines.ts';
import { supportedClaims, supportedScopes } from '../openid/claims.ts';
import { registersClients } from '../registration/handler.ts';
import { supportedAcrs } from '../rules/acr.ts';
import { formerKeys, knowFormerKeys } from '../rules/former-keys.ts';
import { DEVICE_CODE, JWT_BEARER } from '../rules/grant-types.ts';
import { type Issuer, issuerEndpoints } from '../rules/issuer.ts';
import { FAPI2_ALGS, followsFapi2 } from '../rules/profile.ts';
import { PROMPTS } from '../rules/prompt.ts';
import { subjectTypesAt } from '../rules/subject.ts';

/** How a confidential client authenticates, and what its assertions are signed with (RFC 8414 §2). */
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** draft-ietf-oauth-identity-assertion-authz-grant §7.2 */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** How long others may keep a document that anybody may read. */
export const CACHED_DOCUMENT = { 'cache-control': 'public, max-age=60' };

function metadataOf(issuer: Issuer): Record<string, unknown> {
  const endpoints = issuerEndpoints(issuer);
  const isFapi = followsFapi2(issuer.api);
  const algs = isFapi ? FAPI2_ALGS : ASYMMETRIC_ALGS;
  const [ways, wayToo] = isFapi ? [['private_key_jwt'], []] : [CLIENT_AUTHENTICATION, ['none']];
  const grantTypes = supportedGrantTypes(issuer);
  return {
    issuer: issuer.url,
    authorization_endpoint: endpoints.authorizationEndpoint,
    pushed_authorization_request_endpoint: endpoints.pushedAuthorizationRequestEndpoint,
    token_endpoint: endpoints.tokenEndpoint,
    jwks_uri: endpoints.jwksUri,
    scopes_supported: [
      ...supportedScopes(issuer.api, issuer.method),
      ...issuer.api.scopes.map(({ name }) => name),
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: grantTypes,
    ...(grantTypes.includes(JWT_BEARER) ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } : {}),
    token_endpoint_auth_methods_supported: [...ways, ...wayToo],
    token_endpoint_auth_signing_alg_values_supported: algs,
    revocation_endpoint: endpoints.revocationEndpoint,
    revocation_endpoint_auth_methods_supported: [...ways, ...wayToo],
    revocation_endpoint_auth_signing_alg_values_supported: algs,
    ...(grantTypes.includes(DEVICE_CODE)
      ? { device_authorization_endpoint: endpoints.deviceAuthorizationEndpoint }
      : {}),
    introspection_endpoint: endpoints.introspectionEndpoint,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_signing_alg_values_supported: ASYMMETRIC_ALGS,
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: DPOP_ALGS,
    ...(issuer.api.agents === 'off' ? {} : { client_id_metadata_document_supported: true }),
    authorization_response_iss_parameter_supported: true,
    // `create` is understood everywhere, and does something of its own only here (Initiating User Registration 1.0 §4)
    prompt_values_supported: PROMPTS.filter((value) => value !== 'create' || isOpenToAll(issuer.method)),
    subject_types_supported: subjectTypesAt(issuer.api),
    id_token_signing_alg_values_supported: idTokenAlgs(issuer.api),
    ...(isFapi && { require_pushed_authorization_requests: true }),
    userinfo_endpoint: endpoints.userinfoEndpoint,
    end_session_endpoint: endpoints.endSessionEndpoint,
    ...(registersClients() && { registration_endpoint: endpoints.registrationEndpoint }),
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_supported: supportedClaims(issuer.api, issuer.method),
    ui_locales_supported: LANGUAGES,
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    acr_values_supported: supportedAcrs(issuer),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    service_documentation: `${settings().baseUrl}/documentation`,
  };
}

export async function handleMetadata({ issuer }: { issuer: Issuer }): Promise<Answer> {
  // the one member that follows clients
  const name = `${issuer.url} ${hasMachines(issuer)}`;
  return prepared(issuer.snapshot, name, () => ({ body: metadataOf(issuer) }));
}

/** The service's public keys (RFC 7517): one set, whichever issuer is asked; a former one shows its own beside them. */
export async function handleJwks({ issuer }: { issuer: Issuer }): Promise<Answer> {
  const known = issuer.snapshot;
  // APIs and clients fetch the keys before the first token comes, and keep them
  const snapshot = await withFirstKeys(algsInUse(known), known);
  await knowFormerKeys(issuer);
  const former = formerKeys(issuer);
  return prepared(snapshot, former.length === 0 ? 'jwks' : `jwks ${JSON.stringify(former)}`, () => ({
    body: { keys: [...publicKeys(snapshot).keys, ...former] },
    until: publicKeysEnd(snapshot),
  }));
}

type Document = { text: string; until: number };

/** By the APIs' map: it is replaced whenever methods, APIs or keys change, and not when clients do. */
const documents = new WeakMap<Snapshot['apis'], Map<string, Document>>();

/** The text is made again when methods, APIs or keys have changed, or at its `until`. */
function prepared(snapshot: Snapshot, name: string, make: () => { body: unknown; until?: number }): Answer {
  let known = documents.get(snapshot.apis);
  if (!known) {
    known = new Map();
    documents.set(snapshot.apis, known);
  }
  let document = known.get(name);
  if (!document || document.until <= now().getTime()) {
    const { body, until = Number.POSITIVE_INFINITY } = make();
    document = { text: JSON.stringify(body), until };
    known.set(name, document);
  }
  return jsonText(200, document.text, CACHED_DOCUMENT);
}
