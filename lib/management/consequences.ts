// What an edit would break, for whoever is about to save it.
import type { Fault } from '#lib/registry/index.ts';

export type Consequences = {
  /** what stands in the way of saving */
  faults: Fault[];
  warnings: string[];
  /** approved trusted subscriptions that would wait for approval again */
  returnsToPending: { clientId: string; api: string; apiName: string }[];
  /** what would no longer get tokens */
  losesAccess: { clientId: string; api: string }[];
  /** living chains of tokens that would end, and how many people they belong to */
  endsTokens: number;
  people: number;
};

export const MANAGED_WARNING =
  'The configuration file owns this: the next apply sets it back to what the file says.';

export function noConsequences(): Consequences {
  return { faults: [], warnings: [], returnsToPending: [], losesAccess: [], endsTokens: 0, people: 0 };
}
