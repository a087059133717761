// What the next page of the console shows after a form, under the hash of the id in its address. Callers hash the id and
// seal the value.
import { statement } from '../statement.ts';

/** Rows of a person at most; the oldest is deleted for a new one. */
export const MOST_PAGE_STATES = 64;

const pageStateStore = statement({
  name: 'page-state-store',
  takes: {
    idHash: 'bytea',
    kind: 'text',
    sessionHash: 'bytea',
    outlivesSession: 'boolean',
    sealedValue: 'text',
    seconds: 'float8',
  },
  text: (value) => `with holder as (
  select person_id from sessions where id_hash = ${value.sessionHash}
), spare as (
  delete from page_states where id_hash in (
    select p.id_hash from page_states p join holder h on h.person_id = p.person_id
    order by p.stored_at desc, p.id_hash offset ${MOST_PAGE_STATES - 1} for update of p skip locked
  )
)
insert into page_states (id_hash, kind, person_id, session_hash, sealed_value, expires_at)
select ${value.idHash}, ${value.kind}, person_id,
  case when ${value.outlivesSession} then null else ${value.sessionHash} end,
  ${value.sealedValue}, now() + make_interval(secs => ${value.seconds})
from holder returning 1`,
});

export type NewPageState = Parameters<typeof pageStateStore>[0];

/** False: there is no such session. */
export async function storePageState(state: NewPageState): Promise<boolean> {
  return (await pageStateStore(state)).length === 1;
}

type Asked = { idHash: Uint8Array; kind: string; personId: string; sessionHash: Uint8Array };
export type PageState = { sealedValue: string; secondsAgo: number };

const takes = { idHash: 'bytea', kind: 'text', personId: 'uuid', sessionHash: 'bytea' } as const;
type Placed = Record<keyof typeof takes, string>;
const isOf = (value: Placed) => `id_hash = ${value.idHash} and kind = ${value.kind} and expires_at > now()
  and person_id = ${value.personId} and (session_hash is null or session_hash = ${value.sessionHash})`;
const SHOWN = `sealed_value as "sealedValue", extract(epoch from now() - stored_at)::float8 as "secondsAgo"`;

const pageStateFind = statement({
  name: 'page-state-find',
  takes,
  text: (value) => `select ${SHOWN} from page_states where ${isOf(value)}`,
});

/** Null: unknown, expired, or of another session. */
export async function findPageState(asked: Asked): Promise<PageState | null> {
  const [row] = await pageStateFind<PageState>(asked);
  return row ?? null;
}

const pageStateTake = statement({
  name: 'page-state-take',
  takes,
  text: (value) => `delete from page_states where ${isOf(value)} returning ${SHOWN}`,
});

/** The same, once. */
export async function takePageState(asked: Asked): Promise<PageState | null> {
  const [row] = await pageStateTake<PageState>(asked);
  return row ?? null;
}
