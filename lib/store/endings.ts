// Revokes codes and token families. README.md lists the statements that end tokens elsewhere. A changed revocation
// counter (epoch) already makes the tokens that depend on it invalid, even for a running request (hot/validity.ts).
// The marks of this file store the reason, and exclude the tokens from lists and counts.

import { clientRevocation } from '#lib/catalogue/clients/definition.ts';
import { dropRulesOf } from '#lib/catalogue/groups/rows.ts';
import { snake } from '#lib/kit/wire.ts';
import { equals } from './list.ts';
import { type Db, readRow } from './prisma.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';

const RESTING = {
  consent: "basis in ('consent', 'device')",
  device: "basis = 'device'",
  machine: "basis = 'assertion'",
  delegation: "basis = 'delegation'",
  trust: "basis not in ('consent', 'assertion', 'delegation', 'device')",
};

/** Conditions that select tokens by their owner. A missing member does not restrict the selection. */
type TokensOf = {
  personId?: string;
  clientId?: string;
  apiId?: string;
  authMethodId?: string;
  /**
   * `consent`, `device`, `machine` and `delegation` select the tokens with this basis. `trust` selects tokens with any
   * other basis.
   */
  basis?: keyof typeof RESTING;
};

/** Ends codes first: a code redeemed concurrently either creates a family that the next statement finds, or fails. */
export async function endTokens(db: Db, { basis, ...of }: TokensOf, reason: string): Promise<void> {
  const named = Object.entries(of).map(([name, id]) => equals(snake(name), id));
  if (named.every((part) => part === null)) throw new Error('endTokens was not told whose');
  const where = joinSql([...named, basis ? raw(RESTING[basis]) : null, raw('revoked_at is null')], ' and ');
  await db.$executeRaw(sql`update codes set revoked_at = now() where ${where}`);
  // rows are locked in the order of revocations (hot/access-tokens.ts), so no deadlock occurs
  await db.$executeRaw(sql`update token_families set revoked_at = now(), revoked_reason = ${reason}
    where id in (select id from token_families where ${where} order by id for no key update)`);
  // imported tokens have no basis, but redeeming one creates a token family based on consent or trust
  if (basis === undefined || basis === 'consent' || basis === 'trust')
    await db.$executeRaw(sql`update former_tokens set used_at = now() where ${formerOf(of)}`);
}

/**
 * SQL condition that selects imported tokens, and locks their rows in a fixed order, so that concurrent calls cannot
 * deadlock.
 */
function formerOf(of: Omit<TokensOf, 'basis'>): Sql {
  const named = Object.entries(of).map(([name, id]) => equals(snake(name), id));
  return sql`token_hash in (select token_hash from former_tokens
    where ${joinSql([...named, raw('person_id is not null')], ' and ')} order by token_hash for update)`;
}

/** Deletes imported refresh tokens, so a later object with this id inherits none. */
export async function dropFormerTokens(db: Db, of: Omit<TokensOf, 'basis'>): Promise<void> {
  await db.$executeRaw(sql`delete from former_tokens where ${formerOf(of)}`);
}

/**
 * Revokes the tokens of a client or API after a change of subject identifiers, because a token family never changes
 * its `sub` (OpenID Connect Core §12.2). The new revocation counter (epoch) also makes running requests fail.
 */
export async function endTokensOfSubjects(
  db: Db,
  of: { clientId: string } | { apiId: string },
): Promise<void> {
  const [table, whose] =
    'clientId' in of
      ? [raw('clients'), sql`client_id = ${of.clientId}`]
      : [raw('combinations'), sql`api_id = ${of.apiId}`];
  await db.$executeRaw(sql`update ${table} set epoch = next_epoch() where ${whose}`);
  await endTokens(db, of, 'subject identifiers changed');
  // a pending logout notice would contain an unknown `sub` or the `sub` of a different sector
  await db.logoutDelivery.deleteMany({ where: of });
}

export type ClientRevocation = Awaited<ReturnType<typeof countAllOfClient>>;

/** Counts what `endAllOfClient` would end now. */
export async function countAllOfClient(db: Db, clientId: string) {
  const row = await readRow(db, clientRevocation.shape)`
    with families as (
      select person_id from token_families where client_id = ${clientId} and revoked_at is null and expires_at > now()
    ), consented as (
      select person_id from consents where client_id = ${clientId}
    ), delegated as (
      select person_id from delegations
        where client_id = ${clientId} and delegation_end(client_id, api_id, given_at, until) > now()
    ) select (select count(*) from consented)::int as consents, (select count(*) from delegated)::int as delegations,
      ((select count(*) from families)
        + (select count(*) from machine_tokens where client_id = ${clientId} and expires_at > now()))::int as tokens,
      (select count(*) from (select person_id from families union select person_id from consented
        union select person_id from delegated) as whose)::int as people`;
  if (!row) throw new Error('a count gave no row');
  return row;
}

