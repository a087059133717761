// The local method: e-mail address and password in our own store. Unknown person, disabled person and wrong password
// are indistinguishable in timing and verdict.
import { cutsPassword } from '#lib/kit/kept-hashes/kept-hash.ts';
import { log } from '#lib/kit/log.ts';
import { hashPassword, needsRehash, verifyNobody, verifyPassword } from '#lib/kit/password-hash.ts';
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import type { Former } from '#lib/registry/methods/local/former.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { openPepper } from '#lib/store/sign-in/kept-hashes.ts';
import {
  findLocalCredential,
  type LocalCredential,
  upgradePasswordHash,
} from '#lib/store/tokens/credentials.ts';
import { askFormerService, formerService, refusalStep } from './former-service.ts';
import type { AuthMethod, PasswordAsking, PasswordVerdict, Verdict } from './method.ts';
import { paceOfChecks } from './pace.ts';

const REFUSED: Verdict = { kind: 'refused' };

type Typed = { username: string; password: TypedPassword; asking: PasswordAsking };

const find = (authMethodId: string, { username }: Typed) =>
  username.includes('\u0000') ? null : findLocalCredential(canonicalEmail(username), authMethodId);

async function check(found: LocalCredential | null, { password, asking }: Typed): Promise<Verdict> {
  if (!found?.passwordHash) {
    await verifyNobody(password, asking);
    asking.checked?.();
    return REFUSED;
  }
  const { personId, personEpoch, hasFactor, letIn, passwordHash, disabled, mustChange } = found;
  const hashed = openPepper(personId, passwordHash);
  const right = await verifyPassword(hashed, password, asking);
  asking.checked?.();
  if (!right || disabled) return REFUSED;
  const isCut = cutsPassword(passwordHash, password);
  if (needsRehash(passwordHash) && !isCut) {
    hashPassword(password, asking)
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

/** A refusal waits as long after its turn in the queue wherever the password was checked. */
async function checkThereToo(row: SnapshotMethod, typed: Typed): Promise<PasswordVerdict> {
  const former = formerService(row);
  if (former === null) return checkHere(row, typed);
  const step = refusalStep(row);
  let isChecked = false;
  const checked = () => {
    if (isChecked) return;
    isChecked = true;
    step.begin();
    typed.asking.checked?.();
  };
  const verdict = await checkHereOrThere(row, former, { ...typed, asking: { ...typed.asking, checked } });
  if (verdict.kind !== 'identity') await step.refused();
  return verdict;
}

/**
 * What was kept here meanwhile is checked as always: a reset, or the same sign-in from elsewhere. The former service is
 * asked for people of an import alone, and after a turn in the queue, which the time of an answer tells.
 */
async function checkHereOrThere(row: SnapshotMethod, former: Former, typed: Typed): Promise<PasswordVerdict> {
  await paceOfChecks();
  const found = await find(row.id, typed);
  const asksThere =
    found?.passwordHash === null &&
    found.isImported &&
    found.letIn &&
    !found.disabled &&
    typed.password !== '';
  if (!asksThere) return check(found, typed);
  await verifyNobody(typed.password, typed.asking);
  typed.asking.checked?.();
  const asked = await askFormerService(row, former, found, typed);
  if (asked.kind !== 'adopted') return asked;
  const verdict = await check(await find(row.id, typed), typed);
  return verdict.kind === 'identity' && asked.by !== null ? { ...verdict, adopted: asked.by } : verdict;
}

export function localMethod(row: SnapshotMethod): AuthMethod {
  return {
    id: row.id,
    verifyPassword: (username, password, asking) => checkThereToo(row, { username, password, asking }),
  };
}
