// Configuration of openid-client for the broker of a method: discovered (OpenID Connect), or built from Gatehouse's
// configuration (plain OAuth 2.0). Metadata and keys are cached for an hour. An unknown `kid` fetches the keys again,
// at most once a minute.

import { createHmac } from 'node:crypto';
import {
  compactVerify,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  importPKCS8,
  type JWTVerifyGetKey,
  errors as jose,
  customFetch as joseFetch,
  SignJWT,
} from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import {
  basicCredentials,
  ISSUER_TEMPLATE,
  isPrivateKey,
  isTemplated,
  signedSecretOf,
  signingKeyPem,
  tokenAuthOf,
} from '#lib/catalogue/methods/broker/tenants.ts';
import type { MethodConfig } from '#lib/catalogue/methods/kind.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import { ASYMMETRIC_ALGS } from '#lib/registry/keys.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { sendsProof } from './person-claims.ts';

// Classifies a failure at a broker: refused (the broker rejected the request or sent an invalid answer) or
// unavailable. In both cases the sign-in fails. The log contains only codes and fixed messages, because the error's
// cause contains text from the broker.

/**
 * Error for a response of the broker that rejects the sign-in. Messages are constant because they are logged.
 */
export class BrokerRefused extends Error {
  override name = 'BrokerRefused';
}

/**
 * Thrown if the client sent max_age, but the broker's response contains no time of the sign-in (OpenID Connect Core
 * §3.1.2.1).
 */
export class NoAuthTime extends BrokerRefused {
  constructor() {
    super('the broker gave no auth_time, and the client sent max_age');
  }
}

/** Error codes of openid-client for an invalid response of the broker. */
const INVALID_ANSWER: readonly (string | undefined)[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_INVALID_REQUEST',
  'OAUTH_UNSUPPORTED_OPERATION',
];
/**
 * Error codes that do not concern the person: the broker is overloaded, or Gatehouse's registration as client is
 * invalid.
 */
const NOT_ABOUT_PERSON = [
  ...['server_error', 'temporarily_unavailable', 'slow_down', 'invalid_client'],
  // error codes that only GitHub sends
  ...['incorrect_client_credentials', 'redirect_uri_mismatch'],
];

/** Throws the OutboundFailed that a library has wrapped; other errors are thrown unchanged. */
export async function unwrapOutboundFailed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw causes(error).find((cause) => cause instanceof OutboundFailed) ?? error;
  }
}

type Failure = { kind: 'refused'; because?: 'no-auth-time' } | { kind: 'unavailable' };

export function failureOf(error: unknown, authMethodId: string): Failure {
  const kind = kindOf(error);
  const { message, code } = error as { message?: string; code?: string };
  log().warn(
    // the field is not named `code`, because the log redacts that name
    { auth_method: authMethodId, outcome: kind, fault: code, reason: reasonOf(error), ...adviceOf(error) },
    `a sign-in by a broker failed: ${message ?? 'unknown'}`,
  );
  return error instanceof NoAuthTime ? { kind: 'refused', because: 'no-auth-time' } : { kind };
}

/** Returns hints for the operator: both issuers if they differ, and the authentication method for the client secret. */
function adviceOf(error: unknown): Record<string, unknown> {
  const nested = causes(error) as { cause?: unknown }[];
  for (const { cause } of nested) {
    if (typeof cause !== 'object' || cause === null || !('expected' in cause)) continue;
    const { expected, body, parameters, claims, attribute, claim } = cause as Compared;
    if (
      parameters instanceof URLSearchParams &&
      parameters.get('iss') !== null &&
      parameters.get('iss') !== expected
    )
      return { expected_issuer: expected, sent_issuer: short(parameters.get('iss')), change: ANSWER_ISSUER };
    const sent = attribute === 'issuer' ? body?.['issuer'] : claim === 'iss' ? claims?.['iss'] : undefined;
    if (sent !== undefined) return { expected_issuer: expected, sent_issuer: short(sent), change: ISSUER };
  }
  return isInvalidClient(error) ? { change: SECRET } : {};
}

