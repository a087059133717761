// What a failure with a broker means: refused (it said no, or sent something invalid) or unavailable. Neither signs
// anyone in. The log gets codes and fixed messages only, since the causes contain what the broker sent.
import { errors as jose } from 'jose';
import * as client from 'openid-client';
import { log } from '#lib/kit/log.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';

/** A broker's answer that signs no one in. The message is fixed: it goes to the log. */
export class BrokerRefused extends Error {
  override name = 'BrokerRefused';
}

/** The broker did not say when the person signed in, and max_age asks for it (OpenID Connect Core §3.1.2.1). */
export class NoAuthTime extends BrokerRefused {
  constructor() {
    super('the broker gave no auth_time, and the client sent max_age');
  }
}

/** openid-client's codes for an answer that arrived and is invalid. */
const INVALID_ANSWER: readonly (string | undefined)[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_INVALID_REQUEST',
  'OAUTH_UNSUPPORTED_OPERATION',
];
/** Error codes that are not about the person: the broker is overloaded, or our registration there is wrong. */
const NOT_ABOUT_PERSON = [
  ...['server_error', 'temporarily_unavailable', 'slow_down', 'invalid_client'],
  // GitHub's own
  ...['incorrect_client_credentials', 'redirect_uri_mismatch'],
];

/** Throws the OutboundFailed that a library wrapped; other errors unchanged. */
export async function unwrapped<T>(work: Promise<T>): Promise<T> {
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
    // not named `code`: the log redacts that
    { auth_method: authMethodId, outcome: kind, fault: code, reason: reasonOf(error), ...adviceOf(error) },
    `a sign-in by a broker failed: ${message ?? 'unknown'}`,
  );
  return error instanceof NoAuthTime ? { kind: 'refused', because: 'no-auth-time' } : { kind };
}

/** What the operator may change: both issuers where they differ, and how our secret is sent. */
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

const short = (said: unknown) => String(said).slice(0, 200);

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
 * `send` with errors of the token address put right: they have the status 400 or 401 (RFC 6749 §5.2), and GitHub sends
 * them with 200.
 */
export function withHonestErrors(send: typeof fetch): typeof fetch {
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
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof said !== 'object' || said === null || 'access_token' in said || !('error' in said)) return null;
  const { error } = said;
  return typeof error === 'string' && error !== '' ? error.slice(0, MAX_CODE) : null;
}
