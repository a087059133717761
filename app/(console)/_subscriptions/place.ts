// What the inbox shows of all that waits: the pages of its two lists, what is searched for, and the filters. Every link
// and form of it keeps them.
import { toSay } from '../_texts/to-say.ts';
import { INBOX } from '../_ui/subscription-words.ts';
import { withQuery } from '../_ui/with-query.ts';

/** `at`: an API. `people`: the page of the accounts. */
const PLACE = ['cursor', 'people', 'search', 'at', 'kind', 'order'] as const;
export type Place = Record<(typeof PLACE)[number], string>;

export const placeIn = (read: (name: string) => string): Place =>
  Object.fromEntries(PLACE.map((name) => [name, read(name)])) as Place;

/** The same filters, from the first page on. */
export const firstPage = (place: Place): Place => ({ ...place, cursor: '', people: '' });

export const inboxAt = (place: Place): string => withQuery(INBOX, place);

export const requestPath = ({ clientId, api }: { clientId: string; api: string }, place: Place): string =>
  withQuery(INBOX, { ...place, client: clientId, api });

export const waitingPath = (id: string, place: Place): string => withQuery(INBOX, { ...place, person: id });

export const KINDS = toSay({
  '': 'Every kind',
  plain: 'Plain',
  trusted: 'Trusted',
  machine: 'Machine',
  device: 'Device',
  unregistered: 'Unregistered client',
  account: 'Account',
});

export const ORDERS = toSay({ '': 'Oldest first', name: 'By name' });

type Kind = { trusted?: boolean; machine?: boolean; device?: boolean; unregistered?: boolean };

/** Of which requests; null: of none, only of accounts. */
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

/** An account is asked for at no API. */
export const showsAccounts = ({ kind, at }: Place): boolean =>
  at === '' && (kind === '' || kind === 'account');
