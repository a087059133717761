// What is wrong with a proof of a key (RFC 9449). At the token endpoint it is 400, at a resource 401 with a challenge.
import { OAuthError, type Options } from './errors.ts';

/** RFC 9449 §5; at a resource §7.1. */
export class InvalidDpopProof extends OAuthError {
  static override readonly code = 'invalid_dpop_proof';
  static override readonly status = 400;
  override readonly status: number;
  constructor(description: string, options: Options & { status?: 400 | 401 } = {}) {
    super(description, options);
    this.status = options.status ?? 400;
  }
}
/** RFC 9449 §8; at a resource §9. The same request with this nonce in its proof is good. */
export class UseDpopNonce extends OAuthError {
  static override readonly code = 'use_dpop_nonce';
  static override readonly status = 400;
  override readonly status: number;
  constructor(nonce: string, options: Options & { status?: 400 | 401 } = {}) {
    const headers = { 'dpop-nonce': nonce, ...options.headers };
    super('Send the request again, with the nonce of the DPoP-Nonce header in its proof.', {
      ...options,
      headers,
    });
    this.status = options.status ?? 400;
  }
}
