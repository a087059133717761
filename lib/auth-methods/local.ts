// The local method: e-mail address and password in our own store. Unknown person, disabled person and wrong password
// are indistinguishable in timing and verdict.
import {
  type Asker,
  canonicalEmail,
  cutsPassword,
  hashPassword,
  log,
  needsRehash,
  verifyNobody,
  verifyPassword,
} from '#lib/kit/index.ts';
import { findLocalCredential, openPepper, upgradePasswordHash } from '#lib/store/index.ts';
import type { AuthMethod, Verdict } from './method.ts';
import { paceOfChecks } from './pace.ts';

const REFUSED: Verdict = { kind: 'refused' };

async function check(
  authMethodId: string,
  username: string,
  password: string,
  asker: Asker = 'stranger',
): Promise<Verdict> {
  await paceOfChecks();
  const found = username.includes('\u0000')
    ? null
    : await findLocalCredential(canonicalEmail(username), authMethodId);
  if (!found?.passwordHash) {
    await verifyNobody(password);
    return REFUSED;
  }
  const { personId, personEpoch, hasFactor, letIn, passwordHash, disabled, mustChange } = found;
  const hashed = openPepper(personId, passwordHash);
  if (!(await verifyPassword(hashed, password, asker)) || disabled) return REFUSED;
  const isCut = cutsPassword(passwordHash, password);
  if (needsRehash(passwordHash) && !isCut) {
    hashPassword(password)
      .then((hash) => upgradePasswordHash(personId, passwordHash, hash))
      .catch((error: unknown) => log().warn({ err: error }, 'a password hash could not be upgraded'));
  }
  const owed = mustChange || isCut ? ({ owesPassword: true } as const) : {};
  return { kind: 'identity', personId, personEpoch, hasFactor, letIn, ...owed };
}

export function localMethod(id: string): AuthMethod {
  return { id, verifyPassword: (...given) => check(id, ...given) };
}
