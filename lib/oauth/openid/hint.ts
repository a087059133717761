// ID tokens that come back to us as hints (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). Expired ones, and
// those of retired keys are accepted: they only tell who it was, and authorize nothing.
import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { findHintKey, type VerifyingKey } from '#lib/keys/keys.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { verifyCompact } from '#lib/tokens/jws.ts';
import { InvalidRequest } from '../errors/errors.ts';
import { formerKeys } from '../rules/former-keys.ts';
import type { Issuer } from '../rules/issuer.ts';
import { ID_TOKEN_TYPE } from './id-token.ts';

const claims = z.object({ iss: z.string(), sub: z.string(), aud: z.string(), sid: z.string().optional() });

export type Hint = z.output<typeof claims>;

const PURPOSE = 'id-token-hint';

/** `token`: an ID token, or what `shortHint` made of one. Null: no ID token that this issuer gave. */
export function readHint(issuer: Issuer, token: string): Hint | null {
  const hint = token.startsWith(SEALED)
    ? unsealJson(claims, token.slice(SEALED.length), PURPOSE, settings().secrets)
    : verified(issuer, token);
  return hint?.iss === issuer.url ? hint : null;
}

/** No JWT begins so. */
const SEALED = 'sealed.';

function verified(issuer: Issuer, token: string): Hint | null {
  const payload = verifyCompact(
    token,
    ID_TOKEN_TYPE,
    (kid) => findHintKey(issuer.snapshot, kid) ?? formerKey(issuer, kid),
  );
  return claims.safeParse(payload).data ?? null;
}

/** Tokens of a former issuer are good as hints, where its public keys are known: RS256 and ES256. */
function formerKey(issuer: Issuer, kid: string): VerifyingKey | null {
  const jwk = formerKeys(issuer).find((one) => one.kid === kid);
  const alg = jwk?.alg ?? (jwk?.kty === 'RSA' ? 'RS256' : 'ES256');
  if (!jwk || (alg !== 'RS256' && alg !== 'ES256')) return null;
  return { kid, alg, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/**
 * A hint that fits into an address, in the place of an ID token with many claims; a token that is no hint stays none.
 */
export function shortHint(issuer: Issuer, token: string): string {
  const hint = verified(issuer, token);
  return SEALED + (hint === null ? 'none' : sealJson(hint, PURPOSE, settings().secrets));
}

/**
 * The `sub` of the person that a client names by a hint; null: none. InvalidRequest for a hint that this issuer did not
 * give.
 */
export function hintedSub(issuer: Issuer, token: string | undefined): string | null {
  if (token === undefined) return null;
  const hint = readHint(issuer, token);
  if (!hint) throw new InvalidRequest('id_token_hint is no ID token of this issuer.');
  return hint.sub;
}
