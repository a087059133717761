// Passwords that are tried first: a list that comes with the service, and, where the operator names one, a service that
// knows more (NIST SP 800-63B-4 §3.1.1.2). Used when a person chooses a password, never when they sign in.
import { createHash } from 'node:crypto';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { withBreaker } from '#lib/outbound/breaker.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings } from '#lib/settings/settings.ts';

const PATIENCE_MS = 2_000;

let list: Promise<Buffer> | undefined;

/** 72 KB, loaded only in a process where a person chooses a password. */
async function loadList(): Promise<Buffer> {
  const { PREFIXES } = await import('./known-passwords-list.ts');
  return Buffer.from(PREFIXES, 'base64');
}

/** Case-insensitive. False-positive rate: 1 in 240,000. */
export async function isKnownPassword(password: string): Promise<boolean> {
  list ??= loadList();
  const prefixes = await list;
  const wanted = createHash('sha256')
    .update(password.normalize('NFKC').toLowerCase())
    .digest()
    .readUInt32BE();
  let [from, to] = [0, prefixes.length / 4];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = prefixes.readUInt32BE(middle * 4);
    if (found === wanted) return true;
    if (found < wanted) from = middle + 1;
    else to = middle;
  }
  return false;
}

/**
 * Does the service of PASSWORD_RANGE_URL know it? It is told the first five of the forty digits of the password's
 * SHA-1, and gives the rest of all that begin so (the protocol of Have I Been Pwned). Null: it did not answer. False
 * where none is named.
 */
export async function isBreached(password: TypedPassword): Promise<boolean | null> {
  const { passwordRangeUrl, local } = settings();
  if (passwordRangeUrl === null) return false;
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const answer = await withBreaker(`password range ${passwordRangeUrl}`, () =>
      outboundFetch({ allowPrivateNetwork: local, timeoutMs: PATIENCE_MS })(
        `${passwordRangeUrl}${digest.slice(0, 5)}`,
        // made-up lines hide from the network how many there are; their count is 0
        { headers: { 'add-padding': 'true' } },
      ),
    );
    if (answer.status !== 200) return null;
    const lines = (await answer.text()).split(/\r?\n/).map((line) => line.split(':'));
    return lines.some(([rest, count]) => rest?.toUpperCase() === digest.slice(5) && Number(count) > 0);
  } catch (error) {
    if (error instanceof OutboundFailed) return null;
    throw error;
  }
}
