// What an application checks of an ID token (OpenID Connect Core §3.1.3.7, §3.1.3.8), in this browser.
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { Attempt, Check } from './attempt.ts';

type Given = { idToken: string; accessToken: string; attempt: Attempt };

/** `keys`: other ones are for tests. */
export async function checkIdToken(
  { idToken, accessToken, attempt }: Given,
  keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(attempt.combination.jwks)),
): Promise<Check[]> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      issuer: attempt.combination.issuer,
      audience: attempt.clientId,
      algorithms: ['RS256', 'ES256'],
      typ: 'JWT',
    });
    const known = toSay(
      'is signed by a key of the issuer, made by it, for this application, and has not expired',
    );
    return [
      { name: 'signature, iss, aud, exp', ok: true, words: known },
      // an ID token of a refresh has none
      ...(payload['nonce'] === undefined ? [] : [nonceCheck(payload['nonce'] === attempt.nonce)]),
      atHashCheck(payload['at_hash'] === (await halfHash(accessToken))),
    ];
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    const words = toSay('can not be believed: {reason}');
    return [{ name: 'id_token', ok: false, words, values: { reason: error.message } }];
  }
}

const nonceCheck = (ok: boolean): Check => ({
  name: 'nonce',
  ok,
  words: ok
    ? toSay('is the one we sent: the sign-in belongs to our request')
    : toSay('is not the one we sent: stop here'),
});

const atHashCheck = (ok: boolean): Check => ({
  name: 'at_hash',
  ok,
  words: ok
    ? toSay('belongs to the access token beside it')
    : toSay('belongs to another access token: stop here'),
});

async function halfHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest.subarray(0, 16)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
