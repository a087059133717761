// How long a copy of a document may be used without asking (RFC 9111 §4.2, §5.2; the draft's §4.4 lets us set bounds):
// what the host says for shared caches, then for all, within five minutes and a day.

const LEAST_MS = 300_000;
const MOST_MS = 86_400_000;

/** In milliseconds, from when the answer came (`at`, milliseconds since 1970). */
export function freshMilliseconds(headers: Headers, at: number): number {
  const stated = statedSeconds(headers, at);
  const age = seconds(headers.get('age')) ?? 0;
  return Math.min(Math.max((stated - age) * 1_000, LEAST_MS), MOST_MS);
}

/** Contradictions count as stale (RFC 9111 §4.2.1). */
function statedSeconds(headers: Headers, at: number): number {
  const directives = (headers.get('cache-control') ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  if (directives.some((one) => /^(?:no-store|no-cache|private)\b/.test(one))) return 0;
  for (const name of ['s-maxage', 'max-age']) {
    const values = directives.filter((one) => one.split('=')[0]?.trim() === name);
    if (values.length > 1) return 0;
    if (values[0] !== undefined) return seconds(values[0].slice(values[0].indexOf('=') + 1)) ?? 0;
  }
  const expires = Date.parse(headers.get('expires') ?? '');
  return Number.isNaN(expires) ? 0 : (expires - at) / 1_000;
}

function seconds(text: string | null): number | null {
  const digits = /^"?(\d{1,10})"?$/.exec(text?.trim() ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

/** What asks whether a copy is still good (RFC 9110 §13.1); an entity tag too long to be sent back is none. */
export function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  return {
    ...(etag && etag.length <= 200 && { 'if-none-match': etag }),
    ...(modified && modified.length <= 40 && { 'if-modified-since': modified }),
  };
}
