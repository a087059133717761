// The algorithms that metadata may name (RFC 7518, RFC 8037, RFC 9864), tested with keys and signatures of jose.
import { afterAll, describe, expect, test } from 'vitest';
import { endImplementations, implementations } from './implementations.ts';
import { givenScriptedIssuer, newSigner, type Signer } from './scripted-issuer.ts';

const ALGORITHMS = ['RS256', 'PS256', 'PS512', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const signers: Record<string, Promise<Signer>> = {};
/** Returns a signer for the algorithm. Signers are cached, because generating RSA keys is slow. */
function signerFor(alg: string): Promise<Signer> {
  signers[alg] ??= newSigner(alg, alg);
  return signers[alg];
}

afterAll(endImplementations);

describe.each(implementations)('$name', ({ given }) => {
  test.for(ALGORITHMS)(
    'a token signed with %s is verified, and keys of other algorithms are rejected',
    async (alg) => {
      const other = await givenScriptedIssuer();
      other.script.document['access_token_signing_alg'] = [alg, 'ES256', 'RS512'];
      const [es256] = other.script.keys as [Signer];
      const signer = await signerFor(alg);
      other.script.keys.push(signer);
      const theirs = given({ api: other.api });
      const token = await other.token({ header: { alg }, signer });
      expect((await theirs(`Bearer ${token}`)).refused).toBeUndefined();
      const [head, payload, signature = ''] = token.split('.');
      const turned = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
      for (const bad of [
        `${head}.${payload}.${turned}`,
        `${head}.${payload}.`,
        `${head}.${(await other.token({ claims: { sub: 'eve' }, header: { alg }, signer })).split('.')[1]}.${signature}`,
        await other.token({ header: { kid: alg }, key: es256.privateKey }),
      ])
        expect((await theirs(`Bearer ${bad}`)).refused?.status).toBe(401);
      await other.close();
    },
  );
});
