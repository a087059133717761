// An ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant) that is said to be the broker's: is it signed by one of
// the broker's keys, under the broker's own name?
import { compactVerify, decodeJwt, errors } from 'jose';
import { type Broker, ID_TOKEN_ALGORITHMS } from './broker-discovery.ts';

export type IdJagProof = 'proved' | 'jag-issuer' | 'jag-key' | 'jag-signature';

/** Rejects where the keys cannot be fetched. */
export async function proveSignature({ config, keys }: Broker, assertion: string): Promise<IdJagProof> {
  if (keys === null || decodeJwt(assertion).iss !== config.serverMetadata().issuer) return 'jag-issuer';
  const options = { algorithms: ID_TOKEN_ALGORITHMS };
  try {
    await compactVerify(assertion, keys, options);
    return 'proved';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'jag-key';
    if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWSInvalid)
      return 'jag-signature';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const good = await compactVerify(assertion, key, options).then(
        () => true,
        () => false,
      );
      if (good) return 'proved';
    }
    return 'jag-signature';
  }
}
