// The requests of a page of the inbox, how many there are, and the people who wait for an account.
import { Name } from '#app/_components/name.tsx';
import { MOST_COUNTED, type Page, type SubscriptionView } from '#lib/management/index.ts';
import { isPowerful, POWERS, type WaitingPersonRow } from '#lib/registry/index.ts';
import { Pager, pagesOf } from '../_ui/list.tsx';
import { Pill } from '../_ui/pieces.tsx';
import { askedSince, INBOX } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';
import { type Place, requestPath } from './place.ts';
import { hostOf } from './unregistered-client.tsx';
import { PersonRequest } from './waiting-people.tsx';

type InboxListProps = {
  page: Page<SubscriptionView>;
  people: Page<WaitingPersonRow>;
  /** the ones that are shown beside the list */
  request: SubscriptionView | undefined;
  who: WaitingPersonRow | undefined;
  place: Place;
};

export function InboxList({ page, people, request, who, place }: InboxListProps) {
  const { rows } = page;
  return (
    <div className="inbox-list">
      <p className="soft inbox-total">{totalOf(page, 'request')}</p>
      {rows.length > 0 && (
        <ul className="list" aria-label="Requests">
          {rows.map((row) => (
            <Request
              key={`${row.clientId} ${row.api}`}
              row={row}
              here={row.clientId === request?.clientId && row.api === request.api}
              place={place}
            />
          ))}
        </ul>
      )}
      <Pager path={INBOX} query={place} next={page.next} previous={page.previous ?? null} />
      {people.rows.length > 0 && (
        <>
          <p className="soft inbox-total">{totalOf(people, 'account')}</p>
          <ul className="list" aria-label="People">
            {people.rows.map((row) => (
              <PersonRequest key={row.id} row={row} here={row.id === who?.id} place={place} />
            ))}
          </ul>
        </>
      )}
      <Pager path={INBOX} query={place} cursorName="people" {...pagesOf({ ...people, total: null })} />
    </div>
  );
}

function totalOf<Row>({ rows, total }: Page<Row>, what: 'request' | 'account'): string {
  const count = total ?? rows.length;
  const waits = count === 1 ? 'waits' : 'wait';
  if (count > MOST_COUNTED) return `More than ${MOST_COUNTED} ${what}s wait`;
  return `${count === 0 ? 'No' : count} ${what}${count === 1 ? '' : 's'} ${waits}`;
}

function Request({ row, here, place }: { row: SubscriptionView; here: boolean; place: Place }) {
  return (
    <li className="row linked">
      <div className="row-text">
        <p className="row-title">
          <a href={requestPath(row, place)} aria-current={here ? 'true' : undefined}>
            <Name>{row.clientName}</Name>
          </a>
          {row.sinceApproval && <Pill tone="waiting">changed</Pill>}
          {isPowerful(row)
            ? POWERS.filter((power) => row[power]).map((power) => (
                <Pill key={power} tone="waiting">
                  {power}
                </Pill>
              ))
            : !row.sinceApproval && <Pill tone="neutral">plain</Pill>}
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
