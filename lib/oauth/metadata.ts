// Metadata of issuers (RFC 8414) and APIs (RFC 9728), the public keys, and the published APIs.

import { z } from 'zod';
import { BUILT_IN_API, idTokenAlgs } from '#lib/catalogue/apis/definition.ts';
import { isOpenToAll } from '#lib/catalogue/methods/questions.ts';
import { type Answer, json, jsonText } from '#lib/http/message.ts';
import { algsInUse, publicKeys, publicKeysEnd, withFirstKeys } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { membersOfText, plainText } from '#lib/registry/display-text.ts';
import { issuerHostOf } from '#lib/registry/issuers.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/keys.ts';
import { resourceMetadataAddress } from '#lib/registry/well-known.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  currentSnapshot,
  type Snapshot,
  type SnapshotApi,
  type SnapshotMethod,
} from '#lib/store/snapshot.ts';
import { DPOP_ALGS } from '#lib/tokens/dpop.ts';
import { type Declaration, identifier, issuerPath, refuses, serviceErrors, unknownIssuer } from './errors.ts';
import { hasMachines } from './grants/grant.ts';
import {
  formerKeys,
  type Issuer,
  type IssuerEndpoints,
  issuerEndpoints,
  issuerUrl,
  knowFormerKeys,
  startingAddress,
  subjectTypesAt,
} from './issuer.ts';
import { supportedClaims, supportedScopes } from './openid.ts';
import { registersClients } from './registration.ts';
import { DEVICE_CODE, FAPI2_ALGS, followsFapi2, JWT_BEARER, PROMPTS, supportedAcrs } from './rules.ts';
import { supportedGrantTypes } from './token.ts';

// Authorization server metadata (RFC 8414): one document at the four addresses where clients look for it.

/** Authentication methods of confidential clients (RFC 8414 §2). */
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** profile of the ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §7.2) */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** Headers that let caches store public documents. */
const CACHED_DOCUMENT = { 'cache-control': 'public, max-age=60' };

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
    // every method accepts `create`, but only open registration acts on it (Initiating User Registration 1.0 §4)
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
  // only one member depends on clients, and `hasMachines` determines it
  const name = `${issuer.url} ${hasMachines(issuer)}`;
  return preparedDocument(issuer.snapshot, name, () => ({ body: metadataOf(issuer) }));
}

/**
 * The service's public keys (RFC 7517). Every issuer publishes the same set. A former issuer also publishes its own
 * keys.
 */
export async function handleJwks({ issuer }: { issuer: Issuer }): Promise<Answer> {
  const issuerSnapshot = issuer.snapshot;
  // the first keys are created now, because APIs and clients fetch and cache keys before the first token
  const snapshot = await withFirstKeys(algsInUse(issuerSnapshot), issuerSnapshot);
  await knowFormerKeys(issuer);
  const former = formerKeys(issuer);
  return preparedDocument(snapshot, former.length === 0 ? 'jwks' : `jwks ${JSON.stringify(former)}`, () => ({
    body: { keys: [...publicKeys(snapshot).keys, ...former] },
    until: publicKeysEnd(snapshot),
  }));
}

type Document = { text: string; until: number };

/**
 * Documents, keyed by the map of APIs. This map is replaced if methods, APIs or keys change, but not if
 * clients change.
 */
const documents = new WeakMap<Snapshot['apis'], Map<string, Document>>();

/** Returns the stored document. Creates it again after a change of methods, APIs or keys, or at the time `until`. */
function preparedDocument(
  snapshot: Snapshot,
  name: string,
  make: () => { body: unknown; until?: number },
): Answer {
  let documentsByName = documents.get(snapshot.apis);
  if (!documentsByName) {
    documentsByName = new Map();
    documents.set(snapshot.apis, documentsByName);
  }
  let document = documentsByName.get(name);
  if (!document || document.until <= now().getTime()) {
    const { body, until = Number.POSITIVE_INFINITY } = make();
    document = { text: JSON.stringify(body), until };
    documentsByName.set(name, document);
  }
  return jsonText(200, document.text, CACHED_DOCUMENT);
}

// Protected resource metadata (RFC 9728 §2) of each API. The API's host copies, proxies or links the document.
// Gatehouse serves the management API's document directly.

/** Gatehouse's address of an API's metadata document. */
export const resourceDocumentAddress = (apiId: string) =>
  `${settings().baseUrl}/.well-known/oauth-protected-resource/apis/${apiId}`;

/**
 * Returns the document that the API's host serves at the address for `api.url` (RFC 9728 §3.1). Empty members are
 * omitted.
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

// Published APIs on pages: data that developers see without a sign-in.

type NotShown =
  | 'approvers'
  | 'authMethods'
  | 'introspectionSecretHash'
  | 'agentHosts'
  | 'autoApprove'
  | 'issuerHosts'
  | 'formerIssuers'
  | 'texts';

export type PublishedApi = Omit<SnapshotApi, NotShown | 'name' | 'description' | 'scopes'> & {
  /** the English text if there are several languages, as in every member of this type */
  name: string;
  description: string;
  scopes: (Omit<SnapshotApi['scopes'][number], 'description'> & { description: string })[];
  /**
   * protected resource metadata (RFC 9728): the address of Gatehouse's document, and the address on the API's host at
   * which clients look for the document
   */
  resourceMetadata: { here: string; there: string };
  issuers: ({
    method: Pick<SnapshotMethod, 'id' | 'type'> & { name: string };
    issuer: string;
    /** the issuer's own host; null: none */
    host: string | null;
  } & IssuerEndpoints)[];
};

