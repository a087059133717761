// What the callback takes: a code of 1 to 4,096 visible ASCII characters, a state of at most 2,048, one iss; anything
// else is a 422 (specification 2.4).
import { z } from 'zod';
import type { BrokerAnswer } from '#lib/auth-methods/method.ts';
import type { HttpRequest } from '#lib/http/message.ts';
import { parseForm, UnreadableParams } from '#lib/http/params.ts';
import type { ValidationError } from '#lib/http/respond.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { readableLine } from '#lib/kit/text/readable-text.ts';
import { settings } from '#lib/settings/settings.ts';

export const CODE_MAX = 4_096;
export const STATE_MAX = 2_048;
type Location = ['path' | 'query', 'code' | 'state' | 'iss'];

/** Without these nothing can be told; the others are for people, and may be in any encoding. */
const MACHINE_READ = ['code', 'state', 'iss'];

export type ReadAnswer = {
  state: string | null;
  outcome: BrokerAnswer | { error: string; description: string };
};

/** Code, state or error of a broker's redirect or form (RFC 6749 §4.1.2.1). UnreadableParams. */
export function readAnswer(query: string, arrivedAt: string): ReadAnswer | { errors: ValidationError[] } {
  const { values, repeated } = parseForm(query, MACHINE_READ);
  const name = nameFrom(values.get('user'), values.get('state') ?? '');
  const iss = values.get('iss') ?? null;
  const [code, state, error] = [values.get('code'), values.get('state') ?? null, values.get('error')];
  const errors = [
    ...(error === undefined ? codeErrors(code, ['query', 'code'], repeated.has('code')) : []),
    ...stateErrors(state, repeated.has('state')),
    ...issErrors(iss, repeated.has('iss')),
  ];
  if (errors.length > 0) return { errors };
  if (error === undefined) return { state, outcome: { code: code ?? '', iss, arrivedAt, whole: true, name } };
  const description = values.get('error_description') ?? 'The broker refused to sign the person in.';
  return { state, outcome: { error: error.slice(0, 200), description: description.slice(0, 500) } };
}

/** The body of a broker's form. Its text may be in any encoding; what a program reads of it is ASCII. */
export async function readAnswerForm(request: HttpRequest): Promise<string> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new UnreadableParams('the content type must be application/x-www-form-urlencoded');
  const bytes = await request.body();
  if (bytes === 'too-large') throw new UnreadableParams('the body is larger than 64 KiB', 413);
  return Buffer.from(bytes).toString('latin1');
}

/**
 * What a form calls the person (`user`, of Apple) goes to the next address sealed, with the state that it came with: no
 * name is in a log, and no one else can put one there. Null: none.
 */
export function nameOfForm(form: string): string | null {
  const { values, repeated } = parseForm(form, MACHINE_READ);
  const name = repeated.has('user') ? null : toldName(values.get('user') ?? '');
  const state = values.get('state') ?? '';
  return name === null ? null : sealJson({ state, name }, NAME, settings().secrets);
}

const NAME = 'name of a form';
const kept = z.object({ state: z.string(), name: z.string() });

function nameFrom(sealed: string | undefined, state: string): string | null {
  const found = sealed === undefined ? null : unsealJson(kept, sealed, NAME, settings().secrets);
  return found?.state === state ? found.name : null;
}

const part = z.string().max(100).catch('');
const told = z.object({ name: z.object({ firstName: part, lastName: part }) });

function toldName(json: string): string | null {
  try {
    const { firstName, lastName } = told.parse(JSON.parse(json)).name;
    return readableLine(`${firstName} ${lastName}`.trim()) || null;
  } catch {
    return null;
  }
}

/** The same answer as a query, with what is read of it and nothing else; `sealedName`: of `nameOfForm`. */
export function answerAsQuery({ state, outcome }: ReadAnswer, sealedName: string | null): string {
  const { error, description, code, iss } = {
    error: null,
    description: null,
    code: null,
    iss: null,
    ...outcome,
  };
  const given = { code, error, error_description: description, state, iss, user: sealedName };
  return String(new URLSearchParams(Object.entries(given).flatMap(([k, v]) => (v === null ? [] : [[k, v]]))));
}

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
