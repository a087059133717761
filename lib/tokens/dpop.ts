// DPoP (RFC 9449). A proof (§4.3) is a JWT that the client signs with its own key for one request. The cheapest check
// runs first, and the signature is verified last.
import {
  constants,
  createHmac,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  verify as verifySignature,
} from 'node:crypto';
import { nowSeconds } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { decodeCompact, isJoseType } from './jws.ts';

// DPoP nonces (RFC 9449 §8). They are not stored: each is a MAC of its minute under a key derived from the service
// secret. Every instance recognizes a nonce, and a nonce can be used several times.

/** Number of minutes whose nonces are accepted: the current minute and the two before it. */
const GOOD_MINUTES = 3;

/** Keys derived from the secrets, by list of secrets. The settings keep the same list object. */
const keys = new WeakMap<readonly string[], Buffer[]>();

function keysOf(secrets: readonly string[]): Buffer[] {
  const derivedKeys =
    keys.get(secrets) ??
    secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'dpop nonce v1', 32)));
  keys.set(secrets, derivedKeys);
  return derivedKeys;
}

/** Returns the nonce of a minute: 128 bits, base64url. */
const nonceAt = (minute: number, key: Buffer): string =>
  createHmac('sha256', key).update(String(minute)).digest().subarray(0, 16).toString('base64url');

const currentMinute = () => Math.floor(nowSeconds() / 60);

/** Returns the nonce of the current minute, under the newest secret. */
export function currentNonce(secrets: readonly string[]): string {
  const [key] = keysOf(secrets);
  if (!key) throw new Error('no secret');
  return nonceAt(currentMinute(), key);
}

/** `before`: valid nonce of an earlier minute. Null: invalid nonce. */
export function isCurrentNonce(nonce: string, secrets: readonly string[]): 'now' | 'before' | null {
  if (nonce.length !== 22) return null;
  const minute = currentMinute();
  for (const key of keysOf(secrets))
    for (let ago = 0; ago < GOOD_MINUTES; ago += 1)
      if (nonceAt(minute - ago, key) === nonce) return ago === 0 ? 'now' : 'before';
  return null;
}

/** `dpop_signing_alg_values_supported` (RFC 9449 §5.1); Ed25519 is the other name of EdDSA (RFC 9864). */
export const DPOP_ALGS = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;
type Alg = (typeof DPOP_ALGS)[number];

type ProofFault =
  | 'proof-malformed'
  | 'proof-type'
  | 'proof-algorithm'
  | 'proof-key'
  | 'proof-id'
  | 'proof-method'
  | 'proof-address'
  | 'proof-token'
  | 'proof-time'
  | 'proof-nonce'
  | 'proof-signature';

export type ExpectedProof = {
  method: string;
  /** every spelling of the requested address that the configuration allows */
  addresses: readonly string[];
  nonce: 'off' | 'required';
  /** for resource requests: the presented token (§4.3, 11.1); null: a token endpoint */
  accessToken: string | null;
  /** the known secrets of the service, newest first */
  secrets: readonly string[];
};

export type Proof = {
  /** SHA-256 thumbprint of the key (RFC 7638), 32 bytes */
  jkt: Buffer;
  /** digest of `jti` and key, for replay detection */
  id: string;
  /** age of Gatehouse's nonce in the proof: this minute or an earlier one; null: no nonce */
  nonce: 'now' | 'before' | null;
};

export type CheckedProof = { fault: ProofFault; proof: null } | { fault: null; proof: Proof };

/** Faults that a new proof with a nonce corrects: a nonce proves the time, so the client's clock does not matter. */
export const NONCE_HEALS: ReadonlySet<string> = new Set<ProofFault>(['proof-time', 'proof-nonce']);

const MAX_CHARACTERS = 4_096;
const MAX_ID_CHARACTERS = 128;
const PAST_SECONDS = 60;
const AHEAD_SECONDS = 30;

export function checkProof(text: string, expected: ExpectedProof): CheckedProof {
  const read = text.length <= MAX_CHARACTERS && COMPACT.test(text) ? decodeCompact(text) : null;
  if (!read) return proofRefused('proof-malformed');
  const { header, payload } = read;
  if (!isJoseType(header['typ'], 'dpop+jwt') || 'crit' in header || 'b64' in header)
    return proofRefused('proof-type');
  const alg = DPOP_ALGS.find((name) => name === header['alg']);
  if (!alg) return proofRefused('proof-algorithm');
  const key = keyOf(header['jwk'], alg);
  if (!key) return proofRefused('proof-key');
  const nonce =
    typeof payload['nonce'] === 'string' ? isCurrentNonce(payload['nonce'], expected.secrets) : null;
  const fault = claimsFault(payload, { ...expected, isNonceGood: nonce !== null });
  if (fault !== null) return proofRefused(fault);
  if (!isSigned(text, alg, key.publicKey)) return proofRefused('proof-signature');
  const id = sha256(`${key.jkt.toString('base64url')} ${payload['jti']}`).toString('base64');
  return { fault: null, proof: { jkt: key.jkt, id, nonce } };
}

