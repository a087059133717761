// A person of an import without a password, asked for at the service that they came from (`former` of a local method).
// A password that is right there is theirs here from then on. A password that is kept here is never sent there.
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { type HashRequest, hashPassword } from '#lib/kit/password-hash.ts';
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { countCall } from '#lib/observability/tally.ts';
import { askVerifier } from '#lib/registry/methods/external/verify.ts';
import type { VerifierAnswer } from '#lib/registry/methods/kind.ts';
import { type Former, formerOf, isOver } from '#lib/registry/methods/local/former.ts';
import { openFromRow } from '#lib/store/database/sealed.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { adoptPassword, type LocalCredential, type Reached } from '#lib/store/tokens/credentials.ts';

/** Null: there is none, or its last day is over. */
export function formerService({ config }: Pick<SnapshotMethod, 'config'>): Former | null {
  const found = formerOf(config);
  return found && !isOver(found, now()) ? found : null;
}

const USUAL_WAIT_MS = 3_000;
const BESIDE_MS = 500;

/**
 * Only some names are asked for there, which the time must not tell: each sign-in that is not let in is answered at a
 * step of a clock that is longer than that service may take. `refused` waits for it, also where a right password is
 * refused; `begin` starts the clock again, when a password has been through the queue of hashes.
 */
export function refusalStep(row: Pick<SnapshotMethod, 'config'>) {
  let began = performance.now();
  return {
    begin(): void {
      began = performance.now();
    },
    async refused(): Promise<void> {
      const former = formerService(row);
      if (former === null) return;
      const step = Math.min(former.timeout_ms ?? USUAL_WAIT_MS, 5_000) + BESIDE_MS;
      const took = performance.now() - began;
      await sleep(Math.ceil(took / step) * step - took);
    },
  };
}

type Asked = { kind: 'adopted'; by: Reached | null } | { kind: 'refused' | 'unavailable' };

/** `adopted`: the password is kept here now, or (`by` null) another one that was quicker; the caller checks it. */
export async function askFormerService(
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
    // it answered, and not with yes: another answer would tell who is asked for there
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
 * A person with a kept subject is known by it alone: whoever fills the old service may write any address. Others are
 * known by their id or the name that was asked for; an address must agree, where both say one.
 */
function isOf(
  { personId, subject, email }: LocalCredential,
  profile: { sub: string; email?: unknown },
): boolean {
  if (subject !== null) return profile.sub === subject;
  if (profile.sub === personId) return true;
  const said = typeof profile.email === 'string' ? canonicalEmail(profile.email) : null;
  return email === null || said === null || said === email;
}
