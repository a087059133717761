// What a failure with a broker means: refused (it said no, or sent something invalid) or unavailable. Both let nobody in.
// The log gets codes and fixed messages only, since the causes contain what the broker sent.
import { errors as jose } from 'jose';
import * as client from 'openid-client';
import { log } from '#lib/kit/index.ts';
import { OutboundFailed } from '#lib/outbound/index.ts';

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
const NOT_ABOUT_PERSON = ['server_error', 'temporarily_unavailable', 'slow_down', 'invalid_client'];

/** Throws the OutboundFailed that a library wrapped; other errors unchanged. */
export async function unwrapped<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw causes(error).find((cause) => cause instanceof OutboundFailed) ?? error;
  }
}

export function failureOf(
  error: unknown,
  authMethodId: string,
): { kind: 'refused' } | { kind: 'unavailable' } {
  const kind = kindOf(error);
  const { message, code } = error as { message?: string; code?: string };
  log().warn(
    // not named `code`: the log redacts that
    { auth_method: authMethodId, outcome: kind, fault: code, reason: reasonOf(error) },
    `a sign-in by a broker failed: ${message ?? 'unknown'}`,
  );
  return { kind };
}

function kindOf(error: unknown): 'refused' | 'unavailable' {
  if (error instanceof OutboundFailed) return 'unavailable';
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
