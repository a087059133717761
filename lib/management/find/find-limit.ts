// How often one person may search, or have a token inspected: people type, and a program that asks for each is stopped.
import { limited } from '#lib/mail/index.ts';
import { attemptLimit } from '#lib/store/index.ts';
import { type Actor, authorOf, isHost, Refused } from '../core/index.ts';

/** in a quarter of an hour */
const MOST = { search: 300, inspection: 100 };

/** Refused where it was asked too often. */
export async function limitedFind<Found>(
  actor: Actor,
  what: keyof typeof MOST,
  find: () => Promise<Found>,
): Promise<Found> {
  if (isHost(actor)) return find();
  const { actor: by = '', requestId = '', ip = null } = authorOf(actor);
  const found: Found[] = [];
  const wait = await limited(
    [attemptLimit('finds', `${what} ${by}`, MOST[what])],
    { requestId, ip },
    async () => {
      found.push(await find());
    },
  );
  const [only] = found;
  if (wait !== null || only === undefined)
    throw new Refused('find.too_many', {}, { retryAfterSeconds: wait ?? 1 });
  return only;
}
