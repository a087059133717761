// The requests that wait for a decision, and one of them beside the list.
import { Name } from '#app/_components/name.tsx';
import {
  pageInbox,
  pageWaitingPeople,
  Refused,
  readSubscription,
  readWaitingPerson,
  type SubscriptionView,
} from '#lib/management/index.ts';
import { isPowerful, POWERS } from '#lib/registry/index.ts';
import { Pager, pagesOf } from '../_ui/list.tsx';
import { Callout, Empty, Pill, StatePill, Title } from '../_ui/pieces.tsx';
import { askedSince, INBOX } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';
import { withQuery } from '../_ui/with-query.ts';
import type { Visit } from '../_visit/visit.tsx';
import { Decide } from './decide.tsx';
import { NotTaken } from './not-taken.tsx';
import { RequestFacts } from './request-facts.tsx';
import { hostOf } from './unregistered-client.tsx';
import { ChosenPerson, PersonRequest, type Place } from './waiting-people.tsx';

export async function Inbox(visited: Visit) {
  const { actor, query } = visited;
  const { cursor = '', people: peopleCursor = '', client, api, person } = query;
  const { rows, ...pages } = await pageInbox(actor, { cursor, counted: true });
  const people = await pageWaitingPeople(actor, { cursor: peopleCursor, counted: true });
  const asked = client !== undefined && api !== undefined ? { clientId: client, api } : null;
  const listed = rows.find((row) => row.clientId === client && row.api === api);
  const askedPerson =
    person === undefined
      ? undefined
      : (people.rows.find(({ id }) => id === person) ??
        (await ifThere(() => readWaitingPerson(actor, { id: person }))));
  const place = { cursor, people: peopleCursor };
  const named = asked !== null || person !== undefined;
  const chosen = listed ?? (asked ? await ifThere(() => readSubscription(actor, asked)) : undefined);
  const first = named ? undefined : rows[0];
  const request = chosen ?? first;
  const who = askedPerson ?? (named || first ? undefined : people.rows[0]);
  return (
    <>
      <Title lead="Requests for the APIs that you look after, and for accounts, the oldest first.">
        Approvals
      </Title>
      {named && !request && !who && <Gone {...visited} />}
      {rows.length === 0 && people.rows.length === 0 && !request && !who ? (
        <Empty heading="Nothing waits for you">
          <p>
            When a developer asks for a trusted subscription, for a machine’s, or for one to an API that wants
            approval, or a person for an account that needs one, it appears here.{' '}
            <a href="/admin/subscriptions">All subscriptions</a>
          </p>
        </Empty>
      ) : (
        <div className={named && (request || who) ? 'inbox chosen' : 'inbox'}>
          <div className="inbox-list">
            {rows.length === 0 && people.rows.length === 0 && <p className="soft">Nothing else waits.</p>}
            {rows.length > 0 && (
              <ul className="list" aria-label="Requests">
                {rows.map((row) => (
                  <Request
                    key={`${row.clientId} ${row.api}`}
                    row={row}
                    here={row === request}
                    place={place}
                  />
                ))}
              </ul>
            )}
            <Pager path={INBOX} query={place} {...pages} />
            {people.rows.length > 0 && (
              <ul className="list" aria-label="People">
                {people.rows.map((row) => (
                  <PersonRequest key={row.id} row={row} here={row === who} place={place} />
                ))}
              </ul>
            )}
            <Pager path={INBOX} query={place} cursorName="people" {...pagesOf(people)} />
          </div>
          {request && <Chosen of={request} place={place} {...visited} />}
          {who && <ChosenPerson of={who} place={place} {...visited} />}
        </div>
      )}
    </>
  );
}

/** Another person decided first, or the request is not there: what the form said, and what was typed into it. */
async function Gone({ form, typed }: Visit) {
  const { message } = await form('person-decide');
  if (message !== null) return <NotTaken message={message} wrote={typed('person-decide').one('reason')} />;
  return (
    <Callout>
      <p>That request is not there any more.</p>
    </Callout>
  );
}

/** A request that a mail links to, and that is not among the first; undefined where this actor may not see it. */
async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

function Request({ row, here, place }: { row: SubscriptionView; here: boolean; place: Place }) {
  return (
    <li className="row linked">
      <div className="row-text">
        <p className="row-title">
          <a
            href={withQuery(INBOX, { ...place, client: row.clientId, api: row.api })}
            aria-current={here ? 'true' : undefined}
          >
            <Name>{row.clientName}</Name>
          </a>
          {row.sinceApproval ? (
            <Pill tone="waiting">changed</Pill>
          ) : isPowerful(row) ? (
            POWERS.filter((power) => row[power]).map((power) => (
              <Pill key={power} tone="waiting">
                {power}
              </Pill>
            ))
          ) : (
            <Pill tone="neutral">plain</Pill>
          )}
        </p>
        <p className="soft">
          {hostOf(row) !== null && `${hostOf(row)} · `}
          {row.apiName} · {row.requestedByEmail ?? row.ownerEmail ?? 'configured'} ·{' '}
          <When at={askedSince(row)} />
        </p>
      </div>
    </li>
  );
}

async function Chosen({ of, place, form, typed }: Visit & { of: SubscriptionView; place: Place }) {
  return (
    <section className="panel" aria-labelledby="chosen">
      <p className="crumb inbox-back">
        <a href={withQuery(INBOX, place)}>All requests</a>
      </p>
      <div className="panel-head">
        <h2 id="chosen">
          <Name>{of.clientName}</Name> → <Name>{of.apiName}</Name>
        </h2>
        <span className="pills">
          <StatePill state={of.state} />
          {of.trusted && <Pill tone="neutral">trusted</Pill>}
          {of.machine && <Pill tone="neutral">machine</Pill>}
        </span>
      </div>
      <RequestFacts of={of} />
      <Decide of={of} start={await form('decide')} typed={typed('decide')} from="inbox" place={place} />
      <p className="soft">
        <a href={`/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`}>
          Its whole history
        </a>
      </p>
    </section>
  );
}
