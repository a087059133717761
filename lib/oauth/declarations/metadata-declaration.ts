// What the metadata (RFC 8414 §2) and the keys (RFC 7517 §5) answer.
import { z } from 'zod';
import { type Declaration, issuerPath, serviceErrors, unknownIssuer } from '../errors/declaration.ts';

const texts = z.array(z.string()).optional();
const address = z.url();

const AuthorizationServerMetadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  pushed_authorization_request_endpoint: address.optional(),
  token_endpoint: address,
  revocation_endpoint: address.optional(),
  introspection_endpoint: address.optional(),
  jwks_uri: address,
  scopes_supported: texts,
  response_types_supported: z.array(z.string()),
  response_modes_supported: texts,
  grant_types_supported: texts,
  authorization_grant_profiles_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  token_endpoint_auth_signing_alg_values_supported: texts,
  revocation_endpoint_auth_methods_supported: texts,
  revocation_endpoint_auth_signing_alg_values_supported: texts,
  introspection_endpoint_auth_methods_supported: texts,
  introspection_endpoint_auth_signing_alg_values_supported: texts,
  code_challenge_methods_supported: texts,
  dpop_signing_alg_values_supported: texts,
  client_id_metadata_document_supported: z
    .boolean()
    .optional()
    .describe('Where the API takes clients that have only a document: its `agents` is not off.'),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  prompt_values_supported: texts,
  subject_types_supported: texts,
  id_token_signing_alg_values_supported: texts,
  userinfo_endpoint: address.optional(),
  end_session_endpoint: address.optional(),
  registration_endpoint: address.optional(),
  backchannel_logout_supported: z.boolean().optional(),
  backchannel_logout_session_supported: z.boolean().optional(),
  claims_supported: texts,
  ui_locales_supported: texts,
  claim_types_supported: texts,
  claims_parameter_supported: z.boolean().optional(),
  acr_values_supported: texts,
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
