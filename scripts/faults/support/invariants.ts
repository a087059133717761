// Invariants that must hold under every fault. Each check reads the list of all requests (ledger.ts) and, if
// possible, the database.
import type pg from 'pg';
import type { Entry, Ledger } from './ledger.ts';

const OUR_FAULT = ['temporarily_unavailable', 'server_error'];
const LEAK =
  /gh[crsa]_[\w-]{20}|ghcs_|eyJ[\w-]{20}|gatehouse-sign-in|select\s.+\sfrom|insert into|\bat .+\.(ts|js|mjs):\d|postgres:\/\/|\bpassword_hash\b/i;

export async function brokenInvariants(ledger: Ledger, database: pg.Client): Promise<string[]> {
  const { entries } = ledger;
  return [
    ...singleUse(entries),
    ...(await oneChild(database)),
    ...(await durable(entries, database)),
    ...revokedStaysRevoked(entries),
    ...neverTheClientsFault(entries),
    ...nothingLeaks(entries),
  ];
}

/** Checks that each refresh token has at most one successor, and that each code was redeemed at most once. */
function singleUse(entries: readonly Entry[]): string[] {
  const uses = new Map<string, number>();
  for (const { presented, status, kind } of entries)
    if (presented && status === 200 && (kind === 'refresh' || kind === 'redeem'))
      uses.set(presented, (uses.get(presented) ?? 0) + 1);
  return [...uses]
    .filter(([, count]) => count > 1)
    .map(([token, count]) => `${token.slice(0, 8)} was used ${count} times`);
}

async function oneChild(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query(`
select 'a refresh token has several children' as fault from refresh_tokens where parent_hash is not null
  group by parent_hash having count(*) > 1
union all select 'a family has several unused refresh tokens' from refresh_tokens where used_at is null
  group by family_id having count(*) > 1
union all select 'a refresh token was used and has no child' from refresh_tokens r where used_at is not null
  and not exists (select 1 from refresh_tokens c where c.family_id = r.family_id and c.parent_hash = r.token_hash)
union all select 'a refresh token has no family' from refresh_tokens r
  where not exists (select 1 from token_families f where f.id = r.family_id)`);
  return rows.map((row: { fault: string }) => row.fault);
}

/** Checks that everything that a response with status 200 promised is stored. */
async function durable(entries: readonly Entry[], database: pg.Client): Promise<string[]> {
  const given = entries.flatMap((entry) => (entry.status === 200 && entry.given ? [entry.given] : []));
  const spent = entries.flatMap((entry) =>
    entry.status === 200 && entry.kind === 'refresh' && entry.presented ? [entry.presented] : [],
  );
  const { rows } = await database.query(
    `select 'a refresh token that was given is not there' as fault from unnest($1::text[]) as t(hash)
  where not exists (select 1 from refresh_tokens where token_hash = decode(t.hash, 'hex'))
union all select 'a refresh token that was spent is unused' from unnest($2::text[]) as t(hash)
  where not exists (select 1 from refresh_tokens where token_hash = decode(t.hash, 'hex') and used_at is not null)`,
    [given, spent],
  );
  return rows.map((row: { fault: string }) => row.fault);
}

/** Checks that requests started after a revocation fail. */
function revokedStaysRevoked(entries: readonly Entry[]): string[] {
  const revoked = new Map<string, number>();
  for (const { kind, status, family, ended } of entries)
    if (kind === 'revoke' && status === 200 && family)
      revoked.set(family, Math.min(revoked.get(family) ?? Infinity, ended));
  return entries.flatMap((entry) => {
    const since = entry.family === undefined ? undefined : revoked.get(entry.family);
    if (since === undefined || entry.began <= since) return [];
    const gotIn = (entry.kind === 'refresh' && entry.status === 200) || entry.active === true;
    return gotIn ? [`${entry.kind} got in with a revoked family`] : [];
  });
}

/** Checks that only used or revoked tokens were rejected. A failed request counts as a use of its token. */
function neverTheClientsFault(entries: readonly Entry[]): string[] {
  const excused = new Map<string, number>();
  const ended = new Set(
    entries.flatMap((entry) => (entry.kind === 'revoke' && entry.family ? [entry.family] : [])),
  );
  for (const { presented, status, began } of entries) {
    if (presented && (status === 200 || status === 0 || status >= 500))
      excused.set(presented, Math.min(excused.get(presented) ?? Infinity, began));
  }
  return entries.flatMap((entry) => {
    const { kind, status, error = '', presented, family, expected } = entry;
    if (status === 0 || status === 200 || expected || status === 429) return [];
    if (status >= 500)
      return OUR_FAULT.includes(error) || kind === 'other' || kind === 'authorize'
        ? []
        : [`${status} without its code`];
    if (kind === 'refresh' && error === 'invalid_grant') {
      const excuse = presented === undefined ? undefined : excused.get(presented);
      if ((excuse !== undefined && excuse <= entry.ended) || (family && ended.has(family))) return [];
    }
    return [`${kind} was refused with ${status} ${error}`];
  });
}

function nothingLeaks(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ body, status }) => {
    const found = body === undefined ? null : LEAK.exec(body);
    return found ? [`a ${status} carries ${found[0].slice(0, 20)}`] : [];
  });
}
