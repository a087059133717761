// The local method: email address and password in Gatehouse’s database. The response and its timing are the same for
// an unknown person, a disabled person and a wrong password.

import { setTimeout as sleep } from 'node:timers/promises';
import { askVerifier } from '#lib/catalogue/methods/external/external-kind.ts';
import type { VerifierAnswer } from '#lib/catalogue/methods/kind.ts';
import { type Former, formerOf, isOver } from '#lib/catalogue/methods/local/local-kind.ts';
import { now } from '#lib/kit/clock.ts';
import { cutsPassword } from '#lib/kit/kept-hashes/kept-hash.ts';
import { log } from '#lib/kit/log.ts';
import {
  type HashRequest,
  hashPassword,
  needsRehash,
  paceChecks,
  verifyNobody,
  verifyPassword,
} from '#lib/kit/password-hash.ts';
import { processWide } from '#lib/kit/process.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { countCall } from '#lib/observability/metrics.ts';
import {
  adoptPassword,
  findLocalCredential,
  keptSamples,
  type LocalCredential,
  openPepper,
  type Reached,
  upgradePasswordHash,
} from '#lib/store/hot/credentials.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import type { AuthMethod, PasswordAsking, PasswordVerdict, Verdict } from './method.ts';

// While Gatehouse stores hashes that other services made, every check lasts as long as the slowest kind of hash, so
// that timing does not reveal imported accounts. The kinds are read once a minute, and at the first check after an
// import. Measurements repeat at growing intervals, because a busy machine inflates them.

const EVERY_MS = 60_000;
const MOST_MS = 3_600_000;

/**
 * `epoch`: the last import that this measurement covers. `againAt`: the time of the next measurement for the same
 * kinds.
 */
type Pace = {
  epoch: number;
  kinds: string;
  askedAt: number;
  againAt: number;
  againInMs: number;
  asked: Promise<void>;
};
const slot = processWide<Pace>('password-pace');

/**
 * The first check of a process, or after an import, waits for the measurement. Later checks use the previous result.
 */
export async function paceOfChecks(): Promise<void> {
  const last = slot.value;
  const { keptEpoch: epoch } = await recentSnapshot();
  const isMeasured = last !== undefined && last.epoch >= epoch;
  if (isMeasured && performance.now() - last.askedAt < EVERY_MS) return last.asked;
  const next: Pace = {
    ...{ epoch, kinds: last?.kinds ?? '', askedAt: performance.now() },
    ...{ againAt: last?.againAt ?? 0, againInMs: last?.againInMs ?? EVERY_MS },
    asked: Promise.resolve(),
  };
  slot.value = next;
  const measurement = measurePace(next).catch((error: Error) => {
    next.askedAt = Number.NEGATIVE_INFINITY;
    log().warn({ reason: error.message }, 'the kinds of password hashes could not be read');
  });
  if (!isMeasured) next.asked = measurement;
  return next.asked;
}

async function measurePace(next: Pace): Promise<void> {
  const samples = await keptSamples();
  const kinds = samples.map(({ kind }) => kind).join(' ');
  const isNew = kinds !== next.kinds;
  if (!isNew && (kinds === '' || performance.now() < next.againAt)) return;
  const leastMs = await paceChecks(samples);
  next.againInMs = isNew ? EVERY_MS : Math.min(2 * next.againInMs, MOST_MS);
  next.againAt = performance.now() + next.againInMs;
  next.kinds = kinds;
  if (isNew)
    log().info({ kinds, least_ms: leastMs }, 'password checks take as long as the slowest kind of hash');
}

// If an imported person has no password, the former service (`former` of a local method) checks the password. A
// correct password is then stored in Gatehouse. Gatehouse never sends passwords of people with a stored password.

/** Returns null if there is no former service, or if its last day has passed. */
function formerService({ config }: Pick<SnapshotMethod, 'config'>): Former | null {
  const former = formerOf(config);
  return former && !isOver(former, now()) ? former : null;
}

const USUAL_WAIT_MS = 3_000;
const BESIDE_MS = 500;

/**
 * Timing must not reveal which names the former service checks. Each failed sign-in is answered at a multiple of an
 * interval, which is longer than the timeout of the service. `refused` waits for that moment, even if a right
 * password is rejected. `begin` restarts the interval after the queue for password hashes.
 */
export function refusalStep(row: Pick<SnapshotMethod, 'config'>) {
  let began = performance.now();
  return {
    begin(): void {
      began = performance.now();
    },
    async delayRefusal(): Promise<void> {
      const former = formerService(row);
      if (former === null) return;
      const step = Math.min(former.timeout_ms ?? USUAL_WAIT_MS, 5_000) + BESIDE_MS;
      const took = performance.now() - began;
      await sleep(Math.ceil(took / step) * step - took);
    },
  };
}

type Asked = { kind: 'adopted'; by: Reached | null } | { kind: 'refused' | 'unavailable' };

/**
 * `adopted`: the password is now stored, or (`by` is null) a faster request stored a different one, which the caller
 * must verify.
 */
