// Translates the filters in the address to those of the operation.
import { say } from '#app/(console)/_texts/say.tsx';
import { eventsMeant, unknownEvent } from '#lib/audit/names.ts';
import type { AuditAsked } from '#lib/management/audit/audit.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { pagePeople } from '#lib/management/people/people-view.ts';

const FILTERS = ['event', 'actor', 'person', 'client', 'api', 'request', 'since', 'until'] as const;
export type Given = Record<(typeof FILTERS)[number], string>;
export type Understood = { filter: AuditAsked; faults: string[] };

/** Actors that are not people. */
const NO_PEOPLE = new Set(['operator', 'config', 'system']);

export function givenOf(query: Record<string, string>): Given {
  return Object.fromEntries(FILTERS.map((name) => [name, (query[name] ?? '').trim()])) as Given;
}

export async function understand(actor: Actor, given: Given): Promise<Understood> {
  const faults: string[] = [];
  const moment = (text: string) => {
    if (text === '') return undefined;
    const at = new Date(/[Zz]|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
    if (!Number.isNaN(at.getTime())) return at;
    faults.push(say('{text} is not a time.', { text }));
    return undefined;
  };
  /** a part of a name or an address, as in the list of people, or an id */
  const somebody = async (text: string) => {
    const known = UUID.test(text) || (await pagePeople(actor, { search: text, limit: 1 })).rows.length > 0;
    if (!known)
      faults.push(
        text.includes('@')
          ? say('Nobody has the address {address}.', { address: text })
          : say('Nobody is called {name}.', { name: text }),
      );
  };
  const noPerson = NO_PEOPLE.has(given.actor) || given.actor.startsWith('client:');
  if (given.actor !== '' && !noPerson) await somebody(given.actor);
  if (given.person !== '') await somebody(given.person);
  const events = given.event === '' ? undefined : eventsMeant(given.event);
  if (events?.length === 0) faults.push(unknownEvent(given.event));
  const like = {
    ...(!noPerson && part('actor', given.actor)),
    ...part('person', given.person),
    ...part('client', given.client),
    ...part('api', given.api),
  };
  const filter: AuditAsked = {
    events,
    like,
    actor: noPerson ? given.actor : undefined,
    requestId: given.request || undefined,
    since: moment(given.since),
    until: moment(given.until),
  };
  return { filter, faults };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const part = (name: 'actor' | 'person' | 'client' | 'api', text: string) =>
  // no text of the database has a NUL
  text === '' ? {} : { [name]: text.replaceAll('\u0000', '\ufffd') };
