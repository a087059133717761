// The inbox: pending requests, users who wait for an account, and one item next to the list. A decision on several
// requests requires a page that lists them and highlights those with many permissions.
import { Name } from '#app/_components/pieces.tsx';
import type { WaitingPersonRow } from '#lib/catalogue/people/definition.ts';
import { pageWaitingPeople, readWaitingPerson } from '#lib/catalogue/people/invitations.ts';
import { isPowerful, POWERS } from '#lib/catalogue/subscriptions/definition.ts';
import {
  listWaitingApis,
  pageInbox,
  readSubscription,
  type SubscriptionView,
} from '#lib/catalogue/subscriptions/operations.ts';
import type { Page } from '#lib/management/lists.ts';
import type { Actor } from '#lib/management/policy.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { ASKED_ID } from '../_kit/console-form.ts';
import { TextArea } from '../_kit/fields.tsx';
import { Form, Submit } from '../_kit/form.tsx';
import { Pager, pagesOf, Search } from '../_kit/list.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Callout, Empty, Fact, Facts, Kind, Pill, StatePills, Title, When } from '../_kit/pieces.tsx';
import { askedSince, INBOX } from '../_kit/subscription-words.ts';
import type { Visit } from '../_kit/visit.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { currentWords, Say, say, sayEach } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import {
  type Choice,
  firstPage,
  ifThere,
  inboxAt,
  KINDS,
  kindOf,
  nameOfRequest,
  ORDERS,
  type Place,
  placeIn,
  readSelected,
  requestPath,
  selectedIn,
  selectedValue,
  showsAccounts,
  waitingPath,
} from './inbox-place.ts';
import { Decide, NotTaken, RequestFacts } from './subscription-decision.tsx';
import { AllTexts, hostOf, requesterIn } from './subscription-facts.tsx';

// Users who wait for an account: their rows in the inbox, and the selected user with the decision.

function PersonRequest({ row, here, place }: { row: WaitingPersonRow; here: boolean; place: Place }) {
  return (
    <li className="row linked">
      <div className="row-text">
        <p className="row-title">
          <a href={waitingPath(row.id, place)} aria-current={here ? 'true' : undefined}>
            <Name>{row.name || row.email}</Name>
          </a>
          <Pill tone="waiting">{say('account')}</Pill>
        </p>
        <p className="soft">
          <bdi>{row.email}</bdi> · {row.authMethodName} · <When at={row.createdAt} />
        </p>
      </div>
    </li>
  );
}

const cameFrom = (name: string | null, id: string | null) =>
  name ?? (id === null ? null : say('{id} (no longer exists)', { id }));

/** All facts about a waiting user that an approver needs for the decision. */
export function PersonFacts({ of }: { of: WaitingPersonRow }) {
  const client = cameFrom(of.clientName, of.clientId);
  const api = cameFrom(of.apiName, of.apiId);
  return (
    <Facts>
      <Fact name={say('Address')}>
        <bdi>{of.email}</bdi> <span className="soft">{say('Verified by the person.')}</span>
      </Fact>
      <Fact name={say('Name')}>
        {of.name ? <AllTexts of={of.name} /> : say('Not provided')}{' '}
        <span className="soft">{say('Chosen by the person.')}</span>
      </Fact>
      <Fact name={say('Signs in with')}>
        <Name>{of.authMethodName}</Name>
      </Fact>
      {client !== null && (
        <Fact name={say('Came from')}>
          <Name>{client}</Name>
          {api !== null && (
            <>
              {' '}
              → <Name>{api}</Name>
            </>
          )}
        </Fact>
      )}
      <Fact name={say('Pending since')}>
        <When at={of.createdAt} />
        <span className="soft">
          {' '}
          <Say text="· expires {time} if no one decides" values={{ time: <When at={of.expiresAt} /> }} />
        </span>
      </Fact>
    </Facts>
  );
}

