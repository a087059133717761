// An assertion works once, and so does the DPoP proof of a confidential client. A retry of the same request, after a
// change of the registry, may use its own again.
import type { HttpRequest } from '#lib/http/message.ts';
import { spendAssertion, spendProof } from '#lib/store/tokens/used-assertions.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import type { AuthenticatedClient } from './authenticated-client.ts';
import { proofError } from './proof.ts';

/** By the hash: a client may prove itself by one assertion and bring another one of a person. */
const uses = new WeakMap<HttpRequest, Map<string, Promise<boolean>>>();

/** `idHash`: SHA-256 of what names the assertion; `seconds`: until that may be forgotten. */
export const isFirstUse = (http: HttpRequest, used: Used): Promise<boolean> =>
  spendOnce(http, used, spendAssertion);

/** As long as a proof is good at the longest: until its nonce ends. */
const PROOF_SECONDS = 180;

/**
 * InvalidDpopProof for a proof that came before, at any process (RFC 9449 §11.1). The proof of a public client is not
 * stored: anybody can send its client_id with keys of their own, and its codes and refresh tokens work once anyway.
 * Nor is the proof of a grant that works once.
 */
export async function requireFirstProof(
  http: HttpRequest,
  client: AuthenticatedClient,
  proof: Proof | null,
): Promise<void> {
  if (proof === null || !client.confidential) return;
  const used = { idHash: Buffer.from(proof.id, 'base64'), seconds: PROOF_SECONDS };
  if (!(await spendOnce(http, used, spendProof))) throw proofError('proof-used');
}

type Used = { idHash: Buffer; seconds: number };

function spendOnce(http: HttpRequest, used: Used, spend: (used: Used) => Promise<boolean>): Promise<boolean> {
  const ofRequest = uses.get(http) ?? new Map<string, Promise<boolean>>();
  uses.set(http, ofRequest);
  const name = used.idHash.toString('base64');
  const use = ofRequest.get(name) ?? spend(used);
  ofRequest.set(name, use);
  return use;
}
