// A sign-in that starts no session: a person who is signed in to the console proves another sign-in method of theirs.
// What was proved is stored for that one session, for ten minutes.
import { now } from '#lib/kit/clock.ts';
import { findInSession, type StateReader, storeInSession } from './page-state.ts';
import { TRANSACTION_SECONDS } from './transaction.ts';

export type ProvedSignIn = {
  authMethodId: string;
  /** the identity that the method proved */
  personId: string;
  /** the method's when it was asked */
  methodEpoch: string;
  /** when they proved it, milliseconds since 1970 */
  at: number;
};

const PROVED = { kind: 'proved sign-in' } as const;

/** Returns the id for the address. Null: the console session has ended. */
export const storeProvedSignIn = (proved: ProvedSignIn, sessionHash: Uint8Array): Promise<string | null> =>
  storeInSession(PROVED, proved, sessionHash);

/** Null: not stored for this session, or too long ago. */
export async function findProvedSignIn(id: string, reader: StateReader): Promise<ProvedSignIn | null> {
  const found = await findInSession<ProvedSignIn>(id, PROVED, reader);
  return found !== null && isFreshProof(found.value.at) ? found.value : null;
}

export const isFreshProof = (at: number): boolean => now().getTime() - at <= TRANSACTION_SECONDS * 1000;

/** How long a console sign-in counts as fresh for what does most harm (case AD-12). */
export const RECENT_SECONDS = 15 * 60;
