// What a suspension or revocation would end, for the form that asks for its reason.
import { type Consequences, countEnding, type Pair } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { readSubscription } from './subscription-view.ts';

/** Living sign-ins and tokens of this client at this API, and of how many people. */
export const previewDecision = operation(
  'previewDecision',
  async ({ actor, db }, input: Pair): Promise<Pick<Consequences, 'endsTokens' | 'people'>> => {
    const { clientId, api } = await readSubscription(actor, input);
    return countEnding(db, { clientId, api });
  },
);
