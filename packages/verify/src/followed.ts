// Caches metadata and refreshes it every five minutes, or when a token contains an unknown value. One fetch at a time.
import { ON_WORKERS, Unavailable } from './fetch-json.ts';
import type { Metadata } from './metadata.ts';
import type { Settings } from './options.ts';

const FRESH_MS = 300_000;
/** Maximum age in milliseconds of metadata that is used during an outage. */
const STALE_MS = 3_600_000;
const RETRY_MS = 10_000;
/** Milliseconds between attempts until the first attempt succeeds. */
const FIRST_RETRY_MS = 1_000;
/** Minimum milliseconds between two fetches that tokens with unknown keys cause. */
const UNKNOWN_MS = 30_000;
/**
 * On Workers: the interval at which a call checks whether another call's fetch has ended, and the longest time for
 * such a fetch.
 */
const LOOK_MS = 20;
const MOST_READING_MS = 10_000;

export type Followed = {
  /** Returns the metadata, or throws Unavailable. */
  current: () => Promise<Metadata>;
  /**
   * Returns newer metadata if a token contains values that `than` lacks. `null`: there is no newer metadata. Throws
   * Unavailable.
   */
  newer: (than: Metadata) => Promise<Metadata | null>;
};

export function follow(
  load: () => Promise<Metadata>,
  tell: Settings['tell'],
  now = () => performance.now(),
): Followed {
  let cacheEntry: { metadata: Metadata; at: number } | null = null;
  let flight: Promise<Metadata> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let unknownAt = Number.NEGATIVE_INFINITY;
  let readsUntil = Number.NEGATIVE_INFINITY;

  async function read(): Promise<Metadata> {
    // the age starts at the request, because the content may be older than its response
    const at = now();
    readsUntil = at + MOST_READING_MS;
    try {
      cacheEntry = { metadata: await load(), at };
      failedAt = Number.NEGATIVE_INFINITY;
      return cacheEntry.metadata;
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

  const usable = () => (cacheEntry && now() - cacheEntry.at < STALE_MS ? cacheEntry.metadata : null);

  return {
    async current() {
      if (cacheEntry && now() - cacheEntry.at < FRESH_MS) return cacheEntry.metadata;
      const failed = now() - failedAt;
      const waits = failed < (cacheEntry ? RETRY_MS : FIRST_RETRY_MS);
      const stale = usable();
      if (stale && failed < STALE_MS && !ON_WORKERS) {
        // the next attempt runs in the background: callers do not wait for it, because the last attempt failed
        if (!waits) start().catch(() => {});
        return stale;
      }
      if (flight || !waits) {
        try {
          return await start();
        } catch {
          // ignored, because the metadata in the cache may still be usable
        }
      }
      const still = usable();
      if (still) return still;
      throw new Unavailable();
    },
    async newer(than) {
      // another call has already updated the metadata
      if (cacheEntry && cacheEntry.metadata !== than) return cacheEntry.metadata;
      if (flight) return flight;
      if (now() - unknownAt >= UNKNOWN_MS) {
        unknownAt = now();
        return start();
      }
      while (ON_WORKERS && now() < readsUntil) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (cacheEntry && cacheEntry.metadata !== than) return cacheEntry.metadata;
      }
      if (failedAt >= unknownAt) throw new Unavailable();
      return null;
    },
  };
}
