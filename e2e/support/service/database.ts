// Database of the service under test: counts rows left by requests, creates users, clients and APIs.
import type { Client } from '#testing/data/fixtures.ts';
import { sqlOn } from '#testing/data/sql.ts';
import { sha256, worldOn } from '#testing/data/world.ts';

export const sql = sqlOn(process.env['E2E_DATABASE_URL']);
export const { makePerson, makeClient, makeApi } = worldOn(sql);

/**
 * Counts the rows that a client's requests caused. A test compares the counts before and after requests that
 * must change nothing.
 */
export async function rowsOf(clientId: string): Promise<Record<string, unknown>> {
  const [row] = await sql(
    `select (select count(*)::int from codes where client_id = $1) as codes,
       (select count(*)::int from codes where client_id = $1 and used_at is not null) as used_codes,
       (select count(*)::int from token_families where client_id = $1) as families,
       (select count(*)::int from token_families where client_id = $1 and revoked_at is not null) as revoked_families,
       (select count(*)::int from refresh_tokens join token_families f on f.id = family_id where f.client_id = $1) as refresh_tokens,
       (select count(*)::int from consents where client_id = $1) as consents`,
    [clientId],
  );
  return row ?? {};
}

/** Makes a credential expire one second ago, by the clock of the database. */
export async function expire(
  table: 'codes' | 'refresh_tokens' | 'opaque_tokens',
  credential: string,
): Promise<void> {
  const column = table === 'codes' ? 'code_hash' : 'token_hash';
  await sql(`update ${table} set expires_at = now() - interval '1 second' where ${column} = $1`, [
    sha256(credential),
  ]);
}

/** Adds an approved subscription to the subscriptions that `makeClient` created. */
export async function subscribe({ clientId }: Client, api: string, trusted = false): Promise<void> {
  await sql("insert into subscriptions (client_id, api_id, state, trusted) values ($1, $2, 'approved', $3)", [
    clientId,
    api,
    trusted,
  ]);
}

/** The source address for tests of limits by address; all other tests call from localhost. */
export const SECOND_ADDRESS = '127.0.0.9';

/**
 * Returns the key of a limit. `name`: for `4account` the method or `(local)`, and the username; for `3address` what
 * is counted, and the network.
 */
export const limitKey = (kind: '4account' | '3address', name: string) =>
  `${kind}:${sha256(name).toString('base64url')}`;

/** Resets the limits by address for localhost, which all tests share. */
export async function clearAddressAttempts(): Promise<void> {
  await sql("delete from attempts where key ~ '^[23]' and key <> $1", [
    limitKey('3address', `passwords ${SECOND_ADDRESS}`),
  ]);
}
