// The management API as the verbs use it: its routes in this process, as the operator of the host, or over HTTP at a
// service elsewhere, where the token's person acts. Either way the same JSON.
import { type Actor, OPERATOR } from '#lib/management/core/policy.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { findPerson } from '#lib/management/people/people.ts';
import { callRoute } from '#lib/management-api/management-api.ts';
import { type Remote, send } from './remote.ts';
import { WrongUsage } from './typed.ts';

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type ListAsked = { [Name in 'order' | 'limit' | 'cursor']?: string | undefined };
/** The cursors of the pages beside it. */
export type Listed = { rows: Json[]; next: string | null; previous: string | null };

export type Service = {
  /** `path` under /api/v1. Refused with one readable line. */
  call(method: Method, path: string, body?: object): Promise<Json>;
  /** Every row of a list, page by page; with `limit` or `cursor` only that page. */
  list(path: string, asked?: ListAsked): Promise<Listed>;
  /** The same on behalf of a person (`--by`), which only the host's operator may do. */
  as(email: string | undefined): Promise<Service>;
};

export const hostService = (actor: Actor = OPERATOR): Service =>
  withLists({
    call: (method, path, body) => callRoute(actor, method, path, body),
    as: async (email) => hostService(await actorOf(email)),
  });

export const remoteService = (remote: Remote): Service => {
  const service: Service = withLists({
    call: (method, path, body) => send(remote, method, path, body),
    as: async (email) => {
      if (email !== undefined) throw new WrongUsage('with --server the token’s person acts: leave --by out');
      return service;
    },
  });
  return service;
};

function withLists(service: Omit<Service, 'list'>): Service {
  return {
    ...service,
    async list(path, asked = {}) {
      const page = (query: ListAsked) => {
        const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
        return service.call('GET', `${path}?${new URLSearchParams(given)}`) as Promise<Listed>;
      };
      if (asked.limit !== undefined || asked.cursor !== undefined) return page(asked);
      const rows: Json[] = [];
      for (let cursor: string | undefined, next: string | null = ''; next !== null; ) {
        const read: Listed = await page({ ...asked, limit: '200', cursor });
        rows.push(...read.rows);
        next = read.next;
        cursor = next ?? undefined;
      }
      return { rows, next: null, previous: null };
    },
  };
}

async function actorOf(email: string | undefined): Promise<Actor> {
  if (email === undefined) throw new WrongUsage('--by is missing: it names who asks or decides');
  const person = await findPerson(OPERATOR, { email });
  if (!person?.email) throw new Refused('person.unknown', { person: email });
  if (person.disabled) throw new Refused('person.disabled', { email });
  const { id, roles, locale } = person;
  return { kind: 'person', id, email: person.email, locale, roles, signedInAt: null, request: null };
}
