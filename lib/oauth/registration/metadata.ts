// Client metadata of RFC 7591, in the registry's words and under its rules, and back again.
import { nowSeconds } from '#lib/kit/clock.ts';
import { randomToken } from '#lib/kit/random.ts';
import { type ClientKind, type ClientValues, checkedNewClient } from '#lib/registry/clients/client.ts';
import { type Fault, faultsOf } from '#lib/registry/fields/definition.ts';
import { type DisplayText, membersOfText, textsOfMember } from '#lib/registry/fields/display-text.ts';
import { profileExcludes } from '#lib/registry/objects/api-tokens.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/objects/openid-scopes.ts';
import { machineFault } from '#lib/registry/objects/subscription-states.ts';
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import {
  InvalidClientMetadata,
  InvalidRedirectUri,
  InvalidRequest,
  UnapprovedSoftwareStatement,
} from '../errors/errors.ts';
import {
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  DEVICE_CODE,
  grantTypesFor,
  REFRESH_TOKEN,
} from '../rules/grant-types.ts';
import { followsFapi2 } from '../rules/profile.ts';
import { type ClientMetadata, clientMetadata } from './registration-declaration.ts';

/** Members that the registry knows by the same name. */
const SAME = [
  ['redirectUris', 'redirect_uris'],
  ['privateUseSchemes', 'private_use_schemes'],
  ['tokenEndpointAuthMethod', 'token_endpoint_auth_method'],
  ['jwks', 'jwks'],
  ['jwksUri', 'jwks_uri'],
  ['requirePushedAuthorizationRequests', 'require_pushed_authorization_requests'],
  ['logoUri', 'logo_uri'],
  ['tosUri', 'tos_uri'],
  ['policyUri', 'policy_uri'],
  ['postLogoutRedirectUris', 'post_logout_redirect_uris'],
  ['backchannelLogoutUri', 'backchannel_logout_uri'],
  ['backchannelLogoutSessionRequired', 'backchannel_logout_session_required'],
  ['idTokenSignedResponseAlg', 'id_token_signed_response_alg'],
  ['idTokenClaims', 'id_token_claims'],
  ['subjectType', 'subject_type'],
  ['dpopBoundAccessTokens', 'dpop_bound_access_tokens'],
  ['refreshTokenRotation', 'refresh_token_rotation'],
] as const satisfies readonly (readonly [keyof ClientValues, keyof ClientMetadata])[];

export type Registration = {
  client: ClientValues;
  /** of the subscription; empty: all of the API's */
  scopes: string[];
  /** it asks to act without a person too */
  machine: boolean;
  /** it asks for the device grant */
  device: boolean;
  grantTypes: string[];
};

/** What the text of a body registers at this API, or InvalidRequest, InvalidRedirectUri, InvalidClientMetadata. */
export function readRegistration(text: string, api: SnapshotApi): Registration {
  const { metadata: sent, given } = readMetadata(text);
  const metadata = underProfile(sent, api);
  if (metadata.software_statement !== undefined)
    throw new UnapprovedSoftwareStatement(
      'No software_statement is accepted here: send the metadata itself.',
    );
  if (metadata.sector_identifier_uri !== undefined)
    throw new InvalidClientMetadata(
      'sector_identifier_uri is not taken here: a developer registers such a client.',
    );
  if (metadata.response_types && !metadata.response_types.includes('code'))
    throw new InvalidClientMetadata('response_types must name code: there is no other here.');
  const kind = kindAsked(metadata);
  const grantTypes = grantTypesOf(metadata, kind);
  const redirectUris = metadata.redirect_uris ?? [];
  if (redirectUris.length === 0 && grantTypes.includes(AUTHORIZATION_CODE))
    throw new InvalidRedirectUri('redirect_uris is missing: people come back to one of them.');
  const client = readClient(metadata, {
    redirectUris,
    kind,
    name: textsOfMember(given, 'client_name', metadata.client_name ?? null),
  });
  const machine = grantTypes.includes(CLIENT_CREDENTIALS);
  const scopes = scopesOf(metadata, api);
  const unbounded = machineFault(api.id, machine, scopes);
  if (unbounded !== null) throw new InvalidClientMetadata(`scope is missing: ${unbounded}.`);
  const device = grantTypes.includes(DEVICE_CODE);
  return { client, scopes, machine, device, grantTypes };
}

/** FAPI 2.0 Security Profile §5.3.2.1 (6), §5.4.1, where the API keeps to it. */
function underProfile(metadata: ClientMetadata, api: SnapshotApi): ClientMetadata {
  const { token_endpoint_auth_method: by = null, id_token_signed_response_alg: alg = 'ES256' } = metadata;
  if (profileExcludes(api, by))
    throw new InvalidClientMetadata(
      'token_endpoint_auth_method must be private_key_jwt: this API keeps to FAPI 2.0.',
    );
  if (!followsFapi2(api)) return metadata;
  if (alg !== 'ES256')
    throw new InvalidClientMetadata(
      'id_token_signed_response_alg must be ES256 or left out: this API keeps to FAPI 2.0.',
    );
  return { ...metadata, id_token_signed_response_alg: alg };
}

