// The database of the service under test: counts what a request left behind, and makes people, clients and APIs.
import type { Client } from '#testing/data/fixtures.ts';
import { sqlOn } from '#testing/data/sql.ts';
import { sha256, worldOn } from '#testing/data/world.ts';

export const sql = sqlOn(process.env['E2E_DATABASE_URL']);
export const { makePerson, makeClient, makeApi } = worldOn(sql);

/** What a client's requests have left in the database; equal before and after where nothing may change. */
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

/** Ends a code or a token a second ago, by the clock of the database. */
export async function expire(
  table: 'codes' | 'refresh_tokens' | 'opaque_tokens',
  credential: string,
): Promise<void> {
  const column = table === 'codes' ? 'code_hash' : 'token_hash';
  await sql(`update ${table} set expires_at = now() - interval '1 second' where ${column} = $1`, [
    sha256(credential),
  ]);
}

/** An approved subscription, in addition to those of `makeClient`. */
export async function subscribe({ clientId }: Client, api: string, trusted = false): Promise<void> {
  await sql("insert into subscriptions (client_id, api_id, state, trusted) values ($1, $2, 'approved', $3)", [
    clientId,
    api,
    trusted,
  ]);
}

/** The source address of the tests of limits by address; all other tests call from localhost. */
export const SECOND_ADDRESS = '127.0.0.9';

/** `account`: the method, or `(local)`, and the username; `address`: what is counted, and the block. */
export const limitKey = (kind: '4account' | '3address', name: string) =>
  `${kind}:${sha256(name).toString('base64url')}`;

/** Resets the limits by address for localhost, which all tests share. */
export async function clearAddressAttempts(): Promise<void> {
  await sql("delete from attempts where key ~ '^[23]' and key <> $1", [
    limitKey('3address', `passwords ${SECOND_ADDRESS}`),
  ]);
}
