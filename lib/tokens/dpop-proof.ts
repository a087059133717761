// A DPoP proof (RFC 9449 §4.3): a JWT that a client signs for one request with a key of its own. The checks come in the
// order of their cost, the signature last.
import { constants, createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto';
import { nowSeconds } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { isJoseType } from './assertion-parts.ts';
import { isCurrentNonce } from './dpop-nonce.ts';
import { decodeCompact } from './jws.ts';

/** `dpop_signing_alg_values_supported` (RFC 9449 §5.1); Ed25519 is the other name of EdDSA (RFC 9864). */
export const DPOP_ALGS = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;
type Alg = (typeof DPOP_ALGS)[number];

export type ProofFault =
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
  /** each spelling of the address that was called, as we have configured it */
  addresses: readonly string[];
  nonce: 'off' | 'required';
  /** at a resource: what the proof comes with (§4.3, 11.1); null: at the token endpoint */
  accessToken: string | null;
  /** the known secrets of the service, newest first */
  secrets: readonly string[];
};

export type Proof = {
  /** SHA-256 thumbprint of the key (RFC 7638), 32 bytes */
  jkt: Buffer;
  /** of the `jti` and the key: what a second use is known by */
  id: string;
  /** of ours, of this minute or before; null: it has none */
  nonce: 'now' | 'before' | null;
};

export type CheckedProof = { fault: ProofFault; proof: null } | { fault: null; proof: Proof };

/** What a nonce of ours heals: with one a wrong clock does not matter. */
export const NONCE_HEALS: ReadonlySet<string> = new Set<ProofFault>(['proof-time', 'proof-nonce']);

const MAX_CHARACTERS = 4_096;
const MAX_ID_CHARACTERS = 128;
const PAST_SECONDS = 60;
const AHEAD_SECONDS = 30;

export function checkProof(text: string, expected: ExpectedProof): CheckedProof {
  const read = text.length <= MAX_CHARACTERS && COMPACT.test(text) ? decodeCompact(text) : null;
  if (!read) return refused('proof-malformed');
  const { header, payload } = read;
  if (!isJoseType(header['typ'], 'dpop+jwt') || 'crit' in header || 'b64' in header)
    return refused('proof-type');
  const alg = DPOP_ALGS.find((one) => one === header['alg']);
  if (!alg) return refused('proof-algorithm');
  const key = keyOf(header['jwk'], alg);
  if (!key) return refused('proof-key');
  const nonce =
    typeof payload['nonce'] === 'string' ? isCurrentNonce(payload['nonce'], expected.secrets) : null;
  const fault = claimsFault(payload, { ...expected, isNonceGood: nonce !== null });
  if (fault !== null) return refused(fault);
  if (!isSigned(text, alg, key.publicKey)) return refused('proof-signature');
  const id = sha256(`${key.jkt.toString('base64url')} ${payload['jti']}`).toString('base64');
  return { fault: null, proof: { jkt: key.jkt, id, nonce } };
}

const refused = (fault: ProofFault): CheckedProof => ({ fault, proof: null });

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function claimsFault(
  claims: Record<string, unknown>,
  expected: ExpectedProof & { isNonceGood: boolean },
): ProofFault | null {
  const { jti, htm, htu, iat, nonce, ath } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS) return 'proof-id';
  if (htm !== expected.method) return 'proof-method';
  if (typeof htu !== 'string' || !expected.addresses.some((one) => plain(one) === plain(htu)))
    return 'proof-address';
  if (expected.accessToken !== null && ath !== sha256(expected.accessToken).toString('base64url'))
    return 'proof-token';
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return 'proof-malformed';
  // with a nonce of ours the clock of the client does not matter (§4.3, 11)
  if (nonce !== undefined) return expected.isNonceGood ? null : 'proof-nonce';
  if (expected.nonce === 'required') return 'proof-nonce';
  const age = nowSeconds() - iat;
  return age > PAST_SECONDS || age < -AHEAD_SECONDS ? 'proof-time' : null;
}

/** An escape of a character that needs none (RFC 3986 §2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

const withNormalEscapes = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });

/**
 * Without query and fragment, after normalization by syntax and scheme (§4.3, 9; RFC 3986 §6.2.2, 6.2.3): URL parsing
 * settles case, dots and ports, and leaves escapes as they are. Null: no address.
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

/** Of 5,000 keys that have signed lately, by alg and members; the one that was not used for longest goes first. */
const known = new Map<string, ProofKey>();
const MAX_KNOWN = 5_000;

/** None of a private key (RFC 7518 §6): a proof that shows one proves nothing any more. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** What of a key counts (RFC 7638 §3.2), in its order; and what of it has one value only. */
const KINDS: Record<Alg, { kty: string; crv?: string; members: readonly string[] }> = {
  ES256: { kty: 'EC', crv: 'P-256', members: ['crv', 'kty', 'x', 'y'] },
  PS256: { kty: 'RSA', members: ['e', 'kty', 'n'] },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'kty', 'x'] },
  Ed25519: { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'kty', 'x'] },
};

/** Null: it is no public key for this algorithm. */
function keyOf(jwk: unknown, alg: Alg): ProofKey | null {
  if (typeof jwk !== 'object' || jwk === null || PRIVATE.some((name) => name in jwk)) return null;
  const { kty, crv, members } = KINDS[alg];
  const own = members.map((name) => [name, Reflect.get(jwk, name)] as const);
  if (!own.every(([, value]) => typeof value === 'string')) return null;
  const key = Object.fromEntries(own) as Record<string, string>;
  if (key['kty'] !== kty || key['crv'] !== crv) return null;
  const text = JSON.stringify(key);
  const found = known.get(text) ?? imported(key, text);
  if (!found) return null;
  known.delete(text);
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? '');
  known.set(text, found);
  return found;
}

function imported(key: Record<string, string>, text: string): ProofKey | null {
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
