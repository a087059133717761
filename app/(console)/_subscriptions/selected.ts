// What was selected in the inbox, as values of a form: the version that was seen, the API and the client of each.

import { utcMinute } from '#lib/kit/utc.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { readSubscription, type SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { stepOf } from '../_ui/subscription-words.ts';

export type Selected = { clientId: string; api: string; version: number };

export const selectedValue = ({ version, api, clientId }: Selected): string =>
  `${version} ${api} ${clientId}`;

const VALUE = /^(\d{1,9}) (\S{1,100}) (.{1,300})$/;

/** What is no such value is left out. */
export const selectedIn = (values: readonly string[]): Selected[] =>
  values.flatMap((value) => {
    const [, version, api, clientId] = VALUE.exec(value) ?? [];
    return api && clientId ? [{ clientId, api, version: Number(version) }] : [];
  });

export const nameOfRequest = ({ clientName, apiName }: Pick<SubscriptionView, 'clientName' | 'apiName'>) =>
  `${plainText(clientName)} → ${plainText(apiName)}`;

/** The one of a mail or a form; undefined where it is gone, or this actor may not see it. */
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

/** Each as it is now. `why`: it is not decided on, since it changed after it was selected or is one’s own. */
export function readSelected(actor: Actor, action: Choice, of: readonly Selected[]): Promise<Read[]> {
  return Promise.all(
    of.map(async (one) => {
      const view = await ifThere(() => readSubscription(actor, one));
      const name = view ? nameOfRequest(view) : `${one.clientId} → ${one.api}`;
      return { ...one, view, name, why: whyNot(action, one.version, view) };
    }),
  );
}

function whyNot(action: Choice, version: number, view: SubscriptionView | undefined): EnglishSentence | null {
  if (!view) return english('it is not there any more');
  if (view.version !== version) return whoWasFaster(view) ?? english('it was changed since');
  return view.may[action] ? null : english('it is your own request, or your own client');
}

/** Whose step was the last one, which and when; null: it has none. */
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
      '{who} was faster ({step, select, approved {approved} rejected {rejected} suspended {suspended} revoked {revoked} pending {asked} back {sent back to wait for approval} resumed {resumed} changed {changed} subscribed {subscribed} other {changed}}, {time})',
      last,
    )
  );
}