type Compared = {
  expected: unknown;
  body?: Record<string, unknown>;
  parameters?: unknown;
  claims?: Record<string, unknown>;
  attribute?: string;
  claim?: string;
};
const ISSUER = 'issuer must be what the broker calls itself in its metadata and ID tokens';
const ANSWER_ISSUER =
  'where the broker calls itself so: issuer, or answer_issuer of a plain OAuth 2.0 provider';
const SECRET =
  'client_id, client_secret, or token_endpoint_auth_method: client_secret_post where the broker does not decode HTTP Basic';

const short = (value: unknown) => String(value).slice(0, 200);

const isInvalidClient = (error: unknown) =>
  error instanceof client.WWWAuthenticateChallengeError ||
  (error instanceof client.ResponseBodyError &&
    ['invalid_client', 'incorrect_client_credentials'].includes(error.error));

function kindOf(error: unknown): 'refused' | 'unavailable' {
  if (error instanceof OutboundFailed) return 'unavailable';
  if (error instanceof BrokerRefused) return 'refused';
  if (error instanceof client.ResponseBodyError) {
    return error.status >= 500 || NOT_ABOUT_PERSON.includes(error.error) ? 'unavailable' : 'refused';
  }
  if (error instanceof client.ClientError) {
    return INVALID_ANSWER.includes(error.code) ? 'refused' : 'unavailable';
  }
  if (error instanceof jose.JWKSTimeout || error instanceof jose.JWKSInvalid) return 'unavailable';
  const generic = error instanceof jose.JOSEError && error.code === 'ERR_JOSE_GENERIC';
  return error instanceof jose.JOSEError && !generic ? 'refused' : 'unavailable';
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof client.ResponseBodyError) return `${error.status} ${error.error}`.slice(0, 100);
  const [, cause] = causes(error);
  return cause instanceof Error ? cause.message.slice(0, 200) : undefined;
}

function causes(error: unknown): unknown[] {
  const all: unknown[] = [];
  for (let at = error; at instanceof Error && all.length < 10; at = at.cause) all.push(at);
  return all;
}

const MAX_CODE = 100;

/**
 * Returns `send` with corrected errors of the token endpoint: RFC 6749 §5.2 requires status 400 or 401, but GitHub
 * sends 200.
 */
function withHonestErrors(send: typeof fetch): typeof fetch {
  return async (...request) => {
    const answer = await send(...request);
    if (request[1]?.method !== 'POST' || answer.status !== 200) return answer;
    const text = await answer.text();
    const error = errorIn(text);
    const { headers } = answer;
    if (error === null) return new Response(text, { status: 200, headers });
    return Response.json({ error }, { status: 400 });
  };
}

function errorIn(text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof body !== 'object' || body === null || 'access_token' in body || !('error' in body)) return null;
  const { error } = body;
  return typeof error === 'string' && error !== '' ? error.slice(0, MAX_CODE) : null;
}

// Apple requires a client secret signed for each call: a JWT valid for ten minutes.

const AUDIENCE = 'https://appleid.apple.com';
const SECONDS = 600;

/** Returns the client secret to send: the stored secret, or a JWT signed with it. */
export async function secretToSend(config: MethodConfig, secret: string): Promise<string> {
  const signed = signedSecretOf(config);
  if (signed === null) {
    if (isPrivateKey(secret)) throw new Error('the secret is a private key, which is never sent');
    return secret;
  }
  const pem = signingKeyPem(secret);
  if (pem === null) throw new Error('the secret is no key that signs: give the private key again');
  const issuedAt = Math.floor(now().getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: signed.key_id })
    .setIssuer(signed.team_id)
    .setSubject(String(config['client_id']))
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SECONDS)
    .sign(await importPKCS8(pem, 'ES256'));
}

/** Algorithms that Gatehouse accepts for signatures of ID tokens. */
export const ID_TOKEN_ALGORITHMS: string[] = [...ASYMMETRIC_ALGS];
const FRESH_MS = 3_600_000;
const KEY_COOL_DOWN_MS = 60_000;
/** longer than the limit of outboundFetch, so that outboundFetch reports the timeout */
const LIBRARY_TIMEOUT_MS = 30_000;

