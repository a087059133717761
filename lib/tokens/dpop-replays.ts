// Which proofs this process has seen at a resource (RFC 9449 §11.1). At the token endpoint each request brings another
// credential that works once, so a repeated proof gives nothing there and is not kept.
import { nowSeconds } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';

/** As long as a nonce is good, which is longer than a proof is of now. */
const REMEMBERED_SECONDS = 180;
const MAX_REMEMBERED = 100_000;

// one for the process, shared by both doors
const slot = processWide<Map<string, number>>('dpop-proofs');

/** What a request used itself: it is answered again where the registry has changed. */
const own = new WeakMap<object, string>();

/** Whether it is the first use of the proof here, by this request; the oldest are forgotten first. */
export function isFirstProof(id: string, request: object): boolean {
  if (own.get(request) === id) return true;
  slot.value ??= new Map();
  const seen = slot.value;
  const at = nowSeconds();
  for (const [old, until] of seen) {
    if (until > at && seen.size < MAX_REMEMBERED) break;
    seen.delete(old);
  }
  if (seen.has(id)) return false;
  own.set(request, id);
  seen.set(id, at + REMEMBERED_SECONDS);
  return true;
}
