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
import type { Former } from '#lib/registry/index.ts';
import {
  findLocalCredential,
  type LocalCredential,
  openPepper,
  type SnapshotMethod,
  upgradePasswordHash,
} from '#lib/store/index.ts';
import { askFormerService, formerService, refusalStep } from './former-service.ts';
import type { AuthMethod, PasswordVerdict, Verdict } from './method.ts';
import { paceOfChecks } from './pace.ts';

const REFUSED: Verdict = { kind: 'refused' };

type Typed = { username: string; password: string; asker: Asker };

const find = (authMethodId: string, { username }: Typed) =>
  username.includes('\u0000') ? null : findLocalCredential(canonicalEmail(username), authMethodId);

async function check(found: LocalCredential | null, { password, asker }: Typed): Promise<Verdict> {
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

async function checkHere(row: SnapshotMethod, typed: Typed): Promise<PasswordVerdict> {
  await paceOfChecks();
  return check(await find(row.id, typed), typed);
}

async function checkThereToo(row: SnapshotMethod, typed: Typed): Promise<PasswordVerdict> {
  const former = formerService(row);
  if (former === null) return checkHere(row, typed);
  const step = refusalStep(row);
  const verdict = await checkHereOrThere(row, former, typed);
  if (verdict.kind !== 'identity') await step.refused();
  return verdict;
}

/** What was kept here meanwhile is checked as always: a reset, or the same sign-in from elsewhere. */
async function checkHereOrThere(row: SnapshotMethod, former: Former, typed: Typed): Promise<PasswordVerdict> {
  await paceOfChecks();
  const found = await find(row.id, typed);
  const asksThere = found && found.passwordHash === null && !found.disabled && typed.password !== '';
  if (!asksThere) return check(found, typed);
  const asked = await askFormerService(row, former, found, typed);
  return asked.kind === 'adopted' ? check(await find(row.id, typed), typed) : asked;
}

export function localMethod(row: SnapshotMethod): AuthMethod {
  return {
    id: row.id,
    verifyPassword: (username, password, asker = 'stranger') =>
      checkThereToo(row, { username, password, asker }),
  };
}
