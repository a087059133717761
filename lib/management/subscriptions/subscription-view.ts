// Subscriptions in lists, in the inbox of those who decide, and on their page.
import { isDeepStrictEqual } from 'node:util';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import { mayCancel, mayRequest, type SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { SUBSCRIPTIONS, selectWaitingApis } from '#lib/store/registry/subscription-lists.ts';
import { findSubscription, type SubscriptionStep, selectStepsOf } from '#lib/store/registry/subscriptions.ts';
import type { Pair } from '../core/consequences.ts';
import { type Days, rangesOf } from '../core/days.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { type Actor, decidableBy, idOf, isDeciderOf, mayDo, requireAction } from '../core/policy.ts';
import { Refused } from '../core/refused.ts';
import { type MayDecide, mayChangeTerms, mayDecide } from './decisions.ts';

export type SubscriptionView = SubscriptionRow & {
  history: Omit<SubscriptionStep, 'clientBrand'>[];
  /** null: never approved, or not known */
  sinceApproval: Difference | null;
  may: MayDecide & { terms: boolean; request: boolean; change: boolean; cancel: boolean };
};
export type Difference = {
  trusted: { before: boolean; now: boolean } | null;
  machine: { before: boolean; now: boolean } | null;
  device: { before: boolean; now: boolean } | null;
  kind: { before: string; now: string } | null;
  /** its logo or its colours */
  brand: boolean;
  scopesAdded: string[];
  scopesRemoved: string[];
  redirectUrisAdded: string[];
  redirectUrisRemoved: string[];
};

/** When it was first asked for, and when it was decided last. */
const SUBSCRIPTION_DAYS = ['requested', 'decided'] as const;

export const pageSubscriptions = operation(
  'pageSubscriptions',
  async (
    { actor },
    input: Asked &
      Days<'requested' | 'decided'> & {
        own?: boolean | undefined;
        clientId?: string | undefined;
        api?: string | undefined;
        state?: SubscriptionState | undefined;
        trusted?: boolean | undefined;
        machine?: boolean | undefined;
        device?: boolean | undefined;
      } = {},
  ): Promise<Page<SubscriptionRow>> => {
    const all = mayDo(actor, 'subscriptions.see-all') && input.own !== true;
    if (!all) requireAction(actor, 'subscriptions.see-own');
    const whose = all ? { decidable: decidableBy(actor) } : { ownerId: idOf(actor), decidable: null };
    const ranges = await rangesOf(actor, SUBSCRIPTION_DAYS, input);
    const filter = { ...input, ...ranges, search: searchOf(input), ...whose };
    const page = await readPage(SUBSCRIPTIONS, input, filter);
    return { ...page, rows: page.rows.map((row) => shownTo(actor, row)) };
  },
);

type InboxAsked = Asked & {
  api?: string | undefined;
  trusted?: boolean | undefined;
  machine?: boolean | undefined;
  device?: boolean | undefined;
  unregistered?: boolean | undefined;
  /** left out: the oldest first */
  order?: string | undefined;
};

/** What waits for a decision of this actor's, each with all that is needed to decide. */
export const pageInbox = operation(
  'pageInbox',
  async ({ actor, db }, input: InboxAsked = {}): Promise<Page<SubscriptionView>> => {
    const { api, trusted, machine, device, unregistered } = input;
    const filter = { api, trusted, machine, device, unregistered, search: searchOf(input) };
    const waiting = { ...filter, state: 'pending', decidable: decidableBy(actor) } as const;
    const page = await readPage(SUBSCRIPTIONS, { limit: 20, ...input, order: input.order ?? 'age' }, waiting);
    return { ...page, rows: await views(actor, db, page.rows) };
  },
);

/** The APIs at which something waits for a decision of this actor's, by name. */
export const listWaitingApis = operation(
  'listWaitingApis',
  async ({ actor, db }): Promise<{ id: string; name: string }[]> =>
    (await selectWaitingApis(db, decidableBy(actor))).map(({ id, name }) => ({ id, name })),
);

export const readSubscription = operation(
  'readSubscription',
  async ({ actor, db }, { clientId, api }: Pair): Promise<SubscriptionView> => {
    const all = mayDo(actor, 'subscriptions.see-all');
    if (!all) requireAction(actor, 'subscriptions.see-own');
    const row = await findSubscription(db, clientId, api);
    const own = row !== null && row.ownerId !== null && row.ownerId === idOf(actor);
    if (row && (own || (all && isDeciderOf(actor, row)))) {
      const [found] = await views(actor, db, [row]);
      if (found) return found;
    }
    throw new Refused(
      'subscription.unknown',
      { client: clientId, api },
      {
        foreign: row !== null,
      },
    );
  },
);

/** The note is for those who decide. */
const shownTo = (actor: Actor, row: SubscriptionRow): SubscriptionRow =>
  mayDo(actor, 'subscriptions.see-all') && isDeciderOf(actor, row) ? row : { ...row, note: null };

async function views(actor: Actor, db: Db, rows: SubscriptionRow[]): Promise<SubscriptionView[]> {
  const lives = await selectStepsOf(db, rows);
  return rows.map((row, at) => view(actor, row, lives[at] ?? []));
}

function view(actor: Actor, row: SubscriptionRow, history: SubscriptionStep[]): SubscriptionView {
  const own = mayDo(actor, 'clients.manage-all') || (row.ownerId !== null && row.ownerId === idOf(actor));
  const asks = own && mayDo(actor, 'subscriptions.request');
  const may = {
    ...mayDecide(actor, row),
    terms: mayChangeTerms(actor, row),
    request: asks && mayRequest(row.state),
    change: asks && row.state !== 'revoked',
    cancel: asks && mayCancel(row.state),
  };
  return {
    ...shownTo(actor, row),
    history: history.map(({ clientBrand: _, ...step }) => step),
    sinceApproval: differenceSince(history, row),
    may,
  };
}

function differenceSince(history: SubscriptionStep[], row: SubscriptionRow): Difference | null {
  const approved = history.findLast(
    (step) => step.to === 'approved' && step.from !== 'approved' && step.undoneAt === null,
  );
  if (!approved) return null;
  const without = (a: string[], b: string[]) => a.filter((one) => !b.includes(one));
  const all = row.apiScopes.map((scope) => scope.name);
  const [before, now] = [approved.scopes, row.scopes].map((scopes) => (scopes.length > 0 ? scopes : all)) as [
    string[],
    string[],
  ];
  return {
    kind:
      approved.clientKind === row.clientKind ? null : { before: approved.clientKind, now: row.clientKind },
    brand: !isDeepStrictEqual(approved.clientBrand, row.clientBrand),
    trusted: approved.trusted === row.trusted ? null : { before: approved.trusted, now: row.trusted },
    machine: approved.machine === row.machine ? null : { before: approved.machine, now: row.machine },
    device: approved.device === row.device ? null : { before: approved.device, now: row.device },
    scopesAdded: without(now, before),
    scopesRemoved: without(before, now),
    redirectUrisAdded: without(row.redirectUris, approved.redirectUris),
    redirectUrisRemoved: without(approved.redirectUris, row.redirectUris),
  };
}
