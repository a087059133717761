// Caches metadata and refreshes it every five minutes, or when a token contains an unknown value. One fetch at a time.
import { ON_WORKERS, Unavailable } from './fetch-json.ts';
import type { Metadata } from './metadata.ts';
import type { Settings } from './options.ts';

const FRESH_MS = 300_000;
/** Maximum age of cached metadata during an outage. */
const STALE_MS = 3_600_000;
const RETRY_MS = 10_000;
/** Before the first success. */
const FIRST_RETRY_MS = 1_000;
/** Minimum time between two calls caused by tokens with unknown keys. */
const UNKNOWN_MS = 30_000;
/** On Workers: polling interval for another call's fetch, and its maximum duration. */
const LOOK_MS = 20;
const MOST_READING_MS = 10_000;

export type Followed = {
  /** Throws Unavailable. */
  current: () => Promise<Metadata>;
  /** Newer metadata for a token with values unknown to `than`. `null`: no newer metadata. Throws Unavailable. */
  newer: (than: Metadata) => Promise<Metadata | null>;
};

export function follow(
  load: () => Promise<Metadata>,
  tell: Settings['tell'],
  now = () => performance.now(),
): Followed {
  let known: { metadata: Metadata; at: number } | null = null;
  let flight: Promise<Metadata> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let unknownAt = Number.NEGATIVE_INFINITY;
  let readsUntil = Number.NEGATIVE_INFINITY;

  async function read(): Promise<Metadata> {
    // age counts from the request, because content may be older than its response
    const at = now();
    readsUntil = at + MOST_READING_MS;
    try {
      known = { metadata: await load(), at };
      failedAt = Number.NEGATIVE_INFINITY;
      return known.metadata;
    } catch (error) {
      failedAt = now();
      tell(error instanceof Error ? error.message : 'the metadata cannot be read');
      throw new Unavailable();
    } finally {
      flight = null;
      readsUntil = Number.NEGATIVE_INFINITY;
    }
  }

  function start(): Promise<Metadata> {
    if (ON_WORKERS) return read();
    flight ??= read();
    return flight;
  }

  const usable = () => (known && now() - known.at < STALE_MS ? known.metadata : null);

  return {
    async current() {
      if (known && now() - known.at < FRESH_MS) return known.metadata;
      const failed = now() - failedAt;
      const waits = failed < (known ? RETRY_MS : FIRST_RETRY_MS);
      const stale = usable();
      if (stale && failed < STALE_MS && !ON_WORKERS) {
        // last attempt failed: no call waits for the next one
        if (!waits) start().catch(() => {});
        return stale;
      }
      if (flight || !waits) {
        try {
          return await start();
        } catch {
          // cached metadata may still be usable
        }
      }
      const still = usable();
      if (still) return still;
      throw new Unavailable();
    },
    async newer(than) {
      // another call updated it meanwhile
      if (known && known.metadata !== than) return known.metadata;
      if (flight) return flight;
      if (now() - unknownAt >= UNKNOWN_MS) {
        unknownAt = now();
        return start();
      }
      while (ON_WORKERS && now() < readsUntil) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (known && known.metadata !== than) return known.metadata;
      }
      if (failedAt >= unknownAt) throw new Unavailable();
      return null;
    },
  };
}
