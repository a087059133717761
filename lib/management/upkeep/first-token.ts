// The list of a developer's first day, from what their applications have, not from what they clicked.
import { isChecklistAway, selectDeveloperFacts } from '#lib/store/upkeep/checklists.ts';
import { operation } from '../core/operation.ts';
import { requirePerson } from '../core/policy.ts';

export type FirstTokenStep = {
  step: 'client' | 'api' | 'token' | 'https' | 'second-factor';
  done: boolean;
  /** it was asked for, and another person decides */
  waits: boolean;
};
export type FirstToken = {
  steps: FirstTokenStep[];
  complete: boolean;
  away: boolean;
  /** the newest of the person's applications, for links; null: there is none */
  clientId: string | null;
};

export const readFirstToken = operation('readFirstToken', async ({ actor, db }): Promise<FirstToken> => {
  const { id } = requirePerson(actor);
  const [facts, away] = await Promise.all([selectDeveloperFacts(db, id), isChecklistAway(db, id, 'own')]);
  const step = (name: FirstTokenStep['step'], done: boolean, waits = false) => ({ step: name, done, waits });
  const steps = [
    step('client', facts.clients > 0),
    step('api', facts.approved, facts.subscribed && !facts.approved),
    step('token', facts.tokens),
    // where people are sent nowhere, or to an application on their own device, there is nothing to do
    ...(facts.clients > 0 && !facts.redirects ? [] : [step('https', facts.https)]),
    step('second-factor', facts.factorLevel > 0),
  ];
  return { steps, complete: steps.every(({ done }) => done), away, clientId: facts.clientId };
});
