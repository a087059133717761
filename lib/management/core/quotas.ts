// How many clients one person may own, and how often they may edit them, so that one developer cannot slow down
// everybody. Administrators and the operator have no limit; a program may not make changes faster than a developer.
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { type Holdings, lockOwner, selectHoldings } from '#lib/store/registry/quotas.ts';
import { attemptLimit } from '#lib/store/tokens/limits.ts';
import { beginAttempt } from '#lib/store/tokens/rate-limits.ts';
import { type Actor, isHost, nameOf } from './policy.ts';
import { Refused } from './refused.ts';

/** The limits of one person are these numbers times the clients that they may own. */
const BYTES_EACH = 4_096;
const SUBSCRIPTIONS_EACH = 10;
const MINUTE = { kind: 'edits', windowSeconds: 60, times: 1 } as const;
const HOUR = { kind: 'edits-hour', windowSeconds: 3_600, times: 10 } as const;

/** Who may own and change clients at all. */
const DEVELOPERS: readonly string[] = ['administrator', 'developer'];

const isUnlimited = (actor: Actor) => actor.kind === 'person' && actor.roles.includes('administrator');

/** Counts a change of the registry, before it is made; Refused where it is one too many. */
export async function countEdit(actor: Actor): Promise<void> {
  if (isHost(actor) || isUnlimited(actor)) return;
  const name = actor.kind === 'machine' ? `client ${actor.clientId}` : actor.id;
  const windows = [HOUR, MINUTE].map(({ kind, windowSeconds, times }) =>
    attemptLimit(kind, name, settings().editsPerMinute * times, windowSeconds),
  );
  const admission = await beginAttempt(windows);
  if (admission.kind === 'admitted') return;
  const full = windows.find(({ key }) => admission.kind === 'in-flight' && admission.keys.includes(key));
  const retryAfterSeconds =
    admission.kind === 'used-up' ? admission.waitSeconds : (full?.windowSeconds ?? 60);
  const code = retryAfterSeconds > 60 ? 'changes.hourly' : 'changes.minutely';
  throw new Refused(code, {}, { retryAfterSeconds });
}

/**
 * Counts a client that a program makes, which has no owner whose quota would hold: as many in a day as a person may
 * own. Refused beyond that, and the audit log has attempts.limited.
 */
export async function countNewClient(actor: Actor): Promise<void> {
  if (actor.kind !== 'machine') return;
  const { clientsPerOwner } = settings();
  const limit = attemptLimit('new-clients', actor.clientId, clientsPerOwner, 86_400);
  const { id: requestId, ip } = actor.request;
  try {
    await countAttempt([limit], { clientId: actor.clientId, requestId, ip });
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    const { waitSeconds: retryAfterSeconds } = error;
    throw new Refused('holdings.program', { most: clientsPerOwner }, { retryAfterSeconds });
  }
}

/** Runs an edit in a transaction: counted, with the person's roles read again, and within their quota. */
export async function editOwn<T>(actor: Actor, work: (db: Db) => Promise<T>): Promise<T> {
  if (isHost(actor) || isUnlimited(actor)) return inTransaction(work);
  await countEdit(actor);
  // what it makes has no owner: countNewClient bounds it
  if (actor.kind === 'machine') return inTransaction(work);
  return inTurn(actor.id, async (db) => {
    const owner = await lockOwner(db, actor.id);
    if (!owner || owner.disabled || !DEVELOPERS.some((role) => owner.roles.includes(role))) {
      throw new Refused('right.ended', { actor: nameOf(actor) });
    }
    const before = await selectHoldings(db, actor.id);
    const result = await work(db);
    refuseGrowth(before, await selectHoldings(db, actor.id));
    return result;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** One transaction at a time for each person, so that waiting for their lock holds no database connection. */
async function inTurn<T>(personId: string, work: (db: Db) => Promise<T>): Promise<T> {
  const before = turns.get(personId);
  const mine = (async () => {
    await before;
    return inTransaction(work);
  })();
  const over = mine.then(
    () => {},
    () => {},
  );
  turns.set(personId, over);
  try {
    return await mine;
  } finally {
    if (turns.get(personId) === over) turns.delete(personId);
  }
}

/** Refuses only growth: who is over a limit already can still reduce. */
function refuseGrowth(before: Holdings, after: Holdings): void {
  const { clientsPerOwner } = settings();
  const most: [keyof Holdings, number][] = [
    ['clients', clientsPerOwner],
    ['bytes', clientsPerOwner * BYTES_EACH],
    ['subscriptions', clientsPerOwner * SUBSCRIPTIONS_EACH],
  ];
  const over = most.find(([what, max]) => after[what] > max && after[what] > before[what]);
  if (over) throw new Refused(`holdings.${over[0]}`, { most: over[1] });
}
