// A client secret that is signed for each call, as Apple asks for it: a JWT for ten minutes.
import { importPKCS8, SignJWT } from 'jose';
import { now } from '#lib/kit/clock.ts';
import { isPrivateKey, signedSecretOf, signingKeyPem } from '#lib/registry/methods/broker/signed-secret.ts';
import type { MethodConfig } from '#lib/registry/methods/kind.ts';

const AUDIENCE = 'https://appleid.apple.com';
const SECONDS = 600;

/** What is sent as the client secret: the secret itself, or what it signs. */
export async function secretToSend(config: MethodConfig, secret: string): Promise<string> {
  const signed = signedSecretOf(config);
  if (signed === null) {
    if (isPrivateKey(secret)) throw new Error('the secret is a private key, which is never sent');
    return secret;
  }
  const pem = signingKeyPem(secret);
  if (pem === null) throw new Error('the secret is no key that signs: give the private key again');
  const issuedAt = Math.floor(now().getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: signed.key_id })
    .setIssuer(signed.team_id)
    .setSubject(String(config['client_id']))
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SECONDS)
    .sign(await importPKCS8(pem, 'ES256'));
}