/**
 * Revokes every grant by users and approvers, also for running requests. The client stays registered, subscribed and
 * enabled, and later grants are valid. Consents are deleted first, as in a withdrawal of consent, which prevents
 * deadlocks.
 */
export async function endAllOfClient(db: Db, clientId: string): Promise<ClientRevocation> {
  await db.$executeRaw(sql`update clients set epoch = next_epoch() where client_id = ${clientId}`);
  const revocation = await countAllOfClient(db, clientId);
  for (const [table, key] of [
    ['consents', 'id'],
    ['delegations', 'id'],
    ['machine_tokens', 'token_hash'],
  ] as const)
    await db.$executeRaw(sql`delete from ${raw(table)} where ${raw(key)} in (
      select ${raw(key)} from ${raw(table)} where client_id = ${clientId} order by ${raw(key)} for update)`);
  await endTokens(db, { clientId }, 'all of the client revoked');
  return revocation;
}

/**
 * Signs the user out everywhere, except for the session `kept`, and ends their tokens (cases SF-06, RT-15).
 * Returns the user's new revocation counter (epoch).
 */
export async function endSignIns(
  db: Db,
  personId: string,
  reason: string,
  keptIdHash: Uint8Array | null = null,
): Promise<string> {
  const person = await readRow(db, { epoch: 'text' })`
    update people set epoch = next_epoch() where id = ${personId} returning epoch::text`;
  await db.$executeRaw(sql`update sessions set ended_at = now() where person_id = ${personId} and ended_at is null
      and id_hash is distinct from ${keptIdHash}::bytea`);
  if (keptIdHash)
    await db.$executeRaw(sql`update sessions set person_epoch = ${person?.epoch ?? '0'}
    where id_hash = ${keptIdHash} and person_id = ${personId} and ended_at is null`);
  // clients of expired sessions are notified, too, because their tokens also end now
  await db.$executeRaw(sql`select tell_clients(${personId}, null)`);
  await endTokens(db, { personId }, reason);
  return person?.epoch ?? '0';
}

// Removes an object with its dependents, so that a later object with the same id inherits nothing.

export async function removeFromRegistry(
  db: Db,
  table: 'clients' | 'apis' | 'auth_methods',
  id: string,
): Promise<void> {
  const of = { clients: { clientId: id }, apis: { apiId: id }, auth_methods: { authMethodId: id } };
  if (table === 'clients') {
    await db.consent.deleteMany({ where: { clientId: id } });
    await db.client.deleteMany({ where: { clientId: id } });
  } else if (table === 'apis') {
    await db.consent.deleteMany({ where: { apiId: id } });
    await db.api.deleteMany({ where: { id } });
  } else {
    await dropRulesOf(db, id);
    await db.externalIdentity.deleteMany({ where: { authMethodId: id } });
    await db.session.deleteMany({ where: { authMethodId: id } });
    await db.authMethod.deleteMany({ where: { id } });
    await db.recheck.deleteMany({ where: { authMethodId: id } });
    await db.$executeRaw(
      sql`update apis set issuer_hosts = nullif(issuer_hosts - ${id}, '{}') where issuer_hosts ? ${id}`,
    );
    await db.$executeRaw(
      sql`update apis set former_issuers = (select jsonb_agg(one order by n)
          from jsonb_array_elements(former_issuers) with ordinality as former (one, n) where one ->> 'auth_method' <> ${id})
        where former_issuers @> ${JSON.stringify([{ auth_method: id }])}::jsonb`,
    );
  }
  await endTokens(db, of[table], `${table} entry removed`);
  await dropFormerTokens(db, of[table]);
  if (table === 'apis') await db.logoutDelivery.deleteMany({ where: { apiId: id } });
}

// Token counts for confirmation pages.

/** Counts a user's active token families, and the distinct clients of these families. */
export async function countTokensOfPerson(
  db: Db,
  personId: string,
): Promise<{ tokens: number; clients: number }> {
  const row = await readRow(db, { tokens: 'int', clients: 'int' })`
    select count(*)::int as tokens, count(distinct client_id)::int as clients from token_families
    where person_id = ${personId} and revoked_at is null and expires_at > now()`;
  return row ?? { tokens: 0, clients: 0 };
}

/**
 * Counts what currently depends on a client, API, method or combination: active token families with their users, and
 * machine tokens.
 */
