// Translates the filters in the address to those of the operation.
import { type Actor, type AuditFilter, findPerson } from '#lib/management/index.ts';

const FILTERS = ['event', 'actor', 'person', 'client', 'api', 'request', 'since', 'until'] as const;
export type Given = Record<(typeof FILTERS)[number], string>;
export type Understood = { filter: AuditFilter; faults: string[] };

/** Actors that are not people. */
const NO_PEOPLE = new Set(['operator', 'config', 'system']);
const NOBODY = '00000000-0000-0000-0000-000000000000';

export function givenOf(query: Record<string, string>): Given {
  return Object.fromEntries(FILTERS.map((name) => [name, (query[name] ?? '').trim()])) as Given;
}

export async function understand(actor: Actor, given: Given): Promise<Understood> {
  const faults: string[] = [];
  const moment = (text: string) => {
    if (text === '') return undefined;
    const at = new Date(/[Zz]|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
    if (!Number.isNaN(at.getTime())) return at;
    faults.push(`${text} is not a time.`);
    return undefined;
  };
  /** an e-mail address stands for its person's id */
  const somebody = async (text: string) => {
    if (text === '' || !text.includes('@')) return text || undefined;
    const person = await findPerson(actor, { email: text });
    if (person) return person.id;
    faults.push(`Nobody has the address ${text}.`);
    return NOBODY;
  };
  const filter: AuditFilter = {
    event: given.event || undefined,
    actor:
      NO_PEOPLE.has(given.actor) || given.actor.startsWith('client:')
        ? given.actor
        : await somebody(given.actor),
    personId: await somebody(given.person),
    clientId: given.client || undefined,
    apiId: given.api || undefined,
    requestId: given.request || undefined,
    since: moment(given.since),
    until: moment(given.until),
  };
  return { filter, faults };
}
