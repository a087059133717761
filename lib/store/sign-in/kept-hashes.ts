// Password hashes that are not of today's kind: which kinds there are, and the pepper that some of them rest on.
import { openFromRow, sealForRow } from '../database/sealed.ts';
import { statement } from '../database/statement.ts';

/** SQL of the index people_kept_hash_idx: a hash's name with its cost, without salt and key. */
const KIND = String.raw`substring(password_hash from '^[$](?:(?:wp|bcrypt-[a-z0-9]+)[$])?(?:2[aby][$]\d+|[a-z0-9-]+[$](?:v=\d+[$])?(?:[a-z0-9]+=\d+,?)+)')`;
/** SQL */
export const KEPT = `not starts_with(password_hash, '$argon2id$v=19$m=19456,t=2,p=1$')`;

/** Jumps through the index from kind to kind. */
const keptKinds = statement({
  name: 'kept-hash-kinds',
  takes: {},
  text: () => `with recursive kinds as (
  (select ${KIND} as kind from people where ${KEPT} and ${KIND} is not null order by 1 limit 1)
  union all
  select (select ${KIND} from people where ${KEPT} and ${KIND} > kinds.kind order by 1 limit 1)
  from kinds where kinds.kind is not null)
select kinds.kind, one.id, one.hash from kinds,
  lateral (select id, password_hash as hash from people where ${KEPT} and ${KIND} = kinds.kind limit 1) one`,
});

/** One hash of each kind, with its pepper open. */
export async function keptSamples(): Promise<{ kind: string; hash: string }[]> {
  const rows = await keptKinds<{ kind: string; id: string; hash: string }>({});
  return rows.map(({ kind, id, hash }) => ({ kind, hash: openPepper(id, hash) }));
}

/** What ends a `$bcrypt-pepper$` hash is sealed, so that a copy of the database is not enough to guess. */
const PEPPER = /^([$]bcrypt-pepper[$].*[$])([\w.-]+)$/;

export function sealPepper(personId: string, hash: string): string {
  const [, before, pepper] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + sealForRow('people', personId, pepper ?? '');
}

/** The hash as it is checked; one whose pepper cannot be read verifies nothing. */
export function openPepper(personId: string, hash: string): string {
  const [, before, sealed = ''] = PEPPER.exec(hash) ?? [];
  return before === undefined ? hash : before + (openFromRow('people', personId, sealed) ?? '');
}
