// The management API as the verbs use it: its routes in this process, as the operator of the host, or over HTTP at a
// service elsewhere, where the token's person acts. Either way the same JSON.
import { type Actor, findPerson, OPERATOR, Refused } from '#lib/management/index.ts';
import { callRoute } from '#lib/management-api/index.ts';
import { type Remote, send } from './remote.ts';
import { WrongUsage } from './typed.ts';

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Service = {
  /** `path` under /api/v1. Refused with one readable line. */
  call(method: Method, path: string, body?: object): Promise<Json>;
  /** Every row of a list, page by page. */
  list(path: string): Promise<Json[]>;
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
    async list(path) {
      const rows: Json[] = [];
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
        const page: Json = await service.call('GET', `${path}?${query}`);
        rows.push(...(page['rows'] as Json[]));
        cursor = page['next'] as string | null;
      } while (cursor !== null);
      return rows;
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
