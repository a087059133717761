// A circuit breaker for each called service: at most 100 calls at once; after five failures in a row no call for 10 s,
// then one trial. Only calls without an answer count. Answers that are errors, too large, malformed or redirects do
// not: a person who can provoke one, for instance by their own profile, could otherwise lock everyone out.
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { OutboundFailed } from './failed.ts';

const FAILURES = 5;
const PAUSE_MILLISECONDS = 10_000;
const AT_ONCE = 100;

/** The service is there: it said something that is not used. */
const ANSWERED: readonly OutboundFailed['reason'][] = ['too-large', 'redirect', 'bad-answer'];

type Circuit = { failures: number; openUntil: number; trying: boolean; running: number };

// one for the process, shared by both doors
const slot = processWide<Map<string, Circuit>>('breakers');

/**
 * Runs the work, or throws OutboundFailed (`breaker-open`, `busy`) without running it. `key` names the called service.
 */
export async function withBreaker<T>(key: string, work: () => Promise<T>): Promise<T> {
  const circuit = circuitOf(key);
  const isTrial = circuit.failures >= FAILURES;
  if (isTrial && (circuit.trying || now().getTime() < circuit.openUntil))
    throw new OutboundFailed('breaker-open');
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

/** Is it open, so that a call now would fail? For callers that ask before they begin. */
export function isOpen(key: string): boolean {
  const { failures, openUntil } = circuitOf(key);
  return failures >= FAILURES && now().getTime() < openUntil;
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
