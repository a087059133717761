// What a failed conversation with a broker means: it said no (or lied), or nobody could say. Both let nobody in. Only
// codes and plain words go to the log: the causes hold what the broker sent.
import { errors as jose } from 'jose';
import * as client from 'openid-client';
import { log } from '#lib/kit/index.ts';
import { OutboundFailed } from '#lib/outbound/index.ts';

/** openid-client's codes for an answer that arrived, and is not to be believed. */
const NOT_BELIEVED: readonly (string | undefined)[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_INVALID_REQUEST',
  'OAUTH_UNSUPPORTED_OPERATION',
];
/** The broker's word that it is not at its best, or that it does not know us: neither is the person's fault. */
const NOT_THE_PERSONS = ['server_error', 'temporarily_unavailable', 'slow_down', 'invalid_client'];

/** The outage behind a library's error, for the breaker to see; everything else as it was. */
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
    // not `code`: the log takes that for a secret
    { auth_method: authMethodId, outcome: kind, fault: code, reason: reasonOf(error) },
    `a broker was of no use: ${message ?? 'unknown'}`,
  );
  return { kind };
}

function kindOf(error: unknown): 'refused' | 'unavailable' {
  if (error instanceof OutboundFailed) return 'unavailable';
  if (error instanceof client.ResponseBodyError) {
    return error.status >= 500 || NOT_THE_PERSONS.includes(error.error) ? 'unavailable' : 'refused';
  }
  if (error instanceof client.ClientError) {
    return NOT_BELIEVED.includes(error.code) ? 'refused' : 'unavailable';
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
