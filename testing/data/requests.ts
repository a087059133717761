// Requests for subscriptions that wait for an approver.
import { randomBytes } from 'node:crypto';
import type { Sql } from './sql.ts';

export type Power = 'plain' | 'trusted' | 'machine';

/**
 * Creates pending requests that applications named Team 1, Team 2 and so on sent one hour ago. Returns their client
 * ids.
 */
export async function giveRequests(
  sql: Sql,
  { api, count, powerOf = () => 'plain' }: { api: string; count: number; powerOf?: (n: number) => Power },
): Promise<string[]> {
  const team = `team${randomBytes(4).toString('hex')}`;
  const given: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const clientId = `${team}-${n}`;
    given.push(clientId);
    await sql(
      "insert into clients (client_id, name, confidential, application_type) values ($1, $2, true, 'web')",
      [clientId, `Team ${n}`],
    );
  }
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted, machine, created_at, updated_at)
     select id, $2, 'pending', power = 'trusted', power = 'machine', now() - interval '1 hour', now() - interval '1 hour'
     from unnest($1::text[], $3::text[]) as q (id, power)`,
    [given, api, given.map((_, at) => powerOf(at + 1))],
  );
  return given;
}
