// The requests of a page of the inbox, how many there are, and the people who wait for an account.

import { Name } from '#app/_components/name.tsx';
import type { Page } from '#lib/management/core/page.ts';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import type { WaitingPersonRow } from '#lib/registry/objects/invitation.ts';
import { isPowerful, POWERS } from '#lib/registry/objects/subscription-states.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Form } from '../_ui/form.tsx';
import { Pager, pagesOf } from '../_ui/list.tsx';
import { Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { askedSince, INBOX } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';
import { withQuery } from '../_ui/with-query.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { requesterIn } from './history.tsx';
import { inboxAt, type Place, requestPath } from './place.ts';
import { nameOfRequest, selectedValue } from './selected.ts';
import { hostOf } from './unregistered-client.tsx';
import { PersonRequest } from './waiting-people.tsx';

type InboxListProps = {
  page: Page<SubscriptionView>;
  people: Page<WaitingPersonRow>;
  /** the ones that are shown beside the list */
  request: SubscriptionView | undefined;
  who: WaitingPersonRow | undefined;
  place: Place;
  /** of the form that decides on many */
  start: FormStart;
  /** all are selected */
  isAll: boolean;
};

const MANY_FORM = 'decide-many';

export function InboxList({ page, people, request, who, place, start, isAll }: InboxListProps) {
  const { rows } = page;
  return (
    <div className="inbox-list">
      <p className="soft inbox-total">{totalOf(page, 'request')}</p>
      {rows.length > 1 && (
        <Form {...start} id={MANY_FORM} className="inbox-many" label={say('Many at once')} fields={place}>
          <a href={isAll ? inboxAt(place) : withQuery(inboxAt(place), { select: 'all' })}>
            {isAll ? say('Select none') : say('Select all')}
          </a>
          <Submit tone="plain" name="action" value="approve">
            {say('Approve selected…')}
          </Submit>
          <Submit tone="plain" name="action" value="reject">
            {say('Reject selected…')}
          </Submit>
        </Form>
      )}
      {rows.length > 0 && (
        <ul className="list" aria-label={say('Requests')}>
          {rows.map((row) => (
            <Request
              key={`${row.clientId} ${row.api}`}
              row={row}
              here={row.clientId === request?.clientId && row.api === request.api}
              place={place}
              isSelected={rows.length > 1 ? isAll : null}
            />
          ))}
        </ul>
      )}
      <Pager path={INBOX} query={place} next={page.next} previous={page.previous ?? null} />
      {people.rows.length > 0 && (
        <>
          <p className="soft inbox-total">{totalOf(people, 'account')}</p>
          <ul className="list" aria-label={say('People')}>
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

const WAIT = toSay({
  request: '{count, plural, =0 {No requests wait} one {# request waits} other {# requests wait}}',
  account: '{count, plural, =0 {No accounts wait} one {# account waits} other {# accounts wait}}',
});
const MORE_WAIT = toSay({
  request: 'More than {count, number} requests wait',
  account: 'More than {count, number} accounts wait',
});

function totalOf<Row>({ rows, total }: Page<Row>, what: 'request' | 'account'): string {
  const count = total ?? rows.length;
  if (count > MOST_COUNTED) return say(MORE_WAIT[what], { count: MOST_COUNTED });
  return say(WAIT[what], { count });
}

type RequestProps = {
  row: SubscriptionView;
  here: boolean;
  place: Place;
  /** null: it cannot be selected */
  isSelected: boolean | null;
};

function Request({ row, here, place, isSelected }: RequestProps) {
  return (
    <li className="row linked">
      {isSelected !== null && (
        <input
          type="checkbox"
          name="item"
          form={MANY_FORM}
          value={selectedValue(row)}
          defaultChecked={isSelected}
          aria-label={say('Select {name}', { name: nameOfRequest(row) })}
        />
      )}
      <div className="row-text">
        <p className="row-title">
          <a href={requestPath(row, place)} aria-current={here ? 'true' : undefined}>
            <Name>{row.clientName}</Name>
          </a>
          {row.sinceApproval && <Pill tone="waiting">{say('changed')}</Pill>}
          {isPowerful(row)
            ? POWERS.filter((power) => row[power]).map((power) => (
                <Pill key={power} tone="waiting">
                  {say(power)}
                </Pill>
              ))
            : !row.sinceApproval && <Pill tone="neutral">{say('plain')}</Pill>}
        </p>
        <p className="soft">
          {hostOf(row) !== null && `${hostOf(row)} · `}
          {row.apiName} · <bdi>{requesterIn(row)}</bdi> · <When at={askedSince(row)} />
        </p>
      </div>
    </li>
  );
}