async function ChosenPerson({ of, place, form, typed }: Visit & { of: WaitingPersonRow; place: Place }) {
  const [start, values] = [await form('person-decide'), typed('person-decide')];
  const open = values.one('action');
  const quiet = { ...start, message: null, faults: {} };
  return (
    <section className="panel" aria-labelledby="chosen">
      <p className="crumb inbox-back">
        <a href={inboxAt(place)}>{say('All requests')}</a>
      </p>
      <div className="decide">
        <Form {...quiet} className="decide-yes" fields={{ ...place, id: of.id, action: 'approve' }}>
          <Submit>{say('Approve')}</Submit>
        </Form>
        <Form {...quiet} className="decide-yes" fields={{ ...place, id: of.id, action: 'reject' }}>
          <Submit tone="danger">{say('Reject')}</Submit>
        </Form>
        <details open={open === 'explain'}>
          <summary className="button plain">{say('Reject with a reason…')}</summary>
          <Form
            {...(open === 'explain' ? start : quiet)}
            fields={{ ...place, id: of.id, action: 'explain' }}
            submit={say('Reject with reason')}
            tone="danger"
          >
            <TextArea
              name="reason"
              label={say('Reason for rejection')}
              hint={say(
                'Included in the mail. Without a reason, the mail only says that the request was rejected.',
              )}
              value={open === 'explain' ? values.one('reason') : ''}
              maxLength={2000}
            />
          </Form>
        </details>
      </div>
      {open !== 'explain' && <NotTaken message={start.message} wrote="" />}
      <div className="panel-head">
        <h2 id="chosen">
          <Say text="{who} asks for an account" values={{ who: <Name>{of.name || of.email}</Name> }} />
        </h2>
      </div>
      <PersonFacts of={of} />
    </section>
  );
}

// Page of the inbox: pending requests and their number, and users who wait for an account.

type InboxListProps = {
  page: Page<SubscriptionView>;
  people: Page<WaitingPersonRow>;
  /** item displayed next to the list */
  request: SubscriptionView | undefined;
  who: WaitingPersonRow | undefined;
  place: Place;
  /** form that decides several requests */
  start: FormStart;
  /** true: every request is selected */
  isAll: boolean;
};

const MANY_FORM = 'decide-many';