const shared = {
  client_id: z.string(),
  scopes: z.array(z.string()).optional(),
  timeout_ms: z.number().optional(),
  allow_private_network: z.boolean().default(false),
  token_endpoint_auth_method: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
  answer: z.enum(['form_post']).optional(),
  authorization_parameters: z.record(z.string(), z.string()).default({}),
  pkce: z.boolean().default(true),
};
const openIdConnect = z.object({
  ...shared,
  issuer: z.string(),
  subject_claim: z.string().default('sub'),
  nonce: z.boolean().default(true),
});
const plainOAuth = z.object({
  ...shared,
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  subject_claim: z.string(),
  answer_issuer: z.string().optional(),
  emails_endpoint: z.string().optional(),
});
type BrokerConfig = z.output<typeof openIdConnect> | z.output<typeof plainOAuth>;

export type Broker = {
  config: client.Configuration;
  scope: string;
  /** keys that verify the broker's ID tokens; null: plain OAuth 2.0 */
  keys: JWTVerifyGetKey | null;
  /** the claim that identifies the person, in the ID token or, with plain OAuth 2.0, in the userinfo response */
  subjectClaim: string;
  /** plain OAuth 2.0: URL of the list of the person’s email addresses; null: the broker has no list */
  emailsAddress: string | null;
  sendsNonce: boolean;
  sendsChallenge: boolean;
  /** additional parameters of the authorization request */
  parameters: Readonly<Record<string, string>>;
  /** computes `appsecret_proof`, which is sent with access tokens; `null`: the broker requires none */
  proof: ((accessToken: string) => string) | null;
  /** how the broker returns the code (OAuth 2.0 Form Post Response Mode); null: the default, in the query */
  responseMode: 'form_post' | null;
};

export const breakerOf = ({ id }: SnapshotMethod): string => `broker ${id}`;

type Known = { print: string; until: number; broker: Promise<Broker> };
const brokersById = new Map<string, Known>();

/** Rejects if the broker cannot be reached or its metadata is invalid. */
export function openBroker(method: SnapshotMethod): Promise<Broker> {
  const print = JSON.stringify([method.config, method.sealedSecret]);
  const cacheEntry = brokersById.get(method.id);
  if (cacheEntry && cacheEntry.print === print && cacheEntry.until > now().getTime())
    return cacheEntry.broker;
  const broker = build(method);
  const entry = { print, until: now().getTime() + FRESH_MS, broker };
  brokersById.set(method.id, entry);
  // a failure is not cached: the next sign-in tries again, unless the circuit breaker is open
  broker.catch(() => {
    if (brokersById.get(method.id) === entry) brokersById.delete(method.id);
  });
  return broker;
}

async function build(method: SnapshotMethod): Promise<Broker> {
  const values = configOf(method);
  const secret = secretOf(method);
  const out = outboundFetch({
    allowPrivateNetwork: values.allow_private_network,
    timeoutMs: values.timeout_ms,
  });
  // the circuit breaker wraps only HTTP calls, because other errors do not prove that the broker fails
  const call = withHonestErrors((...request) => withBreaker(breakerOf(method), () => out(...request)));
  const send = call as client.CustomFetch;
  const authenticate = secret === null ? client.None() : authentication(method.config, secret);
  const config =
    'issuer' in values
      ? await discover(method, values, send, authenticate)
      : new client.Configuration(describeServer(values), values.client_id, undefined, authenticate);
  config[client.customFetch] = send;
  if (values.allow_private_network) client.allowInsecureRequests(config);
  const commonFields = {
    ...{ config, subjectClaim: values.subject_claim, responseMode: values.answer ?? null },
    ...{ sendsChallenge: values.pkce, parameters: values.authorization_parameters },
    proof: secret !== null && sendsProof(method) ? proofBy(secret) : null,
  };
  if (!('issuer' in values)) {
    const scope = (values.scopes ?? []).join(' ');
    return {
      ...commonFields,
      scope,
      keys: null,
      sendsNonce: false,
      emailsAddress: values.emails_endpoint ?? null,
    };
  }
  // without this call, the library does not verify signatures of ID tokens from the token endpoint
  client.enableNonRepudiationChecks(config);
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''), {
    [joseFetch]: call,
    cacheMaxAge: FRESH_MS,
    cooldownDuration: KEY_COOL_DOWN_MS,
    timeoutDuration: LIBRARY_TIMEOUT_MS,
  });
  const scopes = new Set(['openid', ...(values.scopes ?? ['email', 'profile'])]);
  return {
    ...commonFields,
    scope: [...scopes].join(' '),
    keys,
    sendsNonce: values.nonce,
    emailsAddress: null,
  };
}