async function askFormerService(
  row: SnapshotMethod,
  former: Former,
  person: LocalCredential,
  { username, password, asking }: { username: string; password: TypedPassword; asking: HashRequest },
): Promise<Asked> {
  const began = performance.now();
  const answer = await ask(row, former, username, password);
  countCall(row.id, answer.kind === 'no-verdict' ? 'failed' : 'answered', began);
  if (answer.kind === 'no-verdict') {
    log().warn({ auth_method: row.id, because: answer.because }, 'the former service gave no verdict');
    // 4xx is treated as a rejected password, because a different response would reveal which names are forwarded
    const isAnswer = answer.status !== undefined && answer.status >= 400 && answer.status < 500;
    return { kind: isAnswer ? 'refused' : 'unavailable' };
  }
  if (answer.kind === 'refused') return { kind: 'refused' };
  if (!isOf(person, answer.profile)) {
    log().warn({ auth_method: row.id }, 'the former service answered for another person');
    return { kind: 'refused' };
  }
  const { personId, personEpoch } = person;
  const newHash = await hashPassword(password, asking);
  return {
    kind: 'adopted',
    by: await adoptPassword({ personId, personEpoch, newHash, authMethodId: row.id }),
  };
}

async function ask(
  { id, sealedSecret }: SnapshotMethod,
  former: Former,
  username: string,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const secret = sealedSecret && openFromRow('auth_methods', id, sealedSecret);
  if (sealedSecret && !secret)
    return { kind: 'no-verdict', because: 'its token was sealed with another secret' };
  const { verify_url, timeout_ms = USUAL_WAIT_MS, allow_private_network } = former;
  return askVerifier(
    { id, config: { verify_url, timeout_ms, allow_private_network }, secret },
    username,
    password,
  );
}

/**
 * If a subject is stored, only this subject identifies the person, because data of the old service may contain any
 * address. Otherwise the id or the typed name identifies the person. If both sides have an address, the addresses
 * must be equal.
 */
function isOf(
  { personId, subject, email }: LocalCredential,
  profile: { sub: string; email?: unknown },
): boolean {
  if (subject !== null) return profile.sub === subject;
  if (profile.sub === personId) return true;
  const profileEmail = typeof profile.email === 'string' ? canonicalEmail(profile.email) : null;
  return email === null || profileEmail === null || profileEmail === email;
}

const REFUSED: Verdict = { kind: 'refused' };

type Typed = { username: string; password: TypedPassword; asking: PasswordAsking };

const find = (authMethodId: string, { username }: Typed) =>
  username.includes('\u0000') ? null : findLocalCredential(canonicalEmail(username), authMethodId);

async function check(localCredential: LocalCredential | null, { password, asking }: Typed): Promise<Verdict> {
  if (!localCredential?.passwordHash) {
    await verifyNobody(password, asking);
    asking.checked?.();
    return REFUSED;
  }
  const { personId, personEpoch, hasFactor, letIn, passwordHash, disabled, mustChange } = localCredential;
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

/**
 * Checks a password, if necessary at the former service. Every rejection takes the same time after the queue for
 * password hashes, whichever service checked the password.
 */
async function checkThereToo(row: SnapshotMethod, typed: Typed): Promise<PasswordVerdict> {
  const former = formerService(row);
  if (former === null) return checkHere(row, typed);
  const step = refusalStep(row);
  let isChecked = false;
  const noteCheck = () => {
    if (isChecked) return;
    isChecked = true;
    step.begin();
    typed.asking.checked?.();
  };
  const verdict = await checkHereOrThere(row, former, {
    ...typed,
    asking: { ...typed.asking, checked: noteCheck },
  });
  if (verdict.kind !== 'identity') await step.delayRefusal();
  return verdict;
}

/**
 * Decides which service checks the password. If a reset or a parallel sign-in has stored a password in the meantime,
 * Gatehouse checks the password itself. The former service is called only for imported people, and only after waiting
 * in the queue for password hashes, because the response time shows whether a request waited.
 */
async function checkHereOrThere(row: SnapshotMethod, former: Former, typed: Typed): Promise<PasswordVerdict> {
  await paceOfChecks();
  const localCredential = await find(row.id, typed);
  const asksThere =
    localCredential?.passwordHash === null &&
    localCredential.isImported &&
    localCredential.letIn &&
    !localCredential.disabled &&
    typed.password !== '';
  if (!asksThere) return check(localCredential, typed);
  await verifyNobody(typed.password, typed.asking);
  typed.asking.checked?.();
  const answer = await askFormerService(row, former, localCredential, typed);
  if (answer.kind !== 'adopted') return answer;
  const verdict = await check(await find(row.id, typed), typed);
  return verdict.kind === 'identity' && answer.by !== null ? { ...verdict, adopted: answer.by } : verdict;
}

export function localMethod(row: SnapshotMethod): AuthMethod {
  return {
    id: row.id,
    verifyPassword: (username, password, asking) => checkThereToo(row, { username, password, asking }),
  };
}
