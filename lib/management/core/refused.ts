// Why an operation was refused: a code with its values, the kind for the caller's code, and the English text of the
// code.
import type { z } from 'zod';
import type { MessageValues } from '#lib/language/message.ts';
import { type Fault, faultsOf } from '#lib/registry/fields/definition.ts';
import { longText } from '#lib/registry/fields/values.ts';
import { type Coded, englishOf, faultAt, kindOfRefusal, type RefusedCode } from './refusals/codes.ts';
import type { RefusedKind } from './refusals/kinds.ts';

type More = {
  faults?: readonly Fault[];
  foreign?: boolean;
  retryAfterSeconds?: number;
};
type Refusal = { [Code in RefusedCode]: [...Coded<Code>, more?: More] }[RefusedCode];

export class Refused extends Error {
  override name = 'Refused';
  readonly code: RefusedCode;
  readonly values: MessageValues;
  readonly kind: RefusedKind;
  readonly faults: readonly Fault[];
  /** it is there, and another's */
  readonly foreign: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(...[code, values = {}, more = {}]: Refusal) {
    super(englishOf(code, values));
    this.code = code;
    this.values = values;
    this.kind = kindOfRefusal(code);
    this.faults = more.faults ?? [];
    this.foreign = more.foreign ?? false;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

/** The input is wrong; the message is that of the first fault. */
export function faulty(faults: readonly Fault[]): Refused {
  return new Refused('input.faulty', { fault: faults[0]?.message ?? 'this makes no sense' }, { faults });
}

export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faulty(faults);
}

/** The value is taken. */
export function taken(
  field: string,
  code: 'api.id_taken' | 'group.id_taken' | 'method.id_taken',
  id: string,
): Refused {
  return new Refused(code, { id }, { faults: [faultAt(field, code, { id })] });
}

export function stale(what: string): Refused {
  return new Refused('version.stale', { what });
}

/** Where `given`, the version that was shown, is there and is not the current one. */
export function refuseStale(what: string, given: number | undefined, current: number): void {
  if (given !== undefined && given !== current) throw stale(what);
}

/** The input as its definition says, or Refused with every fault. */
export function parseInput<Definition extends z.ZodType>(
  definition: Definition,
  input: unknown,
): z.output<Definition> {
  const parsed = definition.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw faulty(faultsOf(parsed.error));
}

/** What a developer or a decider wrote to people, or null. Refused where they could not read all of it. */
export function writtenText(field: 'message' | 'reason', given: string | undefined): string | null {
  const read = longText.safeParse(given ?? '');
  if (read.success) return read.data || null;
  const why = read.error.issues[0]?.message ?? '';
  throw faulty([faultAt(field, 'input.wrong_text', { field, why })]);
}
