// Filters of the audit log: a GET form, so that the address contains them, and the input for the operation.
import { faultSentence } from '#app/(console)/_kit/in-words.ts';
import { LiveForm } from '#app/(console)/_kit/live-form.tsx';
import { noCredential } from '#app/(console)/_kit/pieces.tsx';
import { currentWords, say } from '#app/(console)/_texts/say.tsx';
import { pagePeople } from '#lib/catalogue/people/operations.ts';
import type { AuditAsked } from '#lib/management/audit.ts';
import type { Actor } from '#lib/management/policy.ts';
import { EVENT_FAMILIES, EVENT_NAMES, EVENTS, eventsMeant, unknownEvent } from '#lib/registry/audit-event.ts';

const FILTERS = ['event', 'actor', 'person', 'client', 'api', 'request', 'since', 'until'] as const;
export type Given = Record<(typeof FILTERS)[number], string>;
export type Understood = { filter: AuditAsked; faults: string[] };

/** Actors that are no users: the operator, the configuration file and the service itself. */
const NO_PEOPLE = new Set(['operator', 'config', 'system']);

export function givenOf(query: Record<string, string>): Given {
  return Object.fromEntries(FILTERS.map((name) => [name, (query[name] ?? '').trim()])) as Given;
}

export async function understand(actor: Actor, filterValues: Given): Promise<Understood> {
  const faults: string[] = [];
  const moment = (text: string) => {
    if (text === '') return undefined;
    const at = new Date(/[Zz]|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
    if (!Number.isNaN(at.getTime())) return at;
    faults.push(say('{text} is not a valid time.', { text }));
    return undefined;
  };
  /** the text can be an id, or part of a name or address, like the search in the list of users */
  const somebody = async (text: string) => {
    const isKnown = UUID.test(text) || (await pagePeople(actor, { search: text, limit: 1 })).rows.length > 0;
    if (!isKnown)
      faults.push(
        text.includes('@')
          ? say('No one has the address {address}.', { address: text })
          : say('No one is named {name}.', { name: text }),
      );
  };
  const noPerson = NO_PEOPLE.has(filterValues.actor) || filterValues.actor.startsWith('client:');
  if (filterValues.actor !== '' && !noPerson) await somebody(filterValues.actor);
  if (filterValues.person !== '') await somebody(filterValues.person);
  const events = filterValues.event === '' ? undefined : eventsMeant(filterValues.event);
  if (events?.length === 0) {
    const { message, params } = unknownEvent(filterValues.event);
    faults.push(faultSentence(currentWords(), params) ?? message);
  }
  const like = {
    ...(!noPerson && part('actor', filterValues.actor)),
    ...part('person', filterValues.person),
    ...part('client', filterValues.client),
    ...part('api', filterValues.api),
  };
  const filter: AuditAsked = {
    events,
    like,
    actor: noPerson ? filterValues.actor : undefined,
    requestId: filterValues.request || undefined,
    since: moment(filterValues.since),
    until: moment(filterValues.until),
  };
  return { filter, faults };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const part = (name: 'actor' | 'person' | 'client' | 'api', text: string) =>
  // texts in the database contain no NUL
  text === '' ? {} : { [name]: text.replaceAll('\u0000', '\ufffd') };

// Filters of the audit log: a GET form, so that the address contains them.

type Props = { action: string; given: Given; order: string };

/** Options of the event filter: groups of events, then single events, with explanations. */
const eventChoices = () =>
  EVENT_FAMILIES.flatMap((family) => [
    [family, say('All events with this prefix')] as const,
    ...EVENT_NAMES.filter((name) => name.startsWith(family)).map(
      (name) => [name, say(EVENTS[name].meaning)] as const,
    ),
  ]);

export function FilterForm({ action, given, order }: Props) {
  const field = (name: keyof Given, label: string, placeholder: string) => (
    <label className="entry">
      <span>{label}</span>
      <input
        name={name}
        defaultValue={given[name]}
        placeholder={placeholder}
        maxLength={200}
        {...noCredential()}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        list={name === 'event' ? 'audit-events' : undefined}
      />
    </label>
  );
  const time = (name: 'since' | 'until', label: string) => (
    <label className="entry">
      <span>{label}</span>
      <input type="datetime-local" name={name} step={1} defaultValue={given[name].replace(/Z$/, '')} />
    </label>
  );
  return (
    <search>
      <LiveForm action={action} className="filters">
        {field('event', say('Event'), say('sign_in or refused'))}
        {field('actor', say('Actor'), say('name, email or operator'))}
        {field('person', say('Affected person'), say('name, email or id'))}
        {field('client', say('Client'), say('name or client id'))}
        {field('api', say('API'), say('name or id'))}
        {field('request', say('Request id'), say('from an error page'))}
        {time('since', say('Since (UTC)'))}
        {time('until', say('Until (UTC)'))}
        {order !== '' && <input type="hidden" name="order" value={order} />}
        <datalist id="audit-events">
          {eventChoices().map(([event, meaning]) => (
            <option key={event} value={event} label={meaning} />
          ))}
        </datalist>
        <div className="form-actions">
          <button type="submit" className="button plain small">
            {say('Filter')}
          </button>
          <a className="button quiet small" href={action}>
            {say('Everything')}
          </a>
        </div>
      </LiveForm>
    </search>
  );
}
