// Makes every outbound call of this service. It calls only public addresses over https (unless the policy allows a
// private network), follows no redirect, and stops after 5 s or 64 KiB.
import net, { type LookupFunction } from 'node:net';
import type * as undici from 'undici';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { isPublicAddress, namesPrivateHost, publicLookup } from './addresses.ts';
import { OutboundFailed } from './failed.ts';

const MAX_MILLISECONDS = 5_000;
const MAX_BYTES = 65_536;

export type OutboundPolicy = {
  /** true: private addresses and http: are allowed */
  allowPrivateNetwork: boolean;
  /** time limit for the whole call, at most 5,000 */
  timeoutMs?: number | undefined;
  /** limit of the decoded body, at most 65,536 */
  maxBytes?: number | undefined;
};

/** Returns a `fetch` that rejects with OutboundFailed if there is no complete response. */
export function outboundFetch(policy: OutboundPolicy): typeof fetch {
  return (input, init) => call(new Request(input, init), policy, publicLookup());
}

/** `lookup` is a parameter, so that tests can omit it and test only the address check of the socket. */
export async function call(
  request: Request,
  policy: OutboundPolicy,
  lookup: LookupFunction,
): Promise<Response> {
  const url = new URL(request.url);
  const strict = !policy.allowPrivateNetwork;
  if (url.protocol !== 'https:' && (strict || url.protocol !== 'http:')) throw new OutboundFailed('insecure');
  if (strict && namesPrivateHost(url)) throw new OutboundFailed('private-address');
  // the library costs 30 MB and 0.1 s, so it is loaded only by a process that makes calls, and outside the time limit
  const library = await import('undici');
  const maxBytes = Math.min(policy.maxBytes ?? MAX_BYTES, MAX_BYTES);
  const timeout = AbortSignal.timeout(Math.min(policy.timeoutMs ?? MAX_MILLISECONDS, MAX_MILLISECONDS));
  const connect = library.buildConnector({ allowH2: false });
  // one connection per call, so that no connection stays open and no call uses a connection that was checked for
  // another policy
  const client = new library.Client(url.origin, {
    // limits the received bytes, which may be compressed; compressed data is hardly ever longer than decoded data
    maxResponseSize: maxBytes + 1_024,
    connect: strict ? publicOnly(connect, lookup) : connect,
  });
  try {
    const answer = await library.fetch(url, {
      dispatcher: client,
      method: request.method,
      headers: headersOf(request),
      body: request.body && (await request.bytes()),
      redirect: 'manual',
      signal: AbortSignal.any([request.signal, timeout]),
    });
    return await wholeAnswer(answer, url, maxBytes);
  } catch (error) {
    request.signal.throwIfAborted();
    throw timeout.aborted ? new OutboundFailed('timeout') : failureOf(error);
  } finally {
    await client.destroy();
  }
}

/** Checks the address to which the socket connected, before the first byte of TLS. */
function publicOnly(
  connect: undici.buildConnector.connector,
  lookup: LookupFunction,
): undici.buildConnector.connector {
  return (options, callback) => {
    const socket = net.connect({ host: options.hostname, port: Number(options.port || 443), lookup });
    socket.once('connect', () => {
      if (!isPublicAddress(socket.remoteAddress ?? '')) socket.destroy(new OutboundFailed('private-address'));
    });
    connect({ ...options, httpSocket: socket }, callback);
  };
}

function headersOf(request: Request): Record<string, string> {
  return { 'user-agent': 'gatehouse', ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' };
}

async function wholeAnswer(answer: undici.Response, url: URL, maxBytes: number): Promise<Response> {
  const { status } = answer;
  if (status >= 300 && status < 400 && status !== 304) {
    const to = answer.headers.get('location');
    const location = to !== null && URL.canParse(to, url) ? new URL(to, url).href : null;
    throw new OutboundFailed('redirect', { location });
  }
  const headers = new Headers([...answer.headers]);
  // the body was already decoded
  headers.delete('content-encoding');
  headers.delete('content-length');
  if (answer.body === null) return new Response(null, { status, headers });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundFailed('too-large');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, headers });
}

/** Returns the reason of a failed call. undici wraps the failure in a TypeError, whose causes contain the codes. */
function failureOf(error: unknown): OutboundFailed {
  let cause = error;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutboundFailed) return at;
    const code = 'code' in at ? String(at.code) : '';
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new OutboundFailed('too-large');
    if (code.startsWith('Z_') || at instanceof RangeError)
      return new OutboundFailed('bad-answer', { cause: at });
    cause = at;
  }
  return new OutboundFailed('unreachable', { cause });
}

// One circuit breaker per called service: at most 100 concurrent calls. Five consecutive failures block calls for 10
// s, then one trial runs. Only a missing response is a failure. A response with an error status, a redirect, and a
// response that is too large or malformed are not failures. Otherwise a user who can provoke such a response, for
// example with a crafted profile, could lock everyone out.

const FAILURES = 5;
const PAUSE_MILLISECONDS = 10_000;
const AT_ONCE = 100;

/** The service responded, although its response cannot be used. */
const ANSWERED: readonly OutboundFailed['reason'][] = ['too-large', 'redirect', 'bad-answer'];

type Circuit = { failures: number; openUntil: number; trying: boolean; running: number };

// one map per process, which the Node server and Next share
const slot = processWide<Map<string, Circuit>>('breakers');

/**
 * Runs the work. If the breaker is open or there are too many calls, throws OutboundFailed (`breaker-open`, `busy`)
 * without running it. `key` identifies the called service.
 */
export async function withBreaker<T>(key: string, work: () => Promise<T>): Promise<T> {
  const circuit = circuitOf(key);
  if (refusesCall(circuit)) throw new OutboundFailed('breaker-open');
  const isTrial = circuit.failures >= FAILURES;
  if (circuit.running >= AT_ONCE) throw new OutboundFailed('busy');
  circuit.trying = isTrial;
  circuit.running += 1;
  try {
    const result = await work();
    circuit.failures = 0;
    return result;
  } catch (error) {
    if (error instanceof OutboundFailed && !ANSWERED.includes(error.reason)) {
      circuit.failures += 1;
      circuit.openUntil = now().getTime() + PAUSE_MILLISECONDS;
    } else {
      circuit.failures = 0;
    }
    throw error;
  } finally {
    circuit.running -= 1;
    if (isTrial) circuit.trying = false;
  }
}

/** True if the circuit breaker is open, so that calls would fail. */
export function isOpen(key: string): boolean {
  return refusesCall(circuitOf(key));
}

/** True after five failures, during the pause and during the trial call that follows it. */
function refusesCall({ failures, trying, openUntil }: Circuit): boolean {
  return failures >= FAILURES && (trying || now().getTime() < openUntil);
}

function circuitOf(key: string): Circuit {
  slot.value ??= new Map();
  let circuit = slot.value.get(key);
  if (!circuit) {
    circuit = { failures: 0, openUntil: 0, trying: false, running: 0 };
    slot.value.set(key, circuit);
  }
  return circuit;
}
