// A proved registration that waits for approval (docs/decisions/0024).
import { recordEvent } from '#lib/audit/audit-log.ts';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import type { From } from '#lib/mail/mail-limits.ts';
import { tellDeciders } from '#lib/mail/tell-registration.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { type BeganToWait, waitingPeople } from '#lib/store/people/waiting-people.ts';
import { callerLimits } from '#lib/store/tokens/limits.ts';

const WAITING_DAYS = 30;
/** How many may wait at once at a method, and in all. */
const MOST = { method: 1000, all: 5000 };
/** How many may begin to wait from one place in a day, and from everywhere in an hour. */
const BEGINNING = { what: 'people who wait', each: 20, windowSeconds: 86_400, all: 200, allSeconds: 3600 };

type Began = BeganToWait['kind'] | { kind: 'slow-down'; waitSeconds: number };

/** What decides against a proved registration before anything is hashed for it, and ends it. Null: nothing does. */
export const decidedAgainst = (handleHash: Buffer<ArrayBuffer>) =>
  inTransaction((db) => waitingPeople.endRefused(db, handleHash, MOST));

/** Of a person who has proved the address. The limits are counted before `hash` is called. */
export async function beginToWait(
  handleHash: Buffer<ArrayBuffer>,
  chosen: { name: string; hash: () => Promise<string> },
  from: From,
): Promise<Began> {
  const { name } = chosen;
  const begin = async () => {
    const passwordHash = await chosen.hash();
    return inTransaction(async (db) => {
      const began = await waitingPeople.begin(db, handleHash, {
        ...{ name, passwordHash, language: from.pageLanguage ?? null, days: WAITING_DAYS, most: MOST },
      });
      if (began.kind === 'waits' && began.from) {
        const { authMethodId, apiId, clientId } = began.from;
        const at = { authMethodId, ...(apiId !== null && { apiId }), ...(clientId !== null && { clientId }) };
        const by = { requestId: from.requestId, ip: from.ip ?? undefined };
        await recordEvent({ ...by, event: 'person.waiting', ...at }, db);
      }
      return began;
    });
  };
  try {
    const isNew = (began: BeganToWait) => began.kind === 'waits' && began.from !== null;
    const began = await underLimits(callerLimits(BEGINNING, from.ip), from, begin, isNew);
    // one mail an hour, however many come
    if (began.kind === 'waits' && began.from?.first) tellDeciders();
    return began.kind;
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}
