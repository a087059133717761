// Area A's own dialect of refusal: 422 with HTTPValidationError (specification 2.4). It never meets OAuth's.
import type { Answer } from './message.ts';
import { json } from './respond.ts';

export type ValidationError = {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

export function validationError(errors: ValidationError[]): Answer {
  return json(422, { detail: errors });
}
