// Area A's 422 with HTTPValidationError; OAuth endpoints never answer it.
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
