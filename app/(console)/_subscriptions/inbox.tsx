// The requests that wait for a decision, and one of them beside the list.

import { Name } from '#app/_components/name.tsx';
import type { Actor } from '#lib/management/core/policy.ts';
import { pageWaitingPeople, readWaitingPerson } from '#lib/management/people/waiting-people.ts';
import {
  pageInbox,
  readSubscription,
  type SubscriptionView,
} from '#lib/management/subscriptions/subscription-view.ts';
import { say } from '../_texts/say.tsx';
import { Callout, Empty, Pill, StatePill, Title } from '../_ui/pieces.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { ConfirmMany } from './confirm-many.tsx';
import { Decide } from './decide.tsx';
import { InboxList } from './inbox-list.tsx';
import { InboxSearch } from './inbox-search.tsx';
import { NotTaken } from './not-taken.tsx';
import { firstPage, inboxAt, kindOf, type Place, placeIn, showsAccounts } from './place.ts';
import { RequestFacts } from './request-facts.tsx';
import { ifThere } from './selected.ts';
import { ChosenPerson } from './waiting-people.tsx';

const NONE = { rows: [], next: null, previous: null, total: null };

/** A page that lost all its rows meanwhile is the first one again. */
async function lists(actor: Actor, place: Place) {
  const { search, at, order, cursor } = place;
  const [kind, counted] = [kindOf(place), { search, counted: true, limit: 50 }];
  const asked = {
    ...counted,
    ...kind,
    api: at || undefined,
    order: order === 'name' ? order : undefined,
  };
  const requests = (from: string) => (kind ? pageInbox(actor, { ...asked, cursor: from }) : NONE);
  const accounts = (from: string) =>
    showsAccounts(place) ? pageWaitingPeople(actor, { ...counted, limit: 20, cursor: from }) : NONE;
  const [page, people] = await Promise.all([requests(cursor), accounts(place.people)]);
  return {
    page: cursor && page.rows.length === 0 ? await requests('') : page,
    people: place.people && people.rows.length === 0 ? await accounts('') : people,
  };
}

export async function Inbox(visited: Visit) {
  const { actor, query } = visited;
  const { client, api, person } = query;
  const place = placeIn((name) => query[name] ?? '');
  const many = visited.typed('decide-many');
  if (many.confirming || many.checked('confirmed'))
    return (
      <div className="inbox-page">
        <Title back={{ href: inboxAt(place), label: say('All requests') }}>{say('Approvals')}</Title>
        <ConfirmMany {...visited} place={place} />
      </div>
    );
  const { page, people } = await lists(actor, place);
  const { rows } = page;
  const asked = client !== undefined && api !== undefined ? { clientId: client, api } : null;
  const listed = rows.find((row) => row.clientId === client && row.api === api);
  const askedPerson =
    person === undefined
      ? undefined
      : (people.rows.find(({ id }) => id === person) ??
        (await ifThere(() => readWaitingPerson(actor, { id: person }))));
  const named = asked !== null || person !== undefined;
  const chosen = listed ?? (asked ? await ifThere(() => readSubscription(actor, asked)) : undefined);
  const first = named ? undefined : rows[0];
  const request = chosen ?? first;
  const who = askedPerson ?? (named || first ? undefined : people.rows[0]);
  const isEmpty = rows.length === 0 && people.rows.length === 0;
  const filters = { ...firstPage(place), order: '' };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <div className="inbox-page">
      <Title lead={say('Requests for the APIs that you look after, and for accounts.')}>
        {say('Approvals')}
      </Title>
      {!(isEmpty && !isFiltered) && <InboxSearch actor={actor} place={place} />}
      <NotTaken message={(await visited.form('undo')).message} wrote="" />
      {named && !request && !who && <Gone {...visited} />}
      {isEmpty && !request && !who ? (
        <NothingWaits isFiltered={isFiltered} />
      ) : (
        <div className={named && (request || who) ? 'inbox chosen' : 'inbox'}>
          <InboxList
            {...{ page, people, request, who, place }}
            start={await visited.form('decide-many')}
            isAll={query['select'] === 'all'}
          />
          {request && <Chosen of={request} place={place} {...visited} />}
          {who && <ChosenPerson of={who} place={place} {...visited} />}
        </div>
      )}
    </div>
  );
}

function NothingWaits({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty heading={say('No request matches')}>
        <p>
          {say('Search for a part of a name, or choose another filter.')}{' '}
          <a href="/admin/approvals">{say('All that waits')}</a>
        </p>
      </Empty>
    );
  return (
    <Empty heading={say('Nothing waits for you')}>
      <p>
        {say(
          'When a developer asks for a trusted subscription, for a machine’s, or for one to an API that wants approval, or a person for an account that needs one, it appears here.',
        )}{' '}
        <a href="/admin/subscriptions">{say('All subscriptions')}</a>
      </p>
    </Empty>
  );
}

/** Another person decided first, or the request is not there: what the form said, and what was typed into it. */
async function Gone({ form, typed }: Visit) {
  const { message } = await form('person-decide');
  if (message !== null) return <NotTaken message={message} wrote={typed('person-decide').one('reason')} />;
  return (
    <Callout>
      <p>{say('That request is not there any more.')}</p>
    </Callout>
  );
}

async function Chosen({ of, place, form, typed }: Visit & { of: SubscriptionView; place: Place }) {
  return (
    <section className="panel" aria-labelledby="chosen">
      <p className="crumb inbox-back">
        <a href={inboxAt(place)}>{say('All requests')}</a>
      </p>
      <Decide of={of} start={await form('decide')} typed={typed('decide')} from="inbox" place={place}>
        <div className="panel-head">
          <h2 id="chosen">
            <Name>{of.clientName}</Name> → <Name>{of.apiName}</Name>
          </h2>
          <span className="pills">
            <StatePill state={of.state} />
            {of.trusted && <Pill tone="neutral">{say('trusted')}</Pill>}
            {of.machine && <Pill tone="neutral">{say('machine')}</Pill>}
            {of.device && <Pill tone="neutral">{say('device')}</Pill>}
          </span>
        </div>
        <RequestFacts of={of} />
      </Decide>
      <p className="soft">
        <a href={`/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`}>
          {say('Its whole history')}
        </a>
      </p>
    </section>
  );
}