/**
 * Returns a function that computes `appsecret_proof`
 * (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
 */
const proofBy = (secret: string) => (accessToken: string) =>
  createHmac('sha256', secret).update(accessToken).digest('hex');

async function discover(
  { config }: SnapshotMethod,
  { issuer, client_id, allow_private_network }: z.output<typeof openIdConnect>,
  call: client.CustomFetch,
  authenticate: client.ClientAuth,
): Promise<client.Configuration> {
  const discovered = await client.discovery(new URL(issuer), client_id, undefined, authenticate, {
    [client.customFetch]: call,
    execute: allow_private_network ? [client.allowInsecureRequests] : [],
  });
  const { supportsPKCE, ...metadata } = discovered.serverMetadata();
  // for a multi-tenant provider, the library compares the token's issuer with the issuer of the user's tenant
  if (isTemplated(config) && metadata.issuer === ISSUER_TEMPLATE) return discovered;
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const accepted = offered.filter((alg) => ID_TOKEN_ALGORITHMS.includes(alg));
  return new client.Configuration(
    { ...metadata, id_token_signing_alg_values_supported: accepted },
    client_id,
    undefined,
    authenticate,
  );
}

/**
 * Returns the metadata of a plain OAuth 2.0 server, which publishes none. A returned `iss` (RFC 9207) must equal
 * the configured issuer or, by default, the token endpoint's origin. Without this comparison, Gatehouse would
 * accept the response of another broker.
 */
function describeServer(values: z.output<typeof plainOAuth>): client.ServerMetadata {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = values;
  const issuer = values.answer_issuer ?? new URL(token_endpoint).origin;
  return { issuer, authorization_endpoint, token_endpoint, userinfo_endpoint };
}

function authentication(config: MethodConfig, secret: string): client.ClientAuth {
  return async (metadata, client, body, headers) => {
    const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const sent = await secretToSend(config, secret);
    if (tokenAuthOf(config, offered) !== 'client_secret_basic')
      return postSecret(sent)(metadata, client, body, headers);
    // the library also encodes `-`, `.` and `_`; a broker that compares the raw text would reject every GUID
    headers.set('authorization', basicCredentials(client.client_id, sent));
  };
}
const postSecret = client.ClientSecretPost;

function configOf(method: SnapshotMethod): BrokerConfig {
  return 'issuer' in method.config ? openIdConnect.parse(method.config) : plainOAuth.parse(method.config);
}

function secretOf({ id, sealedSecret }: SnapshotMethod): string | null {
  if (sealedSecret === null) return null;
  const secret = openFromRow('auth_methods', id, sealedSecret);
  if (secret === null) throw new Error(`the secret of ${id} was sealed with another GATEHOUSE_SECRET`);
  return secret;
}

// Verifies an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant) of the broker: its issuer must be the broker,
// and one of the broker’s keys must have signed it.

export type IdJagProof = 'proved' | 'jag-issuer' | 'jag-key' | 'jag-signature';

/** Rejects if the keys cannot be downloaded. */
export async function proveSignature({ config, keys }: Broker, assertion: string): Promise<IdJagProof> {
  if (keys === null || decodeJwt(assertion).iss !== config.serverMetadata().issuer) return 'jag-issuer';
  const options = { algorithms: ID_TOKEN_ALGORITHMS };
  try {
    await compactVerify(assertion, keys, options);
    return 'proved';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'jag-key';
    if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWSInvalid)
      return 'jag-signature';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const good = await compactVerify(assertion, key, options).then(
        () => true,
        () => false,
      );
      if (good) return 'proved';
    }
    return 'jag-signature';
  }
}