/** `given`: with the members that no form names, such as `client_name#de`. */
function readMetadata(text: string): { metadata: ClientMetadata; given: Record<string, unknown> } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidRequest('The JSON body must be an object.');
  const given = withoutUnusedKeys(
    Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)),
  );
  const read = clientMetadata.safeParse(given, { reportInput: true });
  if (read.success) return { metadata: read.data, given };
  throw refusal(faultsOf(read.error));
}

/**
 * RFC 7591 §2 ties keys to no authentication method. A client that authenticates otherwise has no use for them, so they
 * are not registered, and the answer does not name them.
 */
function withoutUnusedKeys(given: Record<string, unknown>): Record<string, unknown> {
  if (given['token_endpoint_auth_method'] === 'private_key_jwt') return given;
  const { jwks: _, jwks_uri: __, ...others } = given;
  return others;
}

/** What is wrong with the redirect URIs has a word of its own (RFC 7591 §3.2.2). */
function refusal(faults: readonly Fault[]) {
  const atRedirect = faults.find(({ field }) => /^redirect_?uris/i.test(field));
  if (atRedirect) return new InvalidRedirectUri(`${atRedirect.message}.`);
  const message =
    faults[0]?.message.replace(/^name(?:\.(\S+))? /, (_, tag) => `client_name${tag ? `#${tag}` : ''} `) ??
    'The metadata makes no sense';
  return new InvalidClientMetadata(`${message}.`);
}

type Decided = Pick<ClientValues, 'redirectUris' | 'kind'> & { name: DisplayText | null };

function readClient(metadata: ClientMetadata, decided: Decided): ClientValues {
  const clientId = randomToken('registered-');
  const name = decided.name ?? (URL.parse(decided.redirectUris[0] ?? '')?.host || clientId);
  const same = SAME.flatMap(([field, member]) =>
    metadata[member] === undefined ? [] : [[field, metadata[member]] as const],
  );
  const checked = checkedNewClient.safeParse(
    { ...Object.fromEntries(same), ...decided, clientId, name },
    { reportInput: true },
  );
  if (!checked.success) throw refusal(faultsOf(checked.error));
  const { ownerEmail: _, ...client } = checked.data;
  return { ...client, clientId };
}

function kindAsked({ token_endpoint_auth_method: by, application_type: type }: ClientMetadata): ClientKind {
  if (by !== 'none') return 'confidential';
  return type === 'web' || type === 'browser' ? 'browser' : 'native';
}

/** Of those asked for, what this kind of client may have here; not asked: all that begins with a person. */
function grantTypesOf({ grant_types: asked }: ClientMetadata, kind: ClientKind): string[] {
  const possible = grantTypesFor(kind, 'registration');
  const grantTypes = possible.filter((one) =>
    asked ? asked.includes(one) : ![CLIENT_CREDENTIALS, DEVICE_CODE].includes(one),
  );
  if (grantTypes.some((one) => one !== REFRESH_TOKEN)) return grantTypes;
  throw new InvalidClientMetadata(
    'grant_types must name authorization_code, or, for a confidential client, client_credentials.',
  );
}

/** Scopes of OpenID Connect are not limited by a ceiling. */
function scopesOf({ scope }: ClientMetadata, api: SnapshotApi): string[] {
  const asked = (scope ?? '').split(' ').filter((name) => name !== '');
  const known = api.scopes.map(({ name }) => name).filter((name) => asked.includes(name));
  const isOpenId = (name: string) => OPENID_SCOPE_NAMES.includes(name);
  if (asked.length === 0 || known.length > 0 || asked.some(isOpenId)) return known;
  throw new InvalidClientMetadata('scope names no scope of this API.');
}

/** The answer (RFC 7591 §3.2.1): everything as it was registered, also what was not asked for. */
export function registeredMetadata({ client, scopes, grantTypes }: Registration, api: SnapshotApi) {
  const { kind, tokenEndpointAuthMethod: by } = client;
  const same = SAME.map(([field, member]) => [member, client[field]] as const);
  return {
    client_id: client.clientId,
    client_id_issued_at: nowSeconds(),
    ...membersOfText('client_name', client.name),
    ...Object.fromEntries(same.filter(([, value]) => value !== null)),
    application_type: kind === 'native' ? 'native' : 'web',
    token_endpoint_auth_method: by ?? (kind === 'confidential' ? 'client_secret_basic' : 'none'),
    grant_types: grantTypes,
    response_types: ['code'],
    scope: (scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name)).join(' '),
  };
}
