// The whole registry, for the configuration file: what it is compared with, and exported from.
import type { ApiRow, AuthMethodRow, ClientRow, PersonRow, SubscriptionRow } from '#lib/registry/index.ts';
import { API_ROW } from './apis.ts';
import { AUTH_METHOD_ROW } from './auth-methods.ts';
import { CLIENT_ROW } from './clients.ts';
import { PERSON_ROW } from './people.ts';
import { SUBSCRIPTION_ROW, SUBSCRIPTION_TABLES } from './subscriptions.ts';
import type { Db } from './transaction.ts';

/** Hashes in hexadecimal. */
export type RegistryRows = {
  authMethods: (AuthMethodRow & { sealedSecret: string | null })[];
  apis: (ApiRow & { introspectionSecretHash: string | null })[];
  clients: (ClientRow & { configSecretHash: string | null })[];
  subscriptions: SubscriptionRow[];
  people: (PersonRow & { email: string; configPassword: string | null })[];
};

/** Everything that the file can name. `emails`: people wanted besides those that the file manages or that have a role. */
export async function loadRegistry(db: Db, emails: readonly string[] = []): Promise<RegistryRows> {
  return {
    authMethods: await db.query({
      text: `select ${AUTH_METHOD_ROW}, m.sealed_secret as "sealedSecret" from auth_methods m order by m.position, m.id`,
    }),
    apis: await db.query({
      text: `select ${API_ROW}, encode(a.introspection_secret_hash, 'hex') as "introspectionSecretHash"
        from apis a order by a.position, a.id`,
    }),
    clients: await db.query({
      text: `select ${CLIENT_ROW}, encode(c.config_secret_hash, 'hex') as "configSecretHash"
        from clients c left join people p on p.id = c.owner_id order by c.created_at, c.client_id`,
    }),
    subscriptions: await db.query({
      text: `select ${SUBSCRIPTION_ROW} ${SUBSCRIPTION_TABLES} order by s.created_at, s.client_id, s.api_id`,
    }),
    people: await db.query({
      text: `select ${PERSON_ROW}, config_password as "configPassword" from people
        where email is not null and (managed or roles <> '{}' or email = any ($1)) order by created_at, email`,
      values: [emails],
    }),
  };
}

/** One apply at a time, on however many hosts. Whoever is before may take longer than a statement may. */
export async function lockRegistry(db: Db): Promise<void> {
  await db.query({ text: `set local statement_timeout = '50s'` });
  await db.query({ text: `select pg_advisory_xact_lock(hashtext('gatehouse.apply'))`, giveUpMs: 50_000 });
}
