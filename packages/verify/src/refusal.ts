// Error responses according to RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3 and RFC 9728 §5.1.
import type { Needs } from './options.ts';
import { ALGORITHMS } from './proof.ts';

export type Refusal = { status: number; headers: Record<string, string> };

/** The token is rejected. The message is the reason, for the log of the API. */
export class Invalid extends Error {}

const answer = (status: number, headers: Record<string, string>): Refusal => ({
  status,
  headers: { ...headers, 'cache-control': 'no-store' },
});

export const unavailable = () => answer(503, { 'retry-after': '5' });
export const badRequest = () => answer(400, {});

/**
 * Error responses that name the metadata of the API, and the scheme (Bearer or DPoP) that was received or is
 * required.
 */
export function refusals(api: string, dpop: boolean) {
  function challenge(
    status: number,
    error?: string,
    description?: string,
    more: Record<string, unknown> = {},
  ) {
    const parameters = {
      error,
      error_description: description,
      ...more,
      algs: dpop ? ALGORITHMS : undefined,
      resource_metadata: api,
    };
    const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return answer(status, {
      'www-authenticate': `${dpop ? 'DPoP' : 'Bearer'} ${entries.map(([name, value]) => `${name}="${value}"`).join(', ')}`,
    });
  }
  return {
    noToken: () => challenge(401),
    invalid: () => challenge(401, 'invalid_token', 'the token is not valid here'),
    badProof: () => challenge(401, 'invalid_dpop_proof', 'the proof is not valid here'),
    insufficientScope: ({ scopes }: Needs) =>
      challenge(403, 'insufficient_scope', 'the token does not have this scope', { scope: scopes.join(' ') }),
    wrongKind: ({ kind }: Needs) => challenge(403, 'insufficient_scope', `this needs the token of a ${kind}`),
    weak: ({ acr, maxAge }: Needs) =>
      challenge(401, 'insufficient_user_authentication', 'a stronger or a newer sign-in is needed', {
        acr_values: acr,
        max_age: maxAge,
      }),
  };
}