function InboxList({ page, people, request, who, place, start, isAll }: InboxListProps) {
  const { rows } = page;
  return (
    <div className="inbox-list">
      <p className="soft inbox-total">{totalOf(page, 'request')}</p>
      {rows.length > 1 && (
        <Form {...start} id={MANY_FORM} className="inbox-many" label={say('Bulk actions')} fields={place}>
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
  request: '{count, plural, =0 {No pending requests} one {# pending request} other {# pending requests}}',
  account: '{count, plural, =0 {No pending accounts} one {# pending account} other {# pending accounts}}',
});
const MORE_WAIT = toSay({
  request: 'More than {count, number} pending requests',
  account: 'More than {count, number} pending accounts',
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
  /** null: the request cannot be selected */
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
            : !row.sinceApproval && <Kind>{say('plain')}</Kind>}
        </p>
        <p className="soft">
          {hostOf(row) !== null && `${hostOf(row)} · `}
          {row.apiName} · <bdi>{requesterIn(row)}</bdi> · <When at={askedSince(row)} />
        </p>
      </div>
    </li>
  );
}

// Search and filters of the inbox: API, kind, order.

async function InboxSearch({ actor, place }: { actor: Actor; place: Place }) {
  const waiting = await listWaitingApis(actor);
  const apis = waiting.map(({ id, name }): [string, string] => [id, plainText(name)]);
  // the list of API filters keeps the selected API, even if that API has no pending request
  const { at } = place;
  if (at !== '' && !waiting.some(({ id }) => id === at)) apis.push([at, at]);
  return (
    <Search
      action={INBOX}
      search={place.search}
      placeholder={say('Client, API or person')}
      filters={[
        { name: 'at', label: say('API'), value: place.at, options: [['', say('All APIs')], ...apis] },
        { name: 'kind', label: say('Kind'), value: place.kind, options: sayEach(KINDS) },
        { name: 'order', label: say('Order'), value: place.order, options: sayEach(ORDERS) },
      ]}
    />
  );
}

const MEANS = toSay({
  trusted: 'people are not asked for consent, and the application can ask for passwords itself.',
  machine: 'the application gets tokens in its own name, without a signed-in person.',
  device: 'people let the application act for them by entering a code, and attackers can send them one.',
});
const SOME = toSay({
  trusted: '{count} of these trusted:',
  machine: '{count} of these machine:',
  device: '{count} of these device:',
});
const ASKED = toSay({
  approve: 'Approve {count, plural, one {# request} other {# requests}}?',
  reject: 'Reject {count, plural, one {# request} other {# requests}}?',
});
const DONE = toSay({
  approve: 'Approve {count, plural, one {# request} other {# requests}}',
  reject: 'Reject {count, plural, one {# request} other {# requests}}',
});

async function ConfirmMany({ actor, form, typed, place }: Visit & { place: Place }) {
  const values = typed('decide-many');
  const action: Choice = values.one('action') === 'approve' ? 'approve' : 'reject';
  const { told } = currentWords();
  const read = await readSelected(actor, action, selectedIn(values.list('item')));
  const views = read.flatMap(({ view, why }) => (view && why === null ? [view] : []));
  const left = read.filter(({ why }) => why !== null);
  const count = views.length;
  const powers =
    action === 'approve'
      ? POWERS.filter((power) => views.some((subscriptionView) => subscriptionView[power]))
      : [];
  return (
    <section className="panel confirm-many" id={ASKED_ID} tabIndex={-1} aria-labelledby="confirm-many">
      <div className="panel-head">
        <h2 id="confirm-many">{count > 0 ? say(ASKED[action], { count }) : say('Nothing left to decide')}</h2>
      </div>
      {left.length > 0 && (
        <Callout tone="refused">
          <p>{say('Not included:')}</p>
          <ul>
            {left.map(({ clientId, api, name, why }) => (
              <li key={`${api} ${clientId}`}>
                {name}: {why && told(why)}
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {powers.map((power) => (
        <Callout key={power}>
          <p>
            <strong>{say(SOME[power], { count: views.filter((view) => view[power]).length })}</strong>{' '}
            {say(MEANS[power])}
          </p>
        </Callout>
      ))}
      <ul className="list" aria-label={say('Selected requests')}>
        {views.map((view) => (
          <li key={`${view.api} ${view.clientId}`} className="row">
            <p className="row-title">
              <span>
                <Name>{view.clientName}</Name> → <Name>{view.apiName}</Name>
              </span>
              {POWERS.filter((power) => view[power]).map((power) => (
                <Pill key={power} tone="waiting">
                  {say(power)}
                </Pill>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {views.length > 0 ? (
        <Form
          {...(await form('decide-many'))}
          fields={{ ...place, action, confirmed: views.length }}
          submit={say(DONE[action], { count })}
          tone={action === 'approve' ? 'main' : 'danger'}
          leave={{ href: inboxAt(place), label: say('Not now') }}
        >
          {views.map((view) => (
            <input key={selectedValue(view)} type="hidden" name="item" value={selectedValue(view)} />
          ))}
          {action === 'reject' && (
            <TextArea
              name="reason"
              label={say('Reason for rejection')}
              hint={say('Each requester sees this and can change the request.')}
              value={values.one('reason')}
              maxLength={2000}
            />
          )}
        </Form>
      ) : (
        <p>
          <a href={inboxAt(place)}>{say('All requests')}</a>
        </p>
      )}
    </section>
  );
}

const NONE = { rows: [], next: null, previous: null, total: null };

/** Shows the first page if the requested page has no rows left. */
async function lists(actor: Actor, place: Place) {
  const { search, at, order, cursor } = place;
  const [kind, counted] = [kindOf(place), { search, counted: true, limit: 50 }];
  const filter = {
    ...counted,
    ...kind,
    api: at || undefined,
    order: order === 'name' ? order : undefined,
  };
  const requests = (from: string) => (kind ? pageInbox(actor, { ...filter, cursor: from }) : NONE);
  const accounts = (from: string) =>
    showsAccounts(place) ? pageWaitingPeople(actor, { ...counted, limit: 20, cursor: from }) : NONE;
  const [page, people] = await Promise.all([requests(cursor), accounts(place.people)]);
  return {
    page: cursor && page.rows.length === 0 ? await requests('') : page,
    people: place.people && people.rows.length === 0 ? await accounts('') : people,
  };
}

export async function Inbox(visit: Visit) {
  const { actor, query } = visit;
  const { client, api, person } = query;
  const place = placeIn((name) => query[name] ?? '');
  const many = visit.typed('decide-many');
  if (many.confirming || many.isTicked('confirmed'))
    return (
      <div className="inbox-page">
        <Title back={{ href: inboxAt(place), label: say('All requests') }}>{say('Approvals')}</Title>
        <ConfirmMany {...visit} place={place} />
      </div>
    );
  const { page, people } = await lists(actor, place);
  const { rows } = page;
  const pair = client !== undefined && api !== undefined ? { clientId: client, api } : null;
  const subscriptionView = rows.find((row) => row.clientId === client && row.api === api);
  const askedPerson =
    person === undefined
      ? undefined
      : (people.rows.find(({ id }) => id === person) ??
        (await ifThere(() => readWaitingPerson(actor, { id: person }))));
  const named = pair !== null || person !== undefined;
  const chosen = subscriptionView ?? (pair ? await ifThere(() => readSubscription(actor, pair)) : undefined);
  const first = named ? undefined : rows[0];
  const request = chosen ?? first;
  const who = askedPerson ?? (named || first ? undefined : people.rows[0]);
  const isEmpty = rows.length === 0 && people.rows.length === 0;
  const filters = { ...firstPage(place), order: '' };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <div className="inbox-page">
      <Title lead={say('Requests for the APIs that you are responsible for, and for accounts.')}>
        {say('Approvals')}
      </Title>
      {!(isEmpty && !isFiltered) && <InboxSearch actor={actor} place={place} />}
      <NotTaken message={(await visit.form('undo')).message} wrote="" />
      {named && !request && !who && <Gone {...visit} />}
      {isEmpty && !request && !who ? (
        <NothingWaits isFiltered={isFiltered} />
      ) : (
        <div className={named && (request || who) ? 'inbox chosen' : 'inbox'}>
          <InboxList
            {...{ page, people, request, who, place }}
            start={await visit.form('decide-many')}
            isAll={query['select'] === 'all'}
          />
          {request && <Chosen of={request} place={place} {...visit} />}
          {who && <ChosenPerson of={who} place={place} {...visit} />}
        </div>
      )}
    </div>
  );
}

function NothingWaits({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty heading={say('No matching requests')}>
        <p>
          {say('Search for part of a name, or choose another filter.')}{' '}
          <a href="/admin/approvals">{say('All pending requests')}</a>
        </p>
      </Empty>
    );
  return (
    <Empty heading={say('Nothing is waiting for you')}>
      <p>
        {say(
          'Requests that need approval appear on this page: trusted and machine subscriptions, subscriptions to APIs that require approval, and accounts that require approval.',
        )}{' '}
        <a href="/admin/subscriptions">{say('All subscriptions')}</a>
      </p>
    </Empty>
  );
}

/**
 * Shown if another user decided the request, or if it no longer exists: the message of the form and the typed text.
 */
async function Gone({ form, typed }: Visit) {
  const { message } = await form('person-decide');
  if (message !== null) return <NotTaken message={message} wrote={typed('person-decide').one('reason')} />;
  return (
    <Callout>
      <p>{say('This request no longer exists.')}</p>
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
            <StatePills of={of} />
          </span>
        </div>
        <RequestFacts of={of} />
      </Decide>
      <p className="soft">
        <a href={`/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`}>
          {say('Full history')}
        </a>
      </p>
    </section>
  );
}
