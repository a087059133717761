// Creates token families like those that the service issues, for tests and benchmarks that need no sign-in.
import { randomUUID } from 'node:crypto';

export type Run = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * SQL for the current revocation counter (epoch); each part is an expression. SQL null if a dependency is
 * missing.
 */
export const epochSql = (of: {
  person: string;
  client: string;
  api: string;
  method: string;
  basis: string;
}) =>
  `(select p.epoch + cl.epoch + s.epoch + m.epoch + case when ${of.basis} = 'consent' then (select epoch from consents
      where person_id = ${of.person} and client_id = ${of.client} and api_id = ${of.api}) else s.trust_epoch end
    from people p, clients cl, subscriptions s, combinations m
    where p.id = ${of.person} and cl.client_id = ${of.client} and s.client_id = ${of.client} and s.api_id = ${of.api}
      and m.auth_method_id = ${of.method} and m.api_id = ${of.api})`;

/**
 * Creates the rows that families require: method `local` with API `orders`, clients with subscription, and a
 * user. Returns the user's id.
 */
export async function givenBasis(
  run: Run,
  { clients = ['shop'], format = 'jwt', trusted = false } = {},
): Promise<string> {
  const personId = randomUUID();
  await run('insert into people (id) values ($1)', [personId]);
  await run("insert into auth_methods (id, type, name) values ('local', 'local', 'Local')", []);
  await run(
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
       refresh_family_ttl) values ('orders', 'Orders', 'https://api.example/orders', 600, $1, 'ES256', 600, 600)`,
    [format],
  );
  await run("insert into combinations (auth_method_id, api_id) values ('local', 'orders')", []);
  await run(
    `insert into clients (client_id, name, confidential, application_type)
     select id, id, true, 'web' from unnest($1::text[]) id`,
    [clients],
  );
  await run(
    `insert into subscriptions (client_id, api_id, state, trusted)
     select client_id, 'orders', 'approved', $1 from clients`,
    [trusted],
  );
  return personId;
}

/** Creates an active token family with its consent. Returns the id of the family. */
export async function givenFamilyRow(
  run: Run,
  family: {
    personId: string | null;
    clientId: string;
    apiId: string;
    authMethodId?: string;
    basis?: string;
    scopes?: string[];
    authTime?: Date;
  },
): Promise<string> {
  const { personId, clientId, apiId, authMethodId = 'local', basis = 'consent', scopes = ['read'] } = family;
  const id = randomUUID();
  if (basis === 'consent') {
    await run(
      `insert into consents (person_id, client_id, api_id, scopes) values ($1, $2, $3, $4)
       on conflict (person_id, client_id, api_id) do nothing`,
      [personId, clientId, apiId, scopes],
    );
  }
  const epoch = epochSql({ person: '$2', client: '$3', api: '$4', method: '$5', basis: '$6' });
  await run(
    `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now()), coalesce(${epoch}, 0), now() + interval '1 day')`,
    [id, personId, clientId, apiId, authMethodId, basis, scopes, family.authTime ?? null],
  );
  return id;
}
