// Signed-in directory users, with a scope granted through a directory group.
import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { recheckPeople } from '#lib/auth-methods/recheck.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { FIXTURES } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';

export const DIRECTORY_ISSUER = '/auth/staff/api/orders';
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

/**
 * Creates method `staff` from these configuration lines. Users with one of `values` in claim `groups` join group
 * `staff-editors`, which grants `write` at API `orders`. Without values, no group is created.
 */
export async function applyDirectory(lines: string[], values: string[], password: string) {
  const method = ['- id: staff', '  type: ldap', '  name: Staff', ...lines.map((line) => `  ${line}`)];
  const withGroup = values.length > 0;
  const rule = { auth_method: 'staff', claim: 'groups', values };
  const group = !withGroup
    ? ''
    : `groups:\n  - ${JSON.stringify({ id: 'staff-editors', name: 'Editors', from: [rule] })}\n`;
  const file = readFileSync(FIXTURES, 'utf8')
    .replaceAll('[pw, ext, brk]', '[pw, ext, brk, staff]')
    .replace('description: Place and change orders', withGroup ? '$&, groups: [staff-editors]' : '$&')
    .replace('auth_methods:\n', `${group}auth_methods:\n${method.map((line) => `  ${line}\n`).join('')}`);
  const applied = await applyConfiguration(file, { env: { STAFF_PASSWORD: password } });
  await currentSnapshot();
  return applied;
}

const tokens = async (form: Record<string, string>, at = DIRECTORY_ISSUER): Promise<Record<string, string>> =>
  jsonOf(await ask(`${at}/token`, { form: { ...TRU, ...form } })) as Record<string, string>;

export const tokensOf = (username: string, password: string) =>
  tokens({ grant_type: 'password', username, password });

export const refreshed = ({ refresh_token = '' }: Record<string, string>) =>
  tokens({ grant_type: 'refresh_token', refresh_token });

export const exchangedFor = ({ access_token = '' }: Record<string, string>) =>
  tokens(
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'orders',
    },
    '/auth',
  );

/** Returns the scope of the token; `refused` if the exchange failed because the user lost the scope. */
export const scopeIn = ({ access_token }: Record<string, string>): string =>
  access_token ? String(decodeJwt(access_token)['scope']) : 'refused';

/** Runs a full recheck of all signed-in users with several concurrent instances. */
export async function recheckNow(instances = 1): Promise<void> {
  await sql("update rechecks set after = null, began_at = now() - interval '8 days', locked_until = now()");
  await Promise.all(Array.from({ length: instances }, () => recheckPeople(60_000)));
}

/** Moves all stored times into the past. */
export const hoursLater = (hours: number) =>
  sql(
    `update external_identities set last_seen_at = last_seen_at - $1::float8 * interval '1 hour',
      missing_since = missing_since - $1::float8 * interval '1 hour'`,
    [hours],
  );

/** Returns the reasons why rechecks ended the sign-ins of a user. `email`: address of the user in the directory. */
export const reasonsOf = async (email: string): Promise<string[]> =>
  (
    await sql<{ reason: string }>(
      `select a.details->>'reason' as reason from audit_events a
        join external_identities i on i.person_id = a.person_id
        where a.event = 'person.signed_out' and i.email = $1 order by a.id`,
      [email],
    )
  ).map(({ reason }) => reason);
