// State of the inbox: page of each list, search, filters, and selected requests. Every link and form keeps the state.

import { readSubscription, type SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { utcMinute } from '#lib/kit/clock.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { Actor } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { INBOX, stepOf } from '../_kit/subscription-words.ts';
import { withQuery } from '../_kit/with-query.ts';
import { toSay } from '../_texts/to-say.ts';

/** Parameters of the address. `at`: filter by API. `people`: cursor of the list of users who wait for an account. */
const PLACE = ['cursor', 'people', 'search', 'at', 'kind', 'order'] as const;
export type Place = Record<(typeof PLACE)[number], string>;

export const placeIn = (read: (name: string) => string): Place =>
  Object.fromEntries(PLACE.map((name) => [name, read(name)])) as Place;

/** Keeps the filters, and returns to the first page of the list. */
export const firstPage = (place: Place): Place => ({ ...place, cursor: '', people: '' });

export const inboxAt = (place: Place): string => withQuery(INBOX, place);

export const requestPath = ({ clientId, api }: { clientId: string; api: string }, place: Place): string =>
  withQuery(INBOX, { ...place, client: clientId, api });

export const waitingPath = (id: string, place: Place): string => withQuery(INBOX, { ...place, person: id });

export const KINDS = toSay({
  '': 'All kinds',
  plain: 'Plain',
  trusted: 'Trusted',
  machine: 'Machine',
  device: 'Device',
  unregistered: 'Unregistered client',
  account: 'Account',
});

export const ORDERS = toSay({ '': 'Oldest first', name: 'By name' });

type Kind = { trusted?: boolean; machine?: boolean; device?: boolean; unregistered?: boolean };

/** The filter by kind of request; null: the list shows only accounts. */
export function kindOf({ kind }: Place): Kind | null {
  switch (kind) {
    case 'plain':
      return { trusted: false, machine: false, device: false, unregistered: false };
    case 'trusted':
      return { trusted: true };
    case 'machine':
      return { machine: true };
    case 'device':
      return { device: true };
    case 'unregistered':
      return { unregistered: true };
    case 'account':
      return null;
    default:
      return {};
  }
}

/** True if the list shows account requests, which belong to no API. */
export const showsAccounts = ({ kind, at }: Place): boolean =>
  at === '' && (kind === '' || kind === 'account');

// A selected request as a form value: the version that was displayed, the API and the client.

export type Selected = { clientId: string; api: string; version: number };

export const selectedValue = ({ version, api, clientId }: Selected): string =>
  `${version} ${api} ${clientId}`;

const VALUE = /^(\d{1,9}) (\S{1,100}) (.{1,300})$/;

/** Parses the selected requests. Invalid values are ignored. */
export const selectedIn = (values: readonly string[]): Selected[] =>
  values.flatMap((value) => {
    const [, version, api, clientId] = VALUE.exec(value) ?? [];
    return api && clientId ? [{ clientId, api, version: Number(version) }] : [];
  });

export const nameOfRequest = ({ clientName, apiName }: Pick<SubscriptionView, 'clientName' | 'apiName'>) =>
  `${plainText(clientName)} → ${plainText(apiName)}`;

/** Returns the object that a mail or form names; undefined if it was deleted or this actor cannot see it. */
export async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

export type Choice = 'approve' | 'reject';
type Read = Selected & { view: SubscriptionView | undefined; name: string; why: EnglishSentence | null };

/**
 * Reads the current state of each request. `why`: the reason why it cannot be decided, because it changed after the
 * selection or belongs to the deciding user.
 */
export function readSelected(actor: Actor, action: Choice, of: readonly Selected[]): Promise<Read[]> {
  return Promise.all(
    of.map(async (selection) => {
      const view = await ifThere(() => readSubscription(actor, selection));
      const name = view ? nameOfRequest(view) : `${selection.clientId} → ${selection.api}`;
      return { ...selection, view, name, why: whyNot(action, selection.version, view) };
    }),
  );
}

function whyNot(action: Choice, version: number, view: SubscriptionView | undefined): EnglishSentence | null {
  if (!view) return english('it no longer exists');
  if (view.version !== version) return whoWasFaster(view) ?? english('it has changed since then');
  return view.may[action] ? null : english('it is your own request or your own client');
}

/** Actor, kind and time of the last step; null: there was no step. */
export function lastStep({ history }: Pick<SubscriptionView, 'history'>) {
  const last = history.at(-1);
  if (last === undefined) return null;
  return { who: last.actor, step: stepOf(last.from, last.to), time: utcMinute(last.at) };
}

function whoWasFaster(of: SubscriptionView): EnglishSentence | null {
  const last = lastStep(of);
  return (
    last &&
    english(
      '{who} decided first ({step, select, approved {approved} rejected {rejected} suspended {suspended} revoked {revoked} pending {requested} back {returned for approval} resumed {resumed} changed {changed} subscribed {subscribed} other {changed}}, {time})',
      last,
    )
  );
}
