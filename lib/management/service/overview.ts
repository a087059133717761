// The numbers of the console's first pages.
import { countRegistry, type RegistryCounts } from '#lib/store/configuration.ts';
import { waitingPeople } from '#lib/store/people/waiting-people.ts';
import { countPending } from '#lib/store/registry/subscription-lists.ts';
import { operation } from '../core/operation.ts';
import { decidableBy, mayDo } from '../core/policy.ts';

export type Overview = {
  /** requests that wait for this actor's decision; 0 for who may not decide */
  pending: number;
  /** for administrators, where they are asked for */
  counts: RegistryCounts | null;
};

export const readOverview = operation(
  'readOverview',
  async ({ actor, db }, input: { counts?: boolean } = {}): Promise<Overview> => ({
    pending:
      (mayDo(actor, 'subscriptions.decide') ? await countPending(db, decidableBy(actor)) : 0) +
      (mayDo(actor, 'people.decide') ? await waitingPeople.count(db) : 0),
    counts: input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null,
  }),
);
