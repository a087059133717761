// What the callback takes: a code of 1 to 4,096 visible ASCII characters, a state of at most 2,048, one iss; anything
// else is a 422 (specification 2.4).
import type { ValidationError } from '#lib/http/index.ts';

export const CODE_MAX = 4_096;
export const STATE_MAX = 2_048;
type Location = ['path' | 'query', 'code' | 'state' | 'iss'];

export function codeErrors(code: string | undefined, loc: Location, repeated = false): ValidationError[] {
  if (code === undefined) return [{ loc, msg: 'Field required', type: 'missing', input: null }];
  if (repeated) return [givenTwice(loc, code)];
  if (code.length > CODE_MAX) return [tooLong(loc, code, CODE_MAX)];
  if (/^[\x21-\x7e]+$/.test(code)) return [];
  return [
    {
      loc,
      msg: 'String should be visible ASCII characters',
      type: 'string_pattern_mismatch',
      input: code,
      ctx: { pattern: '^[\\x21-\\x7e]+$' },
    },
  ];
}

export function stateErrors(state: string | null, repeated: boolean): ValidationError[] {
  const loc: Location = ['query', 'state'];
  if (repeated) return [givenTwice(loc, state)];
  return state !== null && state.length > STATE_MAX ? [tooLong(loc, state, STATE_MAX)] : [];
}

/** With two, one would be compared here while the broker means the other. */
export function issErrors(iss: string | null, repeated: boolean): ValidationError[] {
  return repeated ? [givenTwice(['query', 'iss'], iss)] : [];
}

function givenTwice(loc: Location, input: string | null): ValidationError {
  return { loc, msg: 'Input should be given once', type: 'string_type', input };
}

function tooLong(loc: Location, input: string, max: number): ValidationError {
  return {
    loc,
    msg: `String should have at most ${max} characters`,
    type: 'string_too_long',
    input,
    ctx: { max_length: max },
  };
}
