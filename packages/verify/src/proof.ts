// The proof of the key that a token is bound to (RFC 9449 §4.3, §7): of this very request, and good once.
import { base64url, calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { setBounded } from './bounded.ts';
import { isTexts } from './metadata.ts';
import type { Sent } from './sent.ts';

/** Names separated by spaces (RFC 9449 §7.1). */
export const ALGORITHMS = 'ES256 PS256 EdDSA Ed25519';
/** A proof that shows a private key proves nothing any more (RFC 7518 §6). */
const PRIVATE = /\b(?:d|d?[pq]|qi|oth|k)\b/;
/** Five minutes, before and after. */
const TIMES = { maxTokenAge: 1, clockTolerance: 299 };
const REMEMBERED_MS = 600_000;

/** By this process, in all its routes. */
const seen = new Map<string, number>();
const MOST_SEEN = 100_000;
/** What a request used itself: two guards may be before one route. */
const own = new WeakMap<object, string>();

/** `address`: what the client called, without query and fragment; `cnf`: what the token says of its key. */
export async function isProven(
  { request, proof }: Sent,
  { token, cnf, address }: { token: string; cnf: unknown; address: string },
): Promise<boolean> {
  const bound = JSON.stringify(cnf);
  try {
    // two values are no JWT
    const { payload } = await jwtVerify(
      String(proof),
      async (header) => {
        const { typ, jwk } = header;
        const isPublic = typ === 'dpop+jwt' && jwk && !PRIVATE.test(String(Object.keys(jwk)));
        // a key is imported only where it is the token's; what has another member is bound in another way too
        const isOurs = isPublic && JSON.stringify({ jkt: await calculateJwkThumbprint(jwk) }) === bound;
        return EmbeddedJWK(isOurs ? header : undefined);
      },
      { algorithms: ALGORITHMS.split(' '), ...TIMES },
    );
    const { jti, htm, htu, ath } = payload;
    const id = await sha256(`${bound} ${jti}`);
    const { origin, pathname } = new URL(String(htu));
    const isOfRequest =
      htm === request.method && origin + pathname === address && ath === (await sha256(token));
    const now = Date.now();
    const isFirst = own.get(request) === id || !((seen.get(id) as number) > now);
    if (!isOfRequest || !isFirst || !isTexts([jti])) return false;
    own.set(request, id);
    setBounded(seen, id, now + REMEMBERED_MS, MOST_SEEN);
    return true;
  } catch {
    return false;
  }
}

export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes));
}