export async function countTokens(
  db: Db,
  filter: {
    clientId?: string;
    api?: string;
    authMethodId?: string;
    exceptMethods?: readonly string[];
    /** counts only token families with this basis */
    basis?: 'device';
  },
): Promise<{ tokens: number; people: number }> {
  const whose = joinSql(
    [
      equals('client_id', filter.clientId),
      equals('api_id', filter.api),
      equals('auth_method_id', filter.authMethodId),
      filter.exceptMethods === undefined ? null : sql`auth_method_id <> all(${filter.exceptMethods}::text[])`,
    ],
    ' and ',
    'true',
  );
  const families = filter.basis === undefined ? whose : sql`${whose} and basis = ${filter.basis}`;
  const machines = filter.basis === undefined ? whose : sql`false`;
  const row = await readRow(db, { tokens: 'int', people: 'int' })`
    with of_machines as (
      select count(*)::int as tokens from machine_tokens where expires_at > now() and ${machines}
    ), of_people as (
      select count(*)::int as tokens, count(distinct person_id)::int as people from token_families
      where revoked_at is null and expires_at > now() and ${families}
    ) select f.tokens + m.tokens as tokens, f.people from of_people f, of_machines m`;
  return row ?? { tokens: 0, people: 0 };
}

/** Counts the device requests that wait for a user's decision or for the token request. */
export async function countWaitingDevices(db: Db, api: string): Promise<number> {
  const row = await readRow(db, { count: 'int' })`
    select count(*)::int as count from device_requests
    where api_id = ${api} and expires_at > now() and decision is distinct from 'denied'`;
  return row?.count ?? 0;
}

// After a backup is restored, entries that were used, revoked or signed out later look unused again. These functions
// end everything issued before a certain time, whatever the restored rows contain.

export type Invalidated = { families: number; codes: number; sessions: number };

const BATCH = 5_000;

/**
 * For each table: the assignment that marks a row as ended, and the condition for rows that must end. `$1`: rows that
 * were issued before this time end.
 */
const ENDED = [
  ['sessions', 'id_hash', 'ended_at = now()', 'auth_time < $1 and ended_at is null'],
  ['codes', 'code_hash', 'revoked_at = now()', 'issued_at < $1 and used_at is null and revoked_at is null'],
  [
    'families',
    'id',
    "revoked_at = now(), revoked_reason = 'everything issued before a moment was invalidated'",
    // newer token families may descend from an older code or sign-in
    `revoked_at is null and (created_at < $1 or exists (select 1 from codes c left join sessions x on x.id_hash = c.session_hash
      where c.family_id = token_families.id and (c.issued_at < $1 or x.auth_time < $1)))`,
  ],
] as const;

/**
 * SQL that increases the registry's version and deletes its log. Processes may know a newer version than the restored
 * database. Skipping numbers prevents equal versions with different content, and the deleted log forces a full reload.
 */
const NEW_VERSION = sql`with newer as (update directory_version set version = version + 1000000 where id = 1),
  forgotten as (delete from directory_changes)
  select pg_notify('gatehouse_directory', '')`;

/** Deletes machine tokens without counting them, because machine clients simply request new tokens. */
const endMachinesBefore = (db: Db, before: Date) =>
  db.machineToken.deleteMany({ where: { issuedAt: { lt: before } } });

/**
 * Ends most rows, in small steps that block no request. `invalidateBefore` ends the rows that are added
 * meanwhile.
 */
export async function invalidateMost(db: Db, before: Date): Promise<Invalidated> {
  await db.$executeRaw(NEW_VERSION);
  await endMachinesBefore(db, before);
  return endEach(db, before, `limit ${BATCH}`);
}

/**
 * Ends the remaining rows. It waits for running statements and blocks new ones until the transaction ends, so that new
 * statements see the result.
 */
export async function invalidateBefore(db: Db, before: Date): Promise<Invalidated> {
  await db.$executeRaw(
    sql`lock table sessions, codes, token_families, machine_tokens in share row exclusive mode`,
  );
  await endMachinesBefore(db, before);
  await db.brokerState.deleteMany({ where: { createdAt: { lt: before } } });
  await db.mailToken.deleteMany({ where: { createdAt: { lt: before } } });
  return endEach(db, before, '');
}

async function endEach(db: Db, before: Date, limit: string): Promise<Invalidated> {
  const ended: Invalidated = { families: 0, codes: 0, sessions: 0 };
  for (const [what, key, mark, where] of ENDED) {
    const table = what === 'families' ? 'token_families' : what;
    const text = `update ${table} set ${mark} where ${key} in (select ${key} from ${table} where ${where} ${limit})`;
    let count: number;
    do {
      count = await db.$executeRaw({ text, values: [before] });
      ended[what] += count;
    } while (limit !== '' && count === BATCH);
  }
  return ended;
}
