// What one person may ask for so often in a quarter of an hour. The operator of the host has no such limit.
import { limited } from '#lib/mail/mail-limits.ts';
import { attemptLimit } from '#lib/store/tokens/limits.ts';
import { type Actor, isHost } from './policy.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';

type OwnLimit = {
  kind: Parameters<typeof attemptLimit>[0];
  /** one of several of this kind */
  name?: string;
  most: number;
  refusal: 'connection.too_many' | 'find.too_many';
};

/** Refused, with the seconds to wait, where it was asked for too often. */
export async function limitedWork<Result>(
  actor: Actor,
  { kind, name, most, refusal }: OwnLimit,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isHost(actor)) return work();
  const { actor: by = '', requestId = '', ip = null } = authorOf(actor);
  const limit = attemptLimit(kind, [name, by].filter(Boolean).join(' '), most);
  const results: Result[] = [];
  const wait = await limited([limit], { requestId, ip }, async () => {
    results.push(await work());
  });
  if (wait !== null) throw new Refused(refusal, {}, { retryAfterSeconds: wait });
  return results[0] as Result;
}
