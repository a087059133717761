// Ends codes and token families; README.md lists the causes that have statements elsewhere. The epochs of what they
// rest on (validity.ts) refuse them, also those in flight; marking them here says why, and lets lists and counts leave
// them out.
import { snake } from '#lib/kit/wire.ts';
import { equals } from '../database/list.ts';
import { type Db, first } from '../database/prisma.ts';
import { joined, raw, type Sql, sql } from '../database/sql.ts';

const RESTING = {
  consent: "basis in ('consent', 'device')",
  device: "basis = 'device'",
  machine: "basis = 'assertion'",
  delegation: "basis = 'delegation'",
  trust: "basis not in ('consent', 'assertion', 'delegation', 'device')",
};

/** Whose; parts that are left out are not asked about. */
export type TokensOf = {
  personId?: string;
  clientId?: string;
  apiId?: string;
  authMethodId?: string;
  /** consent, device, machine, delegation: what rests on one; trust: what rests on anything else */
  basis?: keyof typeof RESTING;
};

/** Codes first: a code that is redeemed meanwhile either gives a family that is found next, or nothing. */
export async function endTokens(db: Db, { basis, ...of }: TokensOf, reason: string): Promise<void> {
  const named = Object.entries(of).map(([name, id]) => equals(snake(name), id));
  if (named.every((part) => part === null)) throw new Error('endTokens was not told whose');
  const where = joined([...named, basis ? raw(RESTING[basis]) : null, raw('revoked_at is null')], ' and ');
  await db.$executeRaw(sql`update codes set revoked_at = now() where ${where}`);
  // in one order, as revocations lock them (revocations.ts): neither waits for the other in a circle
  await db.$executeRaw(sql`update token_families set revoked_at = now(), revoked_reason = ${reason}
    where id in (select id from token_families where ${where} order by id for no key update)`);
  // what an import brought has no basis yet: it would have had one of these
  if (basis === undefined || basis === 'consent' || basis === 'trust')
    await db.$executeRaw(sql`update former_tokens set used_at = now() where ${formerOf(of)}`);
}

/** In one order: two endings wait for each other in no circle. */
function formerOf(of: Omit<TokensOf, 'basis'>): Sql {
  const named = Object.entries(of).map(([name, id]) => equals(snake(name), id));
  return sql`token_hash in (select token_hash from former_tokens
    where ${joined([...named, raw('person_id is not null')], ' and ')} order by token_hash for update)`;
}

/** Refresh tokens of another service: what has the same name later gets none of them. */
export async function dropFormerTokens(db: Db, of: Omit<TokensOf, 'basis'>): Promise<void> {
  await db.$executeRaw(sql`delete from former_tokens where ${formerOf(of)}`);
}

/**
 * Ends what was given to a client, or for an API, while people had other subject identifiers there: a family never
 * changes its `sub` (OpenID Connect Core §12.2). What is in flight dies by the epoch.
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
  // a client that waits to be told of a sign-out would be told by a name that it has not heard, or of another sector
  await db.logoutDelivery.deleteMany({ where: of });
}

export type ClientRevocation = {
  /** living families and machines' tokens */
  tokens: number;
  consents: number;
  delegations: number;
  /** whose families, consents and delegations these are */
  people: number;
};

/** What `endAllOfClient` would end now. */
export async function countAllOfClient(db: Db, clientId: string): Promise<ClientRevocation> {
  const row = await first<ClientRevocation>(
    db.$queryRaw(sql`with families as (
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
        union select person_id from delegated) as whose)::int as people`),
  );
  if (!row) throw new Error('a count gave no row');
  return row;
}

/**
 * Ends all that people and approvals gave a client, in flight too; it stays registered, subscribed and enabled. What it
 * is given from now on lives. The consents first, as a person who withdraws one: neither waits for the other in a
 * circle.
 */
export async function endAllOfClient(db: Db, clientId: string): Promise<ClientRevocation> {
  await db.$executeRaw(sql`update clients set epoch = next_epoch() where client_id = ${clientId}`);
  const ended = await countAllOfClient(db, clientId);
  for (const [table, key] of [
    ['consents', 'id'],
    ['delegations', 'id'],
    ['machine_tokens', 'token_hash'],
  ] as const)
    await db.$executeRaw(sql`delete from ${raw(table)} where ${raw(key)} in (
      select ${raw(key)} from ${raw(table)} where client_id = ${clientId} order by ${raw(key)} for update)`);
  await endTokens(db, { clientId }, 'all of the client revoked');
  return ended;
}

/**
 * Signs the person out everywhere, but for the session `kept`, and ends their tokens (cases SF-06, RT-15). Gives the
 * person's new epoch.
 */
export async function endSignIns(
  db: Db,
  personId: string,
  reason: string,
  kept: Uint8Array | null = null,
): Promise<string> {
  const person = await first<{ epoch: string }>(
    db.$queryRaw(sql`update people set epoch = next_epoch() where id = ${personId} returning epoch::text`),
  );
  await db.$executeRaw(sql`update sessions set ended_at = now() where person_id = ${personId} and ended_at is null
      and id_hash is distinct from ${kept}::bytea`);
  if (kept)
    await db.$executeRaw(sql`update sessions set person_epoch = ${person?.epoch ?? '0'}
    where id_hash = ${kept} and person_id = ${personId} and ended_at is null`);
  // also those whose sessions have expired: what they hold ends now
  await db.$executeRaw(sql`select tell_clients(${personId}, null)`);
  await endTokens(db, { personId }, reason);
  return person?.epoch ?? '0';
}
