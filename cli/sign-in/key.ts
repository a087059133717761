// The key of a sign-in (DPoP, RFC 9449), which is kept beside its tokens: they are good only with a proof by it, so one
// that leaks through a log or a proxy opens nothing.
import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import type * as openid from 'openid-client';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import type { Issuer } from './issuer.ts';

const ALG = 'ES256';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** A private JWK of P-256. */
export const keptKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type KeptKey = z.output<typeof keptKey>;

/** Null: the issuer binds no tokens to such a key. */
export async function newKey({ config }: Issuer): Promise<KeptKey | null> {
  const algs = config.serverMetadata()['dpop_signing_alg_values_supported'];
  if (!Array.isArray(algs) || !algs.includes(ALG)) return null;
  const { privateKey } = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  return keptKey.parse(await crypto.subtle.exportKey('jwk', privateKey));
}

/** What the calls to an issuer take; nothing for a sign-in without a key. */
export async function provingBy({ config }: Issuer, key: KeptKey | null): Promise<openid.DPoPOptions> {
  if (key === null) return {};
  const { d: _, ...open } = key;
  const [privateKey, publicKey, client] = await Promise.all([
    crypto.subtle.importKey('jwk', key, CURVE, false, ['sign']),
    crypto.subtle.importKey('jwk', open, CURVE, true, ['verify']),
    import('openid-client'),
  ]);
  return { DPoP: client.getDPoPHandle(config, { privateKey, publicKey }) };
}

type Call = { method: string; url: string; token: string; nonce: string | null };

/** The proof of one request with a token (RFC 9449 §4.2). */
export function proofOfCall(key: KeptKey, { method, url, token, nonce }: Call): string {
  const { d: _, ...jwk } = key;
  const { origin, pathname } = new URL(url);
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor(now().getTime() / 1000),
    ath: createHash('sha256').update(token).digest('base64url'),
    ...(nonce === null ? {} : { nonce }),
  };
  const signed = `${encoded({ alg: ALG, typ: 'dpop+jwt', jwk })}.${encoded(claims)}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
