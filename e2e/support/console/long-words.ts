// Values of maximum length without a space, for every name, id and address that users choose and pages show.

import { sql } from '../service/database.ts';
import type { Cast } from './console-cast.ts';

const long = (start: string, length: number, end = '') =>
  start + 'm'.repeat(length - start.length - end.length) + end;

export const LONG = {
  /** a client id has 1 to 200 characters */
  clientId: long('client-', 200),
  /** 1 to 63 characters; sorted last, so that lists of other tests do not begin with it */
  id: long('z-', 63),
  name: long('Name', 200),
  /** an address has at most 254 characters */
  email: long('person', 254, '@example.com'),
  url: `https://${'m'.repeat(63)}.example/${'m'.repeat(1_900)}`,
  scope: long('scope', 200),
  sentence: long('Description', 2_000),
  userAgent: long('Agent/', 300),
} as const;

/** Gives client, API, method and every user the longest valid names, ids and addresses. */
export async function giveLongWords({ people, words }: Cast): Promise<{ clientId: string; api: string }> {
  const { clientId, id: api, name, email, url, scope, sentence, userAgent } = LONG;
  await sql('insert into auth_methods (id, type, name) values ($1, $2, $3) on conflict do nothing', [
    api,
    'local',
    name,
  ]);
  await sql(
    `insert into apis (id, name, description, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
        refresh_family_ttl, approvers)
      select $1, $2, $3, $4, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl, refresh_family_ttl, $5
      from apis where id = 'orders' on conflict do nothing`,
    [api, name, sentence, url, [email]],
  );
  await sql('insert into api_scopes (api_id, name, description) values ($1, $2, $3) on conflict do nothing', [
    api,
    scope,
    sentence,
  ]);
  const rules = [{ auth_method: api, claim: long('claim', 100), values: [long('value', 1_000)] }];
  await sql('insert into groups (id, name, rules) values ($1, $2, $3) on conflict do nothing', [
    api,
    name,
    JSON.stringify(rules),
  ]);
  await sql('update apis set groups = $2, roles = $3, groups_claim = $2 where id = $1', [
    api,
    [api],
    JSON.stringify({ [long('role', 100)]: [api] }),
  ]);
  await sql('update api_scopes set groups = $2 where api_id = $1', [api, [api]]);
  await sql(
    "insert into combinations (auth_method_id, api_id) values ('pw', $1), ($1, $1) on conflict do nothing",
    [api],
  );
  await sql(
    `insert into clients (client_id, name, confidential, application_type, redirect_uris, allowed_origins, logo_uri, owner_id,
        sector_identifier_uri) values ($1, $2, true, 'web', $3, $4, $5, $6, $5) on conflict do nothing`,
    [clientId, name, [url], [`https://${'m'.repeat(63)}.example`], url, people.get('developer')?.id],
  );
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted, scopes, message, reason, requested_by)
      values ($1, $2, 'approved', false, $3, $4, $4, $5), ($1, 'orders', 'pending', true, '{}', $4, $4, $5)
      on conflict do nothing`,
    [clientId, api, [scope], sentence, people.get('developer')?.id],
  );
  const everybody = [...people.values()];
  for (const [at, person] of everybody.entries()) {
    person.email = long(`person${at}`, 254, '@example.com');
    await sql('update people set name = $2, email = $3 where id = $1', [person.id, name, person.email]);
    await sql('update sessions set user_agent = $2 where person_id = $1', [person.id, userAgent]);
    await sql(
      "insert into group_members (group_id, person_id, origin) values ($1, $2, ''), ($1, $2, $1) on conflict do nothing",
      [api, person.id],
    );
    await sql('insert into consents (person_id, client_id, api_id, scopes) values ($1, $2, $3, $4)', [
      person.id,
      clientId,
      api,
      [scope],
    ]);
    await sql(
      `insert into audit_events (event, actor, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
        values ('client.changed', $1::uuid, $1::uuid, $2, $3, $3, $4, $4, $5)`,
      [
        person.id,
        clientId,
        api,
        userAgent,
        { changed: [scope], before: { url }, after: { url: [url, email] } },
      ],
    );
  }
  await sql(
    `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
      values (gen_random_uuid(), $1, $2, $3, 'pw', 'consent', $4, now(), now() + interval '1 day')`,
    [people.get('endUser')?.id, clientId, api, [scope]],
  );
  Object.assign(words, { own: clientId, guarded: api, group: api });
  return { clientId, api };
}

/** Deletes these objects, because other tests read lists. */
export async function takeLongWordsAway(): Promise<void> {
  await sql('delete from clients where client_id = $1', [LONG.clientId]);
  await sql('delete from apis where id = $1', [LONG.id]);
  await sql('delete from groups where id = $1', [LONG.id]);
  await sql('delete from auth_methods where id = $1', [LONG.id]);
}
