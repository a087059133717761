// A breaker for each one we call: so many calls at once and no more; after several failures in a row it is left alone for a while, then one call tries.
// Only calls that came to no answer count. An error that it answered with shows that it is there, and must not count:
// else anybody who can provoke one could shut the door for all.
import { now, processWide } from '#lib/kit/index.ts';
import { OutboundFailed } from './failed.ts';

const FAILURES = 5;
const PAUSE_MILLISECONDS = 10_000;
const AT_ONCE = 100;

type Circuit = { failures: number; openUntil: number; trying: boolean; running: number };

// one a process, shared by both doors
const slot = processWide<Map<string, Circuit>>('breakers');

/** Runs the work, or throws OutboundFailed `breaker-open` or `busy` at once. */
export async function withBreaker<T>(key: string, work: () => Promise<T>): Promise<T> {
  const circuit = circuitOf(key);
  const half = circuit.failures >= FAILURES;
  if (half && (circuit.trying || now().getTime() < circuit.openUntil))
    throw new OutboundFailed('breaker-open');
  if (circuit.running >= AT_ONCE) throw new OutboundFailed('busy');
  circuit.trying = half;
  circuit.running += 1;
  try {
    const result = await work();
    circuit.failures = 0;
    return result;
  } catch (error) {
    if (error instanceof OutboundFailed) {
      circuit.failures += 1;
      circuit.openUntil = now().getTime() + PAUSE_MILLISECONDS;
    } else {
      circuit.failures = 0;
    }
    throw error;
  } finally {
    circuit.running -= 1;
    if (half) circuit.trying = false;
  }
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
