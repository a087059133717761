// What is searched for in the inbox, and the filters: by API, by kind, and the order.

import type { Actor } from '#lib/management/core/policy.ts';
import { listWaitingApis } from '#lib/management/subscriptions/subscription-view.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { say, sayEach } from '../_texts/say.tsx';
import { Search } from '../_ui/list.tsx';
import { INBOX } from '../_ui/subscription-words.ts';
import { KINDS, ORDERS, type Place } from './place.ts';

export async function InboxSearch({ actor, place }: { actor: Actor; place: Place }) {
  const waiting = await listWaitingApis(actor);
  const apis = waiting.map(({ id, name }): [string, string] => [id, plainText(name)]);
  // one where nothing waits any more stays chosen until another one is
  const { at } = place;
  if (at !== '' && !waiting.some(({ id }) => id === at)) apis.push([at, at]);
  return (
    <Search
      action={INBOX}
      search={place.search}
      placeholder={say('Client, API or person')}
      filters={[
        { name: 'at', label: say('API'), value: place.at, options: [['', say('Every API')], ...apis] },
        { name: 'kind', label: say('Kind'), value: place.kind, options: sayEach(KINDS) },
        { name: 'order', label: say('Order'), value: place.order, options: sayEach(ORDERS) },
      ]}
    />
  );
}
