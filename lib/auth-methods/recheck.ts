// Checks again whether signed-in people still exist at their methods (`recheck_seconds`), because tokens would
// otherwise outlive an account that was deleted there. One instance at a time checks a method’s people, in batches.
// If the service does not answer, no sign-in ends, and the check resumes at the same position.
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { AskedMethod, Recheck, StandingFault } from '#lib/catalogue/methods/kind.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { log } from '#lib/kit/log.ts';
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
/** Maximum number of checks of a person who signs in while the check runs. */
const TRIES = 3;

/** State of a check. `isUnclear`: this turn has already logged people whom the service cannot distinguish. */
type Asking = { row: SnapshotMethod; recheck: Recheck; method: AskedMethod; isUnclear: boolean };
type Reason = StandingFault | 'gone';

/**
 * Rechecks the users of all methods with rechecks, for at most `budgetMs`. The next call continues an unfinished
 * recheck.
 */
export async function recheckPeople(budgetMs: number): Promise<void> {
  const until = performance.now() + budgetMs;
  const { methods } = await currentSnapshot();
  await Promise.all(
    [...methods.values()].map(async (row) => {
      try {
        const { recheck } = methodKind(row.type);
        // a method whose configuration cannot be read must not stop the other methods
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

/**
 * Thrown if the check got no result. `behind`: the position that the check reached. The reason consists of
 * fixed words, because it is logged.
 */
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
      // another instance took the lease, or the method was deleted
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

/** Signs out people whom the service rejects. Returns the people who exist at the service. */
async function endRefused(
  asking: Asking,
  people: readonly PersonToRecheck[],
  askedAt: string,
  tries: number,
): Promise<Placed[]> {
  if (people.length === 0) return [];
  const { row, recheck, method } = asking;
  const subjects = people.map(({ subject }) => subject);
  const standings = await recheck.standings(method, subjects);
  if (standings.kind === 'no-verdict') throw new NoAnswer(standings.because);
  if (standings.unclear && !asking.isUnclear) {
    asking.isUnclear = true;
    log().warn({ auth_method: row.id }, 'people who cannot be told apart were not rechecked');
  }
  const recheckRun = { authMethodId: row.id, methodEpoch: row.epoch, askedAt };
  const gone = new Set(await noteMissing(recheckRun, standings.missing));
  const answeredPeople = people.filter(
    ({ subject }) => standings.refused.has(subject) || standings.present.has(subject),
  );
  await noteFound(
    row.id,
    answeredPeople.filter(({ isMissing }) => isMissing).map(({ subject }) => subject),
  );
  const again: PersonToRecheck[] = [];
  for (const person of people) {
    const reason = standings.refused.get(person.subject) ?? (gone.has(person.subject) ? 'gone' : null);
    if (reason && !(await endOf(recheckRun, person, reason))) again.push(person);
  }
  if (tries > 1) await endRefused(asking, again, await recheckTime(), tries - 1);
  return answeredPeople.flatMap((person) => {
    const place = standings.present.get(person.subject);
    return place === undefined ? [] : [{ ...person, place }];
  });
}

/** Ends the sessions and tokens of a person. Returns `false` if the person signed in again after the check began. */
async function endOf(
  recheckRun: { authMethodId: string; methodEpoch: string; askedAt: string },
  person: PersonToRecheck,
  reason: Reason,
): Promise<boolean> {
  const { personId } = person;
  const { authMethodId } = recheckRun;
  return inTransaction(async (db) => {
    const held = await holdRechecked(db, recheckRun, person);
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
 * People about whom the service gave no information stay unchanged. Returns the last processed subject if time ran
 * out, and `null` if everybody was processed.
 */
async function applyGroups(
  { row, recheck, method }: Asking,
  people: readonly Placed[],
  askedAt: Date,
  until: number,
): Promise<string | null> {
  if (!row.groupRules?.length) return null;
  for (const { personId, subject, place } of people) {
    const answer = await recheck.profileAt(method, { subject, place });
    if (answer.kind === 'told') await applyGroupRules(row, personId, answer.profile, askedAt);
    else if (answer.silent) throw new NoAnswer(answer.because, subject);
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
