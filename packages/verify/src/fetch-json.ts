// Fetches a JSON document, with limits for time and size, and without following redirects.

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 262_144;

/** Cloudflare Workers forbid awaiting a promise of another request, and their fetch has fewer options. */
export const ON_WORKERS = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

export class Unavailable extends Error {}

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

/** Fetches a document. Throws Unavailable, whose message contains the address and the reason. */
export async function fetchJson(address: string, init: Sent = {}): Promise<Record<string, unknown>> {
  try {
    const answer = await fetch(address, {
      ...init,
      ...(ON_WORKERS ? {} : { cache: 'no-store' }),
      headers: { accept: 'application/json', ...init.headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Error(`it answers ${answer.status}`);
    }
    const body: unknown = JSON.parse(await boundedText(answer));
    if (typeof body !== 'object' || body === null) throw new Error('it is not a JSON object');
    return body as Record<string, unknown>;
  } catch (error) {
    throw new Unavailable(`${address}: ${reasonOf(error)}`);
  }
}

/** Returns the reason for a failure. It never contains text of the response. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  if (!(error instanceof Error)) return 'it failed';
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : error.message;
}

async function boundedText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = answer.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > MOST_BYTES) {
      await reader?.cancel();
      throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