export async function listPublishedApis(): Promise<PublishedApi[]> {
  const snapshot = await currentSnapshot();
  return [...snapshot.apis.values()]
    .filter((api) => api.id !== BUILT_IN_API)
    .map((api) => publish(api, snapshot));
}

export async function readPublishedApi(apiId: string): Promise<PublishedApi | null> {
  const snapshot = await currentSnapshot();
  const api = snapshot.apis.get(apiId);
  return api ? publish(api, snapshot) : null;
}

function publish(api: SnapshotApi, snapshot: Snapshot): PublishedApi {
  const {
    introspectionSecretHash: _,
    approvers: __,
    agentHosts: _hosts,
    autoApprove: _rules,
    issuerHosts: _origins,
    formerIssuers: _formers,
    texts: _texts,
    authMethods,
    ...shown
  } = api;
  const issuers = authMethods.flatMap((id) => {
    const method = snapshot.methods.get(id);
    if (!method) return [];
    const issuer = issuerUrl(id, api.id);
    const { type } = method;
    const name = plainText(method.name);
    return [
      {
        method: { id, name, type },
        issuer,
        host: issuerHostOf(api, id),
        ...issuerEndpoints({ url: issuer }),
      },
    ];
  });
  const resourceMetadata = { here: resourceDocumentAddress(api.id), there: resourceMetadataAddress(api.url) };
  const scopes = api.scopes.map((scope) => ({ ...scope, description: plainText(scope.description) }));
  const [name, description] = [plainText(api.name), plainText(api.description)];
  return { ...shown, name, description, scopes, resourceMetadata, issuers };
}

// Responses of the metadata (RFC 8414 §2) and key (RFC 7517 §5) endpoints.

const optionalTexts = z.array(z.string()).optional();
const address = z.url();

const AuthorizationServerMetadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  pushed_authorization_request_endpoint: address.optional(),
  token_endpoint: address,
  revocation_endpoint: address.optional(),
  introspection_endpoint: address.optional(),
  jwks_uri: address,
  scopes_supported: optionalTexts,
  response_types_supported: z.array(z.string()),
  response_modes_supported: optionalTexts,
  grant_types_supported: optionalTexts,
  authorization_grant_profiles_supported: optionalTexts,
  token_endpoint_auth_methods_supported: optionalTexts,
  token_endpoint_auth_signing_alg_values_supported: optionalTexts,
  revocation_endpoint_auth_methods_supported: optionalTexts,
  revocation_endpoint_auth_signing_alg_values_supported: optionalTexts,
  introspection_endpoint_auth_methods_supported: optionalTexts,
  introspection_endpoint_auth_signing_alg_values_supported: optionalTexts,
  code_challenge_methods_supported: optionalTexts,
  dpop_signing_alg_values_supported: optionalTexts,
  client_id_metadata_document_supported: z
    .boolean()
    .optional()
    .describe('Present if the API accepts clients described by a document: its `agents` setting is not off.'),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  prompt_values_supported: optionalTexts,
  subject_types_supported: optionalTexts,
  id_token_signing_alg_values_supported: optionalTexts,
  userinfo_endpoint: address.optional(),
  end_session_endpoint: address.optional(),
  registration_endpoint: address.optional(),
  backchannel_logout_supported: z.boolean().optional(),
  backchannel_logout_session_supported: z.boolean().optional(),
  claims_supported: optionalTexts,
  ui_locales_supported: optionalTexts,
  claim_types_supported: optionalTexts,
  claims_parameter_supported: z.boolean().optional(),
  acr_values_supported: optionalTexts,
  request_parameter_supported: z.boolean().optional(),
  request_uri_parameter_supported: z.boolean().optional(),
  service_documentation: address.optional(),
});

const JsonWebKeySet = z.object({ keys: z.array(z.object({ kty: z.unknown() })) });

const errors = [unknownIssuer, ...serviceErrors];

export const metadataDeclaration: Declaration = {
  path: issuerPath,
  answers: { AuthorizationServerMetadata },
  errors,
};

export const jwksDeclaration: Declaration = { path: issuerPath, answers: { JsonWebKeySet }, errors };

// Members of the protected resource metadata (RFC 9728 §2).

const texts = z.array(z.string());

const ProtectedResourceMetadata = z.object({
  resource: z.url().describe("The API's url, which is the audience of its access tokens."),
  resource_name: z.string().optional(),
  authorization_servers: texts
    .optional()
    .describe('The issuers of the API; empty if it has no sign-in method.'),
  scopes_supported: texts.optional(),
  bearer_methods_supported: texts.optional(),
  access_token_format: z
    .enum(['jwt', 'opaque'])
    .describe('A member specific to Gatehouse: `jwt` (RFC 9068), or `opaque`, which requires introspection.'),
  access_token_signing_alg: z
    .enum(['ES256', 'RS256'])
    .optional()
    .describe(
      'A member specific to Gatehouse: the signature algorithm of the access tokens; absent if they are opaque.',
    ),
  resource_documentation: z.url().optional(),
  resource_policy_uri: z.url().optional(),
  resource_tos_uri: z.url().optional(),
});

export const resourceMetadataDeclaration: Declaration = {
  path: z.object({ api_id: identifier.describe('The API.') }),
  answers: { ProtectedResourceMetadata },
  errors: [...refuses({ code: 'not_found', status: 404 }, ['The API does not exist.']), ...serviceErrors],
};

export const managementMetadataDeclaration: Declaration = {
  answers: { ProtectedResourceMetadata },
  errors: serviceErrors,
};
