// A token at a resource of ours: a bound one is good only with a proof of its key (RFC 9449 §7.1), and as a bearer
// token it may be stolen (§7.2).
import { currentNonce } from './dpop-nonce.ts';
import {
  type CheckedProof,
  checkProof,
  type ExpectedProof,
  NONCE_HEALS,
  type Proof,
  type ProofFault,
} from './dpop-proof.ts';
import { isFirstProof } from './dpop-replays.ts';

export type PresentedToken = {
  /** in small letters */
  scheme: 'bearer' | 'dpop';
  token: string;
  /** the header `DPoP` as it came; undefined: none */
  proof: string | undefined;
  method: string;
  /** each spelling of the address that was called, as we have configured it */
  addresses: readonly string[];
  nonce: ExpectedProof['nonce'];
  secrets: readonly string[];
  /** the request itself, which may be answered twice */
  request: object;
  /** the proof, where it was checked before; undefined: it was not */
  checked?: CheckedProof | undefined;
  /** it was used at any process, where they share what they know */
  isUsed?: boolean;
};

/** The proof, before it is known which key the token is bound to; undefined: none came. */
export const checkedProof = (presented: PresentedToken): CheckedProof | undefined =>
  presented.scheme === 'dpop' && presented.proof !== undefined
    ? checkProof(presented.proof, { ...presented, accessToken: presented.token })
    : undefined;

/** `token`: it is bound and came as a bearer token, or the other way round. */
export type ResourceFault = ProofFault | 'token' | 'proof-missing' | 'proof-other-key' | 'proof-used';

/** The error of a fault; null: of too many bad proofs. `nonce`: with which the same request is good. */
export function proofChallenge(fault: ResourceFault | null, secrets: readonly string[]) {
  if (fault === 'token') return { error: 'invalid_token', nonce: null };
  const isHealed = fault !== null && NONCE_HEALS.has(fault);
  return isHealed
    ? { error: 'use_dpop_nonce', nonce: currentNonce(secrets) }
    : { error: 'invalid_dpop_proof', nonce: null };
}

/** `fault`: null where the token came as it has to; `proof`: null: of a bearer token. */
export function checkPresented(
  presented: PresentedToken,
  jkt: string | null,
): { fault: ResourceFault | null; proof: Proof | null } {
  const refused = (fault: ResourceFault) => ({ fault, proof: null });
  if ((presented.scheme === 'dpop') !== (jkt !== null)) return refused('token');
  if (jkt === null) return { fault: null, proof: null };
  if (presented.proof === undefined) return refused('proof-missing');
  const { fault, proof } =
    presented.checked ?? checkProof(presented.proof, { ...presented, accessToken: presented.token });
  if (fault !== null) return refused(fault);
  if (proof.jkt.toString('base64url') !== jkt) return refused('proof-other-key');
  if (presented.isUsed || !isFirstProof(proof.id, presented.request)) return refused('proof-used');
  return { fault: null, proof };
}
