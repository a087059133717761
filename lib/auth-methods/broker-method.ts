// The broker method, on openid-client, which is loaded at the first sign-in by a broker.
import { isTemplated } from '#lib/registry/methods/broker/tenants.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import type { AuthMethod } from './method.ts';

const broker = () => import('./broker.ts');

export function brokerMethod(row: SnapshotMethod): AuthMethod {
  // of several tenants none is the issuer of all tokens
  const issuer = isTemplated(row.config) ? null : row.config['issuer'];
  return {
    id: row.id,
    startSignIn: async (input) => (await broker()).startAtBroker(row, input),
    finishSignIn: async (answer, expected) => (await broker()).finishAtBroker(row, answer, expected),
    ...(typeof issuer === 'string'
      ? {
          idTokens: { issuer, verify: async (idToken) => (await broker()).verifyBrokerIdToken(row, idToken) },
          idJags: {
            issuer,
            prove: async (assertion) => (await broker()).proveBrokerIdJag(row, assertion),
            personOf: async (told) => (await broker()).personOfIdJag(row, told),
          },
        }
      : {}),
  };
}
