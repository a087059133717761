// A token with `cnf` that a client presents to get another token (RFC 8693 §2.1): it counts with a proof of its key
// (RFC 9449 §7), or from the confidential client that it is made out to. Without this rule, an exchange would turn a
// stolen bound token into a bearer token.
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import type { LiveToken } from '#lib/store/tokens/live-tokens.ts';
import type { LockedToken } from '#lib/store/tokens/locked-token.ts';
import type { LiveMachineToken } from '#lib/store/tokens/machine-tokens.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import type { ProvedClient } from '../clients/authenticated-client.ts';
import { proofError } from '../clients/proof.ts';

export type Presenter = { client: ProvedClient; proof: Proof | null; snapshot: Snapshot };

/** InvalidDpopProof where the key is not proved. */
export function openToken<Token extends LiveToken | LiveMachineToken>(
  locked: LockedToken<Token>,
  { client, proof, snapshot }: Presenter,
): Token {
  if (isAudience(client, snapshot, locked.place.apiId)) return locked.inspect();
  const token = locked.open(proof);
  if (token) return token;
  throw proofError(proof === null ? 'proof-missing' : 'proof-other-key');
}

/** `aud` is the API's address: a client has that name if its document (client_id) is published there. */
const isAudience = ({ clientId }: ProvedClient, { apis }: Snapshot, apiId: string): boolean =>
  apis.get(apiId)?.url === clientId;

/** The same for a token of another issuer; `cnf`: the claim (RFC 7800 §3.1). */
export function requireConfirmed(cnf: unknown, proof: Proof | null): void {
  if (cnf === undefined) return;
  const jkt = typeof cnf === 'object' && cnf !== null && Reflect.get(cnf, 'jkt');
  if (proof === null) throw proofError('proof-missing');
  if (jkt !== proof.jkt.toString('base64url')) throw proofError('proof-other-key');
}
