// The proof of a key that a client's request brings (RFC 9449 §5), checked before a code, an assertion or an attempt is
// used up. A bad one counts for the caller's address as a wrong secret does, since anybody can sign one.

import type { HttpRequest } from '#lib/http/message.ts';
import { settings } from '#lib/settings/settings.ts';
import { spendAssertion, spendProof } from '#lib/store/hot/credentials.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/snapshot.ts';
import {
  checkProof,
  currentNonce,
  NONCE_HEALS,
  type Proof,
  proofChallenge,
  type ResourceFault,
} from '#lib/tokens/dpop.ts';
import { type AuthenticatedClient, type ClientRequest, namedClient, underSecretLimit } from './client.ts';
import { InvalidDpopProof, type OAuthError, type RefusalReason, UseDpopNonce } from './errors.ts';

const REFUSED = 'The DPoP proof is not good for this request.';
const MISSING = 'A DPoP proof is missing: access tokens are bound to a key here.';

type ProofApi = Pick<SnapshotApi, 'dpop' | 'dpopNonce'>;
/** `api`: null where the request does not say for which API it is. */
type Place = { address: string; api: ProofApi | null };

/**
 * The proof of a request for tokens at this address; null: none came, and none is asked for. InvalidDpopProof,
 * UseDpopNonce; SlowDown after too many bad ones.
 */
export async function readProof(request: ClientRequest, place: Place): Promise<Proof | null> {
  const proof = await optionalProof(request, place);
  if (proof !== null) return proof;
  const client = await namedClient(request);
  requireProof(null, { client, api: place.api });
  return null;
}

/** The same where the key may also be proved later. */
export async function optionalProof(request: ClientRequest, place: Place): Promise<Proof | null> {
  const text = request.http.headers['dpop'];
  return text === undefined ? null : proofAt(request, text, place);
}

/** A client that has said so, and an API that asks for it, never get a bearer token (RFC 9449 §5.2). */
export function requireProof(
  proof: Proof | null,
  {
    client,
    api,
  }: { client: Pick<SnapshotClient, 'dpopBoundAccessTokens'> | undefined; api: ProofApi | null },
): void {
  const isAsked = api?.dpop === 'required' || client?.dpopBoundAccessTokens === true;
  if (proof === null && isAsked) throw proofError('proof-missing');
  if (proof?.nonce === null && api?.dpopNonce === 'required') throw proofError('proof-nonce');
}

async function proofAt(request: ClientRequest, text: string, { address, api }: Place): Promise<Proof> {
  const { http, ip, snapshot } = request;
  const { secrets } = settings();
  const expected = {
    method: http.method,
    addresses: [address],
    nonce: api?.dpopNonce ?? 'off',
    accessToken: null,
    secrets,
  };
  let checked: ReturnType<typeof checkProof> | undefined;
  const check = () => {
    checked ??= checkProof(text, expected);
    // that it has to be sent again is no bad attempt
    return checked.proof ?? (NONCE_HEALS.has(checked.fault) ? 'again' : null);
  };
  const caller = {
    clientId: '',
    known: false,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly: true,
  };
  const found = await underSecretLimit(caller, check);
  if (found !== null && found !== 'again') return found;
  throw proofError(checked?.fault ?? null);
}

/** `challenge`: of a resource, where it is 401 with that (RFC 9449 §7.1, §9). */
export function proofError(
  fault: Exclude<ResourceFault, 'token'> | null,
  resource?: { status: 401; challenge: string },
): OAuthError {
  const { error, nonce } = proofChallenge(fault, settings().secrets);
  const why = {
    status: resource?.status ?? (400 as const),
    headers: resourceHeaders(resource && `${resource.challenge}, error="${error}"`),
    reason: fault satisfies RefusalReason | null,
  };
  if (nonce !== null) return new UseDpopNonce(nonce, why);
  return new InvalidDpopProof(fault === 'proof-missing' ? MISSING : REFUSED, why);
}

const resourceHeaders = (challenge: string | undefined): Record<string, string> =>
  challenge === undefined ? {} : { 'www-authenticate': challenge };

/** A newer nonce for a client that has one which soon ends (RFC 9449 §8.2). */
export const nonceHeader = (proof: Proof | null): Record<string, string> =>
  proof?.nonce === 'before' ? { 'dpop-nonce': currentNonce(settings().secrets) } : {};

// An assertion works once, and so does the DPoP proof of a confidential client. A retry of the same request, after a
// change of the registry, may use its own again.

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
