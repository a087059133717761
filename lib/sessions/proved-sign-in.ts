// A sign-in that starts no session: a person who is signed in to the console proves another sign-in method of theirs.
// What was proved goes back to the console sealed, for that one session, for ten minutes.
import { z } from 'zod';
import { now, sealJson, unsealJson } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { TRANSACTION_SECONDS } from './transaction.ts';

const shape = z.object({
  /** base64url of the hash of the console session */
  session: z.string(),
  authMethodId: z.string(),
  /** the identity that the method proved */
  personId: z.string(),
  /** the method's when it was asked */
  methodEpoch: z.string(),
  /** when they proved it, milliseconds since 1970 */
  at: z.number(),
});
export type ProvedSignIn = z.infer<typeof shape>;

const PURPOSE = 'proved sign-in';

export const sealProvedSignIn = (proved: ProvedSignIn): string =>
  sealJson(proved, PURPOSE, settings().secrets);

/** Null: not sealed here for this session, or too long ago. */
export function openProvedSignIn(sealed: string, session: Uint8Array): ProvedSignIn | null {
  const proved = unsealJson(shape, sealed, PURPOSE, settings().secrets);
  if (proved?.session !== Buffer.from(session).toString('base64url')) return null;
  return isFreshProof(proved.at) ? proved : null;
}

export const isFreshProof = (at: number): boolean => now().getTime() - at <= TRANSACTION_SECONDS * 1000;

/** How long a console sign-in counts as fresh for what does most harm (case AD-12). */
export const RECENT_SECONDS = 15 * 60;
