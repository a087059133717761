// Why a call to a server failed, in a few words. What a token or a code holds is in none of the messages.

const MOST = 300;

/** The deepest cause says most: `ECONNREFUSED` beneath `fetch failed`. */
export function inOneLine(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  const { code, message, error: oauth, error_description: described } = found as Record<string, unknown>;
  if (typeof oauth === 'string') return readable(described ? `${oauth}: ${described}` : oauth);
  const own = typeof code === 'string' && /^E[A-Z_]+$/.test(code) ? code : message;
  return readable(String(own || code || error));
}

const readable = (text: string): string => printable(text).slice(0, MOST);

/** A server chooses these words: no line break and no control character gets to the terminal. */
export const printable = (text: string): string => text.replace(/[\p{C}\u2028\u2029]+/gu, ' ');