const proofRefused = (fault: ProofFault): CheckedProof => ({ fault, proof: null });

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function claimsFault(
  claims: Record<string, unknown>,
  expected: ExpectedProof & { isNonceGood: boolean },
): ProofFault | null {
  const { jti, htm, htu, iat, nonce, ath } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS) return 'proof-id';
  if (htm !== expected.method) return 'proof-method';
  if (typeof htu !== 'string' || !expected.addresses.some((address) => plain(address) === plain(htu)))
    return 'proof-address';
  if (expected.accessToken !== null && ath !== sha256(expected.accessToken).toString('base64url'))
    return 'proof-token';
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return 'proof-malformed';
  // a nonce proves the time, so the client's clock does not matter (§4.3, 11)
  if (nonce !== undefined) return expected.isNonceGood ? null : 'proof-nonce';
  if (expected.nonce === 'required') return 'proof-nonce';
  const age = nowSeconds() - iat;
  return age > PAST_SECONDS || age < -AHEAD_SECONDS ? 'proof-time' : null;
}

/** Characters that need no percent-encoding (RFC 3986 §2.3: unreserved). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

const withNormalEscapes = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });

/**
 * Returns the address without query and fragment, normalized by syntax and scheme (§4.3, 9; RFC 3986 §6.2.2, 6.2.3).
 * URL parsing normalizes case, dots and ports, but not escapes. Null if the text is not an address.
 */
function plain(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.search = '';
  url.hash = '';
  url.pathname = withNormalEscapes(url.pathname);
  return url.href;
}

type ProofKey = { publicKey: KeyObject; jkt: Buffer };

/** Cache of the 5,000 most recent keys by alg and members. Evicts the least recently used key. */
const proofKeys = new Map<string, ProofKey>();
const MAX_KNOWN = 5_000;

/** Members of a private key (RFC 7518 §6). A proof whose key has such a member is rejected. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * For each algorithm: the required members of its keys in the order of RFC 7638 §3.2, and the fixed values of some
 * members.
 */
const KINDS: Record<Alg, { kty: string; crv?: string; members: readonly string[] }> = {
  ES256: { kty: 'EC', crv: 'P-256', members: ['crv', 'kty', 'x', 'y'] },
  PS256: { kty: 'RSA', members: ['e', 'kty', 'n'] },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'kty', 'x'] },
  Ed25519: { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'kty', 'x'] },
};

/** Returns null if the JWK is not a public key for this algorithm. */
function keyOf(jwk: unknown, alg: Alg): ProofKey | null {
  if (typeof jwk !== 'object' || jwk === null || PRIVATE.some((name) => name in jwk)) return null;
  const { kty, crv, members } = KINDS[alg];
  const memberEntries = members.map((name) => [name, Reflect.get(jwk, name)] as const);
  if (!memberEntries.every(([, value]) => typeof value === 'string')) return null;
  const key = Object.fromEntries(memberEntries) as Record<string, string>;
  if (key['kty'] !== kty || key['crv'] !== crv) return null;
  const text = JSON.stringify(key);
  const proofKey = proofKeys.get(text) ?? importKey(key, text);
  if (!proofKey) return null;
  proofKeys.delete(text);
  if (proofKeys.size >= MAX_KNOWN) proofKeys.delete(proofKeys.keys().next().value ?? '');
  proofKeys.set(text, proofKey);
  return proofKey;
}

function importKey(key: Record<string, string>, text: string): ProofKey | null {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const { modulusLength, publicExponent } = publicKey.asymmetricKeyDetails ?? {};
    const isRsa = key['kty'] === 'RSA';
    if (
      isRsa &&
      (!modulusLength || modulusLength < 2048 || modulusLength > 4096 || publicExponent !== 65_537n)
    )
      return null;
    return { publicKey, jkt: sha256(text) };
  } catch {
    return null;
  }
}

