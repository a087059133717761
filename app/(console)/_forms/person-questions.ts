// The addresses of the questions about a person: the last part of each.
import { Refused } from '#lib/management/core/refused.ts';
import { ROLES, type Role } from '#lib/registry/objects/person.ts';
import type { QuestionName } from './questions.ts';

type PersonQuestion = { name: QuestionName; role: Role | null };

const AT: ReadonlyMap<string, PersonQuestion> = new Map<string, PersonQuestion>([
  ['delete', { name: 'person-delete', role: null }],
  ['disable', { name: 'person-disable', role: null }],
  ['sign-out', { name: 'person-sessions-end', role: null }],
  ['reset-factors', { name: 'person-reset-factors', role: null }],
  ...ROLES.flatMap((role): [string, PersonQuestion][] => [
    [`grant-${role}`, { name: 'person-grant', role }],
    [`revoke-${role}`, { name: 'person-revoke', role }],
  ]),
]);

/** Refused where there is no such question. */
export function personQuestion(step: string): PersonQuestion {
  const asked = AT.get(step);
  if (!asked) throw new Refused('question.unknown');
  return asked;
}
