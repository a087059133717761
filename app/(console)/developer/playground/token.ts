// Decodes a JWT to show it, without verifying it.

import { toSay } from '#app/(console)/_texts/to-say.ts';

export type Decoded = { header: object; payload: Record<string, unknown> };

/** Null: not a JWT but an opaque token. */
export function decodeJwt(token: string): Decoded | null {
  const [header, payload, signature, ...more] = token.split('.');
  if (!header || !payload || !signature || more.length > 0) return null;
  try {
    return { header: read(header), payload: read(payload) as Record<string, unknown> };
  } catch {
    return null;
  }
}

function read(part: string): object {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
  return JSON.parse(new TextDecoder().decode(bytes)) as object;
}

const MEANINGS = new Map<string, string>(
  Object.entries(
    toSay({
      iss: 'who made it: this combination of sign-in method and API',
      aud: 'whom it is for: an API, or with an ID token the application',
      sub: 'the person, the same for every application',
      client_id: 'the application',
      scope: 'what it may do',
      jti: 'its own name',
      iat: 'made',
      exp: 'good until',
      auth_time: 'when the person signed in',
      nonce: 'what the request sent',
      at_hash: 'the access token that came with it',
      sid: 'the sign-in session',
      acr: 'how strong the sign-in was',
      amr: 'how the person signed in',
      cnf: 'the key that it works with, by its thumbprint',
    }),
  ),
);

/** Each claim with its meaning; times in words. */
export function claimsOf(
  payload: Record<string, unknown>,
): { name: string; value: string; meaning: string }[] {
  return Object.entries(payload).map(([name, value]) => {
    const time = ['iat', 'exp', 'auth_time'].includes(name) && typeof value === 'number';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = time ? `${text} (${new Date((value as number) * 1000).toISOString().slice(0, 19)}Z)` : text;
    return { name, value: shown, meaning: MEANINGS.get(name) ?? '' };
  });
}
