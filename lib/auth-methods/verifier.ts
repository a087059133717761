// A method whose kind asks another service for a verdict on a password (lib/registry/methods).
import { log } from '#lib/kit/log.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { countCall } from '#lib/observability/tally.ts';
import type { UnderLimit, VerifyPassword } from '#lib/registry/methods/kind.ts';
import { openFromRow } from '#lib/store/database/sealed.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { foundLimits, underLimits } from './attempts.ts';
import { knowIdentity } from './group-rules.ts';
import type { AuthMethod, PasswordVerdict } from './method.ts';
import { describePerson } from './person-claims.ts';

export function verifierMethod(row: SnapshotMethod, verify: VerifyPassword): AuthMethod {
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
      const told = { ...describePerson(row, answer.profile), saidAt: null };
      const person = await knowIdentity(row, { subject: answer.profile.sub, ...told });
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
