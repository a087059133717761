// The limit on unknown tokens at the forward auth address, by the caller's address. A process takes shares of 50 of
// the database's limit, so that a flood writes a row once in 50 requests; what a share covers is counted in memory. A
// good token is never counted, and no limit keeps one out.
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { addressBlock } from '#lib/http/peer-address.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { callerLimits } from '#lib/store/tokens/limits.ts';

const OF_SHARE = 50;
const WINDOW_SECONDS = 600;
/**
 * Two windows may meet in any ten minutes, and four processes may still have a share from before: 3,000 unknown tokens
 * in ten minutes at most.
 */
const SHARES = { what: 'tokens', each: 28, windowSeconds: WINDOW_SECONDS, all: 2_000, allSeconds: 5 };
const MAX_PLACES = 10_000;

/** `left`: of the share, until then. `usedUpUntil`: the limit refuses. Times are milliseconds since 1970. */
type Place = { left: number; until: number; usedUpUntil: number; taking: Promise<void> | null };
type Asker = { ip: string | null; apiId: string; requestId: string };

const slot = processWide<Map<string, Place>>('unknown-tokens');

function placeOf(ip: string | null): Place {
  slot.value ??= new Map();
  const places = slot.value;
  const name = ip === null ? '' : addressBlock(ip);
  let place = places.get(name);
  if (!place) {
    if (places.size >= MAX_PLACES) places.delete(places.keys().next().value ?? '');
    place = { left: 0, until: 0, usedUpUntil: 0, taking: null };
    places.set(name, place);
  }
  return place;
}

const isUsedUp = ({ usedUpUntil }: Place) => usedUpUntil > now().getTime();

/** Have so many unknown tokens come from there that further ones are refused without a look at the database? */
export const isOverTokenLimit = (ip: string | null): boolean => isUsedUp(placeOf(ip));

/** Counts an unknown token, or throws TooManyAttempts. */
export async function countUnknownToken(asker: Asker): Promise<void> {
  const place = placeOf(asker.ip);
  while (place.left === 0 || place.until <= now().getTime()) {
    if (isUsedUp(place)) throw tooMany(place);
    place.taking ??= take(place, asker).finally(() => {
      place.taking = null;
    });
    await place.taking;
  }
  place.left -= 1;
}

const tooMany = ({ usedUpUntil }: Place) =>
  new TooManyAttempts(Math.max(1, Math.ceil((usedUpUntil - now().getTime()) / 1000)));

async function take(place: Place, { ip, apiId, requestId }: Asker): Promise<void> {
  try {
    await countAttempt(callerLimits(SHARES, ip), { ip, apiId, requestId });
    place.left = OF_SHARE;
    place.until = now().getTime() + WINDOW_SECONDS * 1000;
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    place.usedUpUntil = now().getTime() + error.waitSeconds * 1000;
  }
}
