// What ends codes and token families, in one place. That they are dead is decided by the epochs of what they rest on
// (validity.ts), also for those that were in flight; marking them here says why, and lets lists and counts leave them out.
import { snake } from '#lib/kit/index.ts';
import { equals } from './list.ts';
import { joined, raw, sql } from './sql.ts';
import type { Db } from './transaction.ts';

const RESTING = {
  consent: "basis = 'consent'",
  machine: "basis = 'assertion'",
  delegation: "basis = 'delegation'",
  trust: "basis not in ('consent', 'assertion', 'delegation')",
};

/** Whose; parts that are left out are not asked about. */
export type TokensOf = {
  personId?: string;
  clientId?: string;
  apiId?: string;
  authMethodId?: string;
  /** consent, machine, delegation: what rests on one; trust: what rests on anything else */
  basis?: keyof typeof RESTING;
};

/** Codes first: a code that is redeemed meanwhile either gives a family that is found next, or nothing. */
export async function endTokens(db: Db, { basis, ...of }: TokensOf, reason: string): Promise<void> {
  const named = Object.entries(of).map(([name, id]) => equals(snake(name), id));
  if (named.every((part) => part === null)) throw new Error('endTokens was not told whose');
  const where = joined([...named, basis ? raw(RESTING[basis]) : null, raw('revoked_at is null')], ' and ');
  await db.query(sql`update codes set revoked_at = now() where ${where}`);
  // in one order, as revocations lock them (revocations.ts): neither waits for the other in a circle
  await db.query(sql`update token_families set revoked_at = now(), revoked_reason = ${reason}
    where id in (select id from token_families where ${where} order by id for no key update)`);
}

/**
 * Ends what was given to a client, or for an API, while people had other subject identifiers there: a family never changes
 * its `sub` (OpenID Connect Core §12.2). What is in flight dies by the epoch.
 */
export async function endTokensOfSubjects(
  db: Db,
  of: { clientId: string } | { apiId: string },
): Promise<void> {
  const [table, whose] =
    'clientId' in of
      ? [raw('clients'), sql`client_id = ${of.clientId}`]
      : [raw('combinations'), sql`api_id = ${of.apiId}`];
  await db.query(sql`update ${table} set epoch = next_epoch() where ${whose}`);
  await endTokens(db, of, 'subject identifiers changed');
  // a client that waits to be told of a sign-out would be told by a name that it has not heard, or of another sector
  await db.query(sql`delete from logout_deliveries where ${whose}`);
}

/** Signs the person out everywhere and ends their tokens (cases SF-06, RT-15). Gives the person's new epoch. */
export async function endSignIns(db: Db, personId: string, reason: string): Promise<string> {
  const person = await db.one<{ epoch: string }>(
    sql`update people set epoch = next_epoch() where id = ${personId} returning epoch`,
  );
  await db.query(
    sql`update sessions set ended_at = now() where person_id = ${personId} and ended_at is null`,
  );
  // also those whose sessions have expired: what they hold ends now
  await db.query(sql`select tell_clients(${personId}, null)`);
  await endTokens(db, { personId }, reason);
  return person?.epoch ?? '0';
}
