// Checks the DPoP proof of a bound token (RFC 9449 §4.3, §7): the proof must match this exact request, and is valid
// once.
import { base64url, calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { boundedText, setBounded } from './bounded.ts';
import { isTexts } from './metadata.ts';
import type { Sent } from './sent.ts';

/** Names of the supported algorithms, separated by spaces (RFC 9449 §7.1). */
export const ALGORITHMS = 'ES256 PS256 EdDSA Ed25519';
/** Matches private members of a JWK (RFC 7518 §6). A proof that contains its private key proves nothing. */
const PRIVATE = /\b(?:d|d?[pq]|qi|oth|k)\b/;
/** A proof is valid for five minutes before and five minutes after its time (seconds). */
const TIMES = { maxTokenAge: 1, clockTolerance: 299 };
const REMEMBERED_MS = 600_000;

/** The `jti` values of proofs that this process has accepted, on any route. */
const seen = new Map<string, number>();
const MOST_SEEN = 100_000;
/**
 * The `jti` of each request's proof. The same proof is accepted again for this request, because two guards may check
 * it.
 */
const proofIds = new WeakMap<object, string>();

/**
 * Checks a proof. `address`: called URL without query and fragment. `cnf`: confirmation claim of the token. Returns
 * the fault; null if the proof is valid.
 */
export async function proofFault(
  { request, proof }: Sent,
  { token, cnf, address }: { token: string; cnf: unknown; address: string },
): Promise<string | null> {
  if (!proof?.length) return 'the request has no DPoP header, but its token is bound to a key';
  const bound = JSON.stringify(cnf);
  try {
    // a header with two values, which Node joins with a comma, is not a JWT and is rejected
    const { payload } = await jwtVerify(
      String(proof),
      async (header) => {
        const { jwk } = header;
        const isPublic = jwk && !PRIVATE.test(String(Object.keys(jwk)));
        // imports the key only if the token is bound to it; a token whose `cnf` has further members is bound in
        // another way and is rejected
        const isOurs = isPublic && JSON.stringify({ jkt: await calculateJwkThumbprint(jwk) }) === bound;
        if (!isOurs) throw new Error('its key is not the token key');
        return EmbeddedJWK(header);
      },
      // the type is case-insensitive and can have the prefix `application/` (RFC 7515 §4.1.9)
      { algorithms: ALGORITHMS.split(' '), typ: 'dpop+jwt', ...TIMES },
    );
    const { jti, htm, htu, ath } = payload;
    const id = await sha256(`${bound} ${jti}`);
    const { origin, pathname } = new URL(String(htu));
    if (htm !== request.method) return `htm of the DPoP proof is ${boundedText(htm)}, not ${request.method}`;
    if (normalizeAddress(origin + pathname) !== normalizeAddress(address))
      return `htu of the DPoP proof is ${boundedText(htu)}, but the request was for ${address}`;
    if (ath !== (await sha256(token))) return 'ath of the DPoP proof belongs to another token';
    const now = Date.now();
    if (!isTexts([jti])) return 'the DPoP proof has no jti';
    if (proofIds.get(request) !== id && (seen.get(id) as number) > now)
      return 'the DPoP proof was used before';
    proofIds.set(request, id);
    setBounded(seen, id, now + REMEMBERED_MS, MOST_SEEN);
    return null;
  } catch (error) {
    return `the DPoP proof is refused: ${boundedText((error as Error).message)}`;
  }
}

/** Normalizes a URL: decodes unreserved characters, and writes other escapes in upper case (RFC 3986 §6.2.2). */
const normalizeAddress = (address: string): string =>
  address.replaceAll(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });

export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes));
}
