// Registry created with lib/management in this process: clean database, one API, a local method, users with roles.

import { createClient } from '#lib/catalogue/clients/operations.ts';
import type { Role } from '#lib/catalogue/people/definition.ts';
import { insertPerson } from '#lib/catalogue/people/rows.ts';
import { now } from '#lib/kit/clock.ts';
import type { WrittenMail } from '#lib/kit/mail.ts';
import { listDevelopmentMail, settleNotices } from '#lib/mail/send.ts';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import { requestPasswordReset } from '#lib/management/mail-links.ts';
import { type Actor, MANAGEMENT_SCOPES, OPERATOR } from '#lib/management/policy.ts';
import { record } from '#lib/management/record.ts';
import { Refused } from '#lib/management/refused.ts';
import { query } from '#lib/store/pool.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { signAccessToken } from '#lib/tokens/access-token.ts';
import { emptying } from './empty-tables.ts';
import { givenFamilyRow } from './families.ts';

export const PASSWORD = 'long-enough-1';
const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$xauF5nizOicZLGZka80hIg$YrJsKPKjSGH0rK34bnYlTnUXqqjHs8wn6EW80e+JHEY';
export const SHOP = { clientId: 'shop', api: 'orders' };

export const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>({ text, values });

const EMPTIED = [
  'auth_methods',
  'apis',
  'clients',
  'people',
  'audit_events',
  'token_families',
  'codes',
  'sessions',
  'consents',
  'signing_keys',
  'attempts',
];

export async function givenEmptyRegistry(approvers: string[] = []): Promise<void> {
  // mails of the last test are still being sent, and read their recipients from the database
  await settleNotices();
  await sql(emptying(EMPTIED));
  await sql(`insert into auth_methods (id, type, name) values ('local', 'local', 'E-mail and password')`);
  await givenApi('orders', approvers);
}

async function givenApi(id: string, approvers: string[] = []): Promise<void> {
  await sql(
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
      refresh_family_ttl, approvers) values ($1, $1, 'https://' || $1 || '.example', 60, 'jwt', 'ES256', 60, 60, $2)`,
    [id, approvers],
  );
  await sql(
    `insert into api_scopes (api_id, name, description) values ($1, 'read', 'See'), ($1, 'write', 'Change')`,
    [id],
  );
  await sql(`insert into combinations (auth_method_id, api_id) values ('local', $1)`, [id]);
}

export type Person = Extract<Actor, { kind: 'person' }>;

/** Creates a user as `createPerson` does, without the time that hashing a password takes. */
export async function givenPerson(name: string, ...roles: Role[]): Promise<Person> {
  const email = `${name}@example.com`;
  const id = await inTransaction(async (db) => {
    const row = { email, name: '', roles, passwordHash: PASSWORD_HASH, configPassword: null };
    const personId = await insertPerson(db, row);
    if (personId === null) throw new Error(`${email} exists`);
    await record(OPERATOR, { event: 'person.created', personId, details: { email, roles } }, db);
    return personId;
  });
  return { kind: 'person', id, email, roles, signedInAt: null, request: null };
}

/** Creates a confidential client `shop` of this developer. */
export async function givenClient(developer: Actor, clientId = 'shop'): Promise<string | null> {
  const redirectUris = [`https://${clientId}.example/cb`];
  const client = { clientId, name: clientId, kind: 'confidential', redirectUris } as const;
  return (await createClient(developer, { ...client, redirectUris })).secret;
}

/** Creates an active token family of this user. */
export async function givenFamily(
  person: Actor,
  { clientId = 'shop', api = 'orders', basis = 'consent' } = {},
): Promise<void> {
  const personId = person.kind === 'person' ? person.id : null;
  await givenFamilyRow(sql, { personId, clientId, apiId: api, basis });
}

/** Returns the error of an operation that was rejected; null: the operation succeeded. */
export const refusal = (work: Promise<unknown>): Promise<Refused | null> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof Refused ? error : Promise.reject(error)),
  );

export async function countLiveFamilies(): Promise<number> {
  return (await sql('select 1 from token_families where revoked_at is null')).length;
}

/** Returns the audit events with this name. */
export async function events(name: string): Promise<Record<string, unknown>[]> {
  return sql(
    'select actor, client_id, api_id, person_id, details from audit_events where event = $1 order by id',
    [name],
  );
}

/** Creates an access token as the token endpoint does: a signed JWT with an active token family. */
export async function givenToken(
  person: Person,
  {
    scopes = MANAGEMENT_SCOPES as string[],
    api = MANAGEMENT_API,
    authMethodId = 'local',
    minutesAgo = 0,
  } = {},
): Promise<string> {
  const authTime = new Date(now().getTime() - minutesAgo * 60_000);
  const family = { personId: person.id, clientId: 'ops', apiId: api, authMethodId, scopes, authTime };
  const familyId = await givenFamilyRow(sql, family);
  const snapshot = await currentSnapshot();
  const target = snapshot.apis.get(api);
  if (!target) throw new Error(`no API ${api}`);
  const claims = { familyId, sub: person.id, clientId: 'ops', scopes, authTime };
  return signAccessToken({ ...claims, issuer: 'http://localhost', api: target }, snapshot);
}

/** Returns the mails sent to this address, the newest first. */
export async function mailTo(email: string): Promise<WrittenMail[]> {
  await settleNotices();
  return ((await listDevelopmentMail({ fromThisMachine: true })) ?? []).filter((mail) => mail.to === email);
}

/** Requests a password reset and returns the link's token. */
export async function resetToken(email: string): Promise<string> {
  await requestPasswordReset({ email, ip: null, requestId: 'r1' });
  const [mail] = await mailTo(email);
  return /reset-password\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
}

/** Identity with a subject only. */
export const UNDESCRIBED = { email: null, emailVerified: false, name: null, claims: {}, saidAt: null };
