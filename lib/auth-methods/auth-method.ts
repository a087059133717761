import { isTemplated } from '#lib/catalogue/methods/broker/tenants.ts';
import type { UnderLimit, VerifyPassword } from '#lib/catalogue/methods/kind.ts';
import { methodCan, methodKind } from '#lib/catalogue/methods/questions.ts';
import { log } from '#lib/kit/log.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { countCall } from '#lib/observability/metrics.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { foundLimits, underLimits } from './attempts.ts';
import { localMethod } from './local.ts';
import type { AuthMethod, PasswordVerdict } from './method.ts';
import { describePerson, knowIdentity } from './person-claims.ts';

// Kind of method for brokers, based on openid-client. The library is loaded at the first sign-in.

const broker = () => import('./broker.ts');

function brokerMethod(row: SnapshotMethod): AuthMethod {
  // multi-tenant provider: tokens have different issuers
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
            personOf: async (idJag) => (await broker()).personOfIdJag(row, idJag),
          },
        }
      : {}),
  };
}

// Builds a method whose kind lets another service verify passwords (lib/catalogue/methods).

function verifierMethod(row: SnapshotMethod, verify: VerifyPassword): AuthMethod {
  return {
    id: row.id,
    verifyPassword: async (username, password, { asker, context }): Promise<PasswordVerdict> => {
      const began = performance.now();
      const underLimit: UnderLimit = (account, check) =>
        underLimits(
          foundLimits(row.id, account, asker),
          context ?? { requestId: '', ip: null },
          check,
          (answer) => answer?.kind === 'refused' && !answer.mustChange,
        );
      const answer = await ask(row, verify, username, password, underLimit);
      countCall(row.id, answer.kind === 'no-verdict' ? 'failed' : 'answered', began);
      if (answer.kind === 'no-verdict') {
        const { because, referrals } = answer;
        log().warn({ auth_method: row.id, because, referrals }, 'an external verifier gave no verdict');
        return { kind: 'unavailable' };
      }
      if (answer.kind === 'refused') {
        const { reason, mustChange, referrals } = answer;
        if (reason !== undefined)
          log().info({ auth_method: row.id, reason, referrals }, 'a sign-in was refused');
        return { kind: mustChange ? 'must-change' : 'refused', ...(reason && { told: reason }) };
      }
      const profile = { ...describePerson(row, answer.profile), saidAt: null };
      const person = await knowIdentity(row, { subject: answer.profile.sub, ...profile });
      return person ? { kind: 'identity', ...person } : { kind: 'refused' };
    },
  };
}

async function ask(
  row: SnapshotMethod,
  verify: VerifyPassword,
  username: string,
  password: TypedPassword,
  underLimit: UnderLimit,
): ReturnType<VerifyPassword> {
  const { id, config, sealedSecret } = row;
  const secret = sealedSecret && openFromRow('auth_methods', id, sealedSecret);
  if (sealedSecret && !secret)
    return { kind: 'no-verdict', because: 'its token was sealed with another secret' };
  return verify({ id, config, secret }, username, password, underLimit);
}

/** Builds the method's functions from its row in the snapshot. */
export function authMethodOf(row: SnapshotMethod): AuthMethod {
  const { verify } = methodKind(row.type);
  if (verify) return verifierMethod(row, verify);
  return methodCan(row, 'redirects') ? brokerMethod(row) : localMethod(row);
}
