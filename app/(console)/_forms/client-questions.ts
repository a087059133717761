// The addresses of the questions about a client: the last part of each.
import { Refused } from '#lib/management/core/refused.ts';
import type { QuestionName } from './questions.ts';

const AT: ReadonlyMap<string, QuestionName> = new Map<string, QuestionName>([
  ['delete', 'client-delete'],
  ['revoke', 'client-revoke'],
  ['disable', 'client-disable'],
  ['end-secret', 'secret-drop'],
]);

/** Refused where there is no such question. */
export function clientQuestion(step: string): QuestionName {
  const name = AT.get(step);
  if (name === undefined) throw new Refused('question.unknown');
  return name;
}
