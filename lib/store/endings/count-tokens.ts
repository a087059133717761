// How many tokens an ending would end, for the page that asks before it.
import { equals } from '../database/list.ts';
import type { Db } from '../database/prisma.ts';
import { joined, sql } from '../database/sql.ts';

/** The living families of a person, and how many clients have them. */
export async function countTokensOfPerson(
  db: Db,
  personId: string,
): Promise<{ tokens: number; clients: number }> {
  const [row] = await db.$queryRaw<{ tokens: number; clients: number }[]>(sql`
    select count(*)::int as tokens, count(distinct client_id)::int as clients from token_families
    where person_id = ${personId} and revoked_at is null and expires_at > now()`);
  return row ?? { tokens: 0, clients: 0 };
}

/**
 * What rests on a client, an API, a method or a combination right now: living families with their people, and machines'
 * tokens.
 */
export async function countTokens(
  db: Db,
  asked: {
    clientId?: string;
    api?: string;
    authMethodId?: string;
    exceptMethods?: readonly string[];
    /** counts families only */
    basis?: 'device';
  },
): Promise<{ tokens: number; people: number }> {
  const whose = joined(
    [
      equals('client_id', asked.clientId),
      equals('api_id', asked.api),
      equals('auth_method_id', asked.authMethodId),
      asked.exceptMethods === undefined ? null : sql`auth_method_id <> all(${asked.exceptMethods}::text[])`,
    ],
    ' and ',
    'true',
  );
  const families = asked.basis === undefined ? whose : sql`${whose} and basis = ${asked.basis}`;
  const machines = asked.basis === undefined ? whose : sql`false`;
  const [row] = await db.$queryRaw<{ tokens: number; people: number }[]>(sql`with of_machines as (
      select count(*)::int as tokens from machine_tokens where expires_at > now() and ${machines}
    ), of_people as (
      select count(*)::int as tokens, count(distinct person_id)::int as people from token_families
      where revoked_at is null and expires_at > now() and ${families}
    ) select f.tokens + m.tokens as tokens, f.people from of_people f, of_machines m`);
  return row ?? { tokens: 0, people: 0 };
}

/** Devices that show a code, or were allowed and have not come for their tokens. */
export async function countWaitingDevices(db: Db, api: string): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(sql`
    select count(*)::int as count from device_requests
    where api_id = ${api} and expires_at > now() and decision is distinct from 'denied'`);
  return row?.count ?? 0;
}
