// Rechecks signed-in people with their methods (`recheck_seconds`), because tokens would outlive a deleted remote
// account. One instance at a time checks a method’s people, in batches. If the service does not answer, no sign-in
// ends, and the check resumes at the same position.
import { recordEvent } from '#lib/audit/audit-log.ts';
import { log } from '#lib/kit/log.ts';
import type { AskedMethod, Recheck, StandingFault } from '#lib/registry/methods/kind.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { endSignIns } from '#lib/store/endings.ts';
import {
  holdRechecked,
  leaseRecheck,
  leaveRuledGroups,
  moveRecheck,
  noteFound,
  noteMissing,
  type PersonToRecheck,
  peopleToRecheck,
  type RecheckLease,
  recheckTime,
} from '#lib/store/identities.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import { applyGroupRules } from './person-claims.ts';

const EVERY_MS = 30_000;
const TURN_MS = 20_000;
const AWAY_SECONDS = 60;
/** Repeats for people who signed in during the check. */
const TRIES = 3;

/** `isUnclear`: this turn already logged people who cannot be distinguished. */
type Asking = { row: SnapshotMethod; recheck: Recheck; method: AskedMethod; isUnclear: boolean };
type Reason = StandingFault | 'gone';

/** Runs one turn over all methods with rechecks. The next turn continues unfinished checks. */
export async function recheckPeople(budgetMs: number): Promise<void> {
  const until = performance.now() + budgetMs;
  const { methods } = await currentSnapshot();
  await Promise.all(
    [...methods.values()].map(async (row) => {
      try {
        const { recheck } = methodKind(row.type);
        // unreadable configuration must not stop other methods
        const everySeconds = recheck?.everySeconds(row.config) ?? null;
        if (!recheck || everySeconds === null) return;
        const lease = await leaseRecheck(row.id, everySeconds);
        if (lease) await walk({ row, recheck, method: askedMethod(row), isUnclear: false }, lease, until);
      } catch (error) {
        log().warn({ auth_method: row.id, err: error }, 'people were not rechecked; it will be tried again');
      }
    }),
  );
}

function askedMethod({ id, config, sealedSecret }: SnapshotMethod): AskedMethod {
  return { id, config, secret: sealedSecret && openFromRow('auth_methods', id, sealedSecret) };
}

/** `behind`: the position that the check reached. The reason consists of fixed words, because it is logged. */
class NoAnswer extends Error {
  readonly behind: string | null;
  constructor(because: string, behind: string | null = null) {
    super(because);
    this.behind = behind;
  }
}

async function walk(asking: Asking, lease: RecheckLease, until: number): Promise<void> {
  let { after } = lease;
  try {
    while (performance.now() < until) {
      const { people, askedAt, next } = await peopleToRecheck(asking.row.id, after);
      if (next === null) {
        await moveRecheck(lease, null, 0);
        return;
      }
      const present = await endRefused(asking, people, askedAt, TRIES);
      after = (await applyGroups(asking, present, new Date(askedAt), until)) ?? next;
      // lease lost to another instance, or method deleted
      if (!(await moveRecheck(lease, after, null))) return;
    }
    await moveRecheck(lease, after, 0);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    log().warn({ auth_method: asking.row.id, because: error.message }, 'people could not be rechecked now');
    await moveRecheck(lease, error.behind ?? after, AWAY_SECONDS);
  }
}

type Placed = PersonToRecheck & { place: string };

/** Signs out people whom the service rejects; returns people present at the service. */
async function endRefused(
  asking: Asking,
  people: readonly PersonToRecheck[],
  askedAt: string,
  tries: number,
): Promise<Placed[]> {
  if (people.length === 0) return [];
  const { row, recheck, method } = asking;
  const subjects = people.map(({ subject }) => subject);
  const told = await recheck.standings(method, subjects);
  if (told.kind === 'no-verdict') throw new NoAnswer(told.because);
  if (told.unclear && !asking.isUnclear) {
    asking.isUnclear = true;
    log().warn({ auth_method: row.id }, 'people who cannot be told apart were not rechecked');
  }
  const asked = { authMethodId: row.id, methodEpoch: row.epoch, askedAt };
  const gone = new Set(await noteMissing(asked, told.missing));
  const found = people.filter(({ subject }) => told.refused.has(subject) || told.present.has(subject));
  await noteFound(
    row.id,
    found.filter(({ isMissing }) => isMissing).map(({ subject }) => subject),
  );
  const again: PersonToRecheck[] = [];
  for (const person of people) {
    const reason = told.refused.get(person.subject) ?? (gone.has(person.subject) ? 'gone' : null);
    if (reason && !(await endOf(asked, person, reason))) again.push(person);
  }
  if (tries > 1) await endRefused(asking, again, await recheckTime(), tries - 1);
  return found.flatMap((person) => {
    const place = told.present.get(person.subject);
    return place === undefined ? [] : [{ ...person, place }];
  });
}

/** `false`: the person signed in after the check began. */
async function endOf(
  asked: { authMethodId: string; methodEpoch: string; askedAt: string },
  person: PersonToRecheck,
  reason: Reason,
): Promise<boolean> {
  const { personId } = person;
  const { authMethodId } = asked;
  return inTransaction(async (db) => {
    const held = await holdRechecked(db, asked, person);
    if (!held) return true;
    if (held.since) return false;
    await leaveRuledGroups(db, personId, authMethodId);
    if (!person.here) return true;
    await endSignIns(db, personId, reason);
    const { sessions, families } = held;
    const event = { event: 'person.signed_out', actor: 'system', personId, authMethodId } as const;
    await recordEvent({ ...event, details: { reason, sessions, families } }, db);
    return true;
  });
}

/**
 * People without an answer stay unchanged. Returns the last processed subject if time ran out, and `null` if
 * everybody was processed.
 */
async function applyGroups(
  { row, recheck, method }: Asking,
  people: readonly Placed[],
  askedAt: Date,
  until: number,
): Promise<string | null> {
  if (!row.groupRules?.length) return null;
  for (const { personId, subject, place } of people) {
    const told = await recheck.profileAt(method, { subject, place });
    if (told.kind === 'told') await applyGroupRules(row, personId, told.profile, askedAt);
    else if (told.silent) throw new NoAnswer(told.because, subject);
    if (performance.now() > until) return subject;
  }
  return null;
}

/** Starts the timer of a long-running process. Returns a function that stops it. */
export function startRechecks(): () => void {
  let busy = false;
  const turn = async () => {
    if (busy) return;
    busy = true;
    try {
      await recheckPeople(TURN_MS);
    } catch (error) {
      log().warn({ reason: (error as Error).message }, 'people were not rechecked; it will be tried again');
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void turn(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
