// DPoP proof for a bound token (RFC 9449 §4.3, §7): matches this exact request, valid once.
import { base64url, calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { boundedText, setBounded } from './bounded.ts';
import { isTexts } from './metadata.ts';
import type { Sent } from './sent.ts';

/** Names separated by spaces (RFC 9449 §7.1). */
export const ALGORITHMS = 'ES256 PS256 EdDSA Ed25519';
/** Private members of a JWK (RFC 7518 §6). A proof that reveals its private key is worthless. */
const PRIVATE = /\b(?:d|d?[pq]|qi|oth|k)\b/;
/** Five minutes, before and after. */
const TIMES = { maxTokenAge: 1, clockTolerance: 299 };
const REMEMBERED_MS = 600_000;

/** Used `jti` values of this process, across all routes. */
const seen = new Map<string, number>();
const MOST_SEEN = 100_000;
/** Proofs by request, because two guards can check the same request. */
const own = new WeakMap<object, string>();

/**
 * `address`: called URL without query and fragment. `cnf`: confirmation claim of the token. Returns the fault, or null
 * for valid proofs.
 */
export async function proofFault(
  { request, proof }: Sent,
  { token, cnf, address }: { token: string; cnf: unknown; address: string },
): Promise<string | null> {
  if (!proof?.length) return 'the request has no DPoP header, but its token is bound to a key';
  const bound = JSON.stringify(cnf);
  try {
    // two header values are not a JWT
    const { payload } = await jwtVerify(
      String(proof),
      async (header) => {
        const { jwk } = header;
        const isPublic = jwk && !PRIVATE.test(String(Object.keys(jwk)));
        // import only the token's key; a key with extra members has an additional binding
        const isOurs = isPublic && JSON.stringify({ jkt: await calculateJwkThumbprint(jwk) }) === bound;
        if (!isOurs) throw new Error('its key is not the token key');
        return EmbeddedJWK(header);
      },
      // case-insensitive, optional `application/` prefix (RFC 7515 §4.1.9)
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
    if (own.get(request) !== id && (seen.get(id) as number) > now) return 'the DPoP proof was used before';
    own.set(request, id);
    setBounded(seen, id, now + REMEMBERED_MS, MOST_SEEN);
    return null;
  } catch (error) {
    return `the DPoP proof is refused: ${boundedText((error as Error).message)}`;
  }
}

/** Decodes unreserved characters and uppercases other escapes (RFC 3986 §6.2.2). */
const normalizeAddress = (address: string): string =>
  address.replaceAll(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });

export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes));
}
