// Verification service of the method `ext`, and methods with other verification services, for tests.
import { randomBytes } from 'node:crypto';
import { RIGHT_PASSWORD, startVerifier, type Verifier } from '#testing/brokers/verifier.ts';
import { configureMethod } from '#testing/data/sql.ts';
import { sql } from './database.ts';

/** Starts the verification service, and stores its URL in the fixture method. */
export async function startFixtureVerifier(databaseUrl: string): Promise<Verifier> {
  const verifier = await startVerifier();
  await configureMethod(databaseUrl, 'ext', { verify_url: verifier.url });
  return verifier;
}

/** Creates a method of type `external` for the API orders, whose service requires no bearer token. Returns its id. */
export async function makeExternalMethod(config: { verify_url: string } & Record<string, unknown>) {
  const id = `ext-${randomBytes(5).toString('hex')}`;
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'external', 'Campus', $2)", [
    id,
    JSON.stringify({ timeout_ms: 5000, allow_private_network: true, ...config }),
  ]);
  await sql("insert into combinations (auth_method_id, api_id) values ($1, 'orders')", [id]);
  return id;
}

/** Returns a user of the verification service whom Gatehouse does not know yet. `email`: the user name. */
export function campusPerson(): { email: string; password: string } {
  return { email: `campus-${randomBytes(5).toString('hex')}`, password: RIGHT_PASSWORD };
}