function isSigned(text: string, alg: Alg, key: KeyObject): boolean {
  const end = text.lastIndexOf('.');
  const input = Buffer.from(text.slice(0, end));
  const signature = Buffer.from(text.slice(end + 1), 'base64url');
  if (alg === 'ES256') return verifySignature('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature);
  if (alg === 'PS256') {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return verifySignature('sha256', input, { key, padding, saltLength: 32 }, signature);
  }
  return verifySignature(null, input, key, signature);
}

// Proofs that this process has seen at a resource (RFC 9449 §11.1). Requests to the token endpoint contain single-use
// credentials, so a repeated proof gains nothing there and is not stored.

/** Seconds for which a proof is remembered: the lifetime of a nonce, which is longer than that of a proof. */
const REMEMBERED_SECONDS = 180;
const MAX_REMEMBERED = 100_000;

// one map per process, shared by both HTTP listeners
const slot = processWide<Map<string, number>>('dpop-proofs');

/**
 * For each request: the id of the proof that it used, so that its retry after a registry change can use the proof
 * again.
 */
const proofIds = new WeakMap<object, string>();

/** Returns true if this request is the first to use the proof. Evicts the oldest entries. */
export function isFirstProof(id: string, request: object): boolean {
  if (proofIds.get(request) === id) return true;
  slot.value ??= new Map();
  const seen = slot.value;
  const at = nowSeconds();
  for (const [old, until] of seen) {
    if (until > at && seen.size < MAX_REMEMBERED) break;
    seen.delete(old);
  }
  if (seen.has(id)) return false;
  proofIds.set(request, id);
  seen.set(id, at + REMEMBERED_SECONDS);
  return true;
}

// Tokens presented at Gatehouse resources. A bound token requires a proof of its key (RFC 9449 §7.1), because a token
// without a proof may be stolen (§7.2).

export type PresentedToken = {
  /** scheme in lower case */
  scheme: 'bearer' | 'dpop';
  token: string;
  /** raw `DPoP` header; undefined: missing */
  proof: string | undefined;
  method: string;
  /** every spelling of the requested address that the configuration allows */
  addresses: readonly string[];
  nonce: ExpectedProof['nonce'];
  secrets: readonly string[];
  /** the request itself, for which a retry may use the same proof */
  request: object;
  /** result of an earlier check; undefined: unchecked */
  checked?: CheckedProof | undefined;
  /** true: a process has already seen the proof, by shared replay detection */
  isUsed?: boolean;
};

/** Checks the proof before the token's key is known. Undefined if the proof is missing. */
export const checkedProof = (presentedToken: PresentedToken): CheckedProof | undefined =>
  presentedToken.scheme === 'dpop' && presentedToken.proof !== undefined
    ? checkProof(presentedToken.proof, { ...presentedToken, accessToken: presentedToken.token })
    : undefined;

/**
 * Fault of a token in a request. `token`: a bound token was sent with the scheme Bearer, or an unbound token with
 * DPoP.
 */
export type ResourceFault = ProofFault | 'token' | 'proof-missing' | 'proof-other-key' | 'proof-used';

/**
 * Returns the error for a fault. Null means too many invalid proofs. `nonce`: value that makes a repeated request
 * valid.
 */
export function proofChallenge(fault: ResourceFault | null, secrets: readonly string[]) {
  if (fault === 'token') return { error: 'invalid_token', nonce: null };
  const isHealed = fault !== null && NONCE_HEALS.has(fault);
  return isHealed
    ? { error: 'use_dpop_nonce', nonce: currentNonce(secrets) }
    : { error: 'invalid_dpop_proof', nonce: null };
}

/** Checks a presented token. `fault` is null for a correctly presented token. `proof` is null for bearer tokens. */
export function checkPresented(
  presentedToken: PresentedToken,
  jkt: string | null,
): { fault: ResourceFault | null; proof: Proof | null } {
  const resourceRefused = (fault: ResourceFault) => ({ fault, proof: null });
  if ((presentedToken.scheme === 'dpop') !== (jkt !== null)) return resourceRefused('token');
  if (jkt === null) return { fault: null, proof: null };
  if (presentedToken.proof === undefined) return resourceRefused('proof-missing');
  const { fault, proof } =
    presentedToken.checked ??
    checkProof(presentedToken.proof, { ...presentedToken, accessToken: presentedToken.token });
  if (fault !== null) return resourceRefused(fault);
  if (proof.jkt.toString('base64url') !== jkt) return resourceRefused('proof-other-key');
  if (presentedToken.isUsed || !isFirstProof(proof.id, presentedToken.request))
    return resourceRefused('proof-used');
  return { fault: null, proof };
}
