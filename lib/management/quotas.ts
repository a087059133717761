// How much of the registry one person may hold, and how often they may change it: what one developer does must not be
// felt by everybody else. Administrators and the operator have no limit; what they give somebody counts, but is theirs to give.
import { settings } from '#lib/settings/index.ts';
import {
  attemptLimit,
  beginAttempt,
  type Db,
  type Holdings,
  inTransaction,
  lockOwner,
  selectHoldings,
} from '#lib/store/index.ts';
import { type Actor, nameOf, type Person } from './policy.ts';
import { Refused } from './refused.ts';

/** For each client that one may own: bytes of names and addresses, and subscriptions, in all together. */
const BYTES_EACH = 4_096;
const SUBSCRIPTIONS_EACH = 10;
const MINUTE = { kind: 'edits', windowSeconds: 60, times: 1 } as const;
const HOUR = { kind: 'edits-hour', windowSeconds: 3_600, times: 10 } as const;

/** Who may own and change clients at all. */
const DEVELOPERS: readonly string[] = ['administrator', 'developer'];

const isUnlimited = (actor: Person) => actor.roles.includes('administrator');

/** Counts a change of the registry, before it is made; Refused where it is one too many. */
export async function countEdit(actor: Actor): Promise<void> {
  if (actor.kind !== 'person' || isUnlimited(actor)) return;
  const windows = [HOUR, MINUTE].map(({ kind, windowSeconds, times }) =>
    attemptLimit(kind, actor.id, settings().editsPerMinute * times, windowSeconds),
  );
  const admission = await beginAttempt(windows);
  if (admission.kind === 'admitted') return;
  const full = windows.find(({ key }) => admission.kind === 'in-flight' && admission.keys.includes(key));
  const retryAfterSeconds =
    admission.kind === 'used-up' ? admission.waitSeconds : (full?.windowSeconds ?? 60);
  const wait = retryAfterSeconds > 60 ? 'an hour' : 'a minute';
  throw new Refused(`too many changes at once: wait ${wait}, then go on`, 'slow-down', { retryAfterSeconds });
}

/** The transaction of an edit by somebody who owns clients: counted, with the right that they have now, within their quota. */
export async function editOwn<T>(actor: Actor, work: (db: Db) => Promise<T>): Promise<T> {
  if (actor.kind !== 'person' || isUnlimited(actor)) return inTransaction(work);
  await countEdit(actor);
  return inTurn(actor.id, async (db) => {
    const owner = await lockOwner(db, actor.id);
    if (!owner || owner.disabled || !DEVELOPERS.some((role) => owner.roles.includes(role))) {
      throw new Refused(`${nameOf(actor)} may not do this any more`, 'forbidden');
    }
    const before = await selectHoldings(db, actor.id);
    const result = await work(db);
    refuseGrowth(before, await selectHoldings(db, actor.id));
    return result;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** One after the other for each person: who waits for their own lock waits here, and holds no connection that others need. */
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

/** Whoever holds more than they may, from before there was a limit or by an administrator, can still make it less. */
function refuseGrowth(before: Holdings, after: Holdings): void {
  const { clientsPerOwner } = settings();
  const most: [keyof Holdings, number, string][] = [
    ['clients', clientsPerOwner, `${clientsPerOwner} clients`],
    ['bytes', clientsPerOwner * BYTES_EACH, `${clientsPerOwner * BYTES_EACH} bytes of names and addresses`],
    [
      'subscriptions',
      clientsPerOwner * SUBSCRIPTIONS_EACH,
      `${clientsPerOwner * SUBSCRIPTIONS_EACH} subscriptions`,
    ],
  ];
  const over = most.find(([what, max]) => after[what] > max && after[what] > before[what]);
  if (!over) return;
  throw new Refused(
    `one person’s clients have at most ${over[2]} together: delete what is not used, or ask an administrator`,
    'conflict',
  );
}
