// Registrations that become users, and invitations. hot/registrations.ts contains the registrations that users start
// themselves.

import { canonicalEmail } from '#lib/kit/text.ts';
import { BY_INVITATION, letsIn } from '#lib/store/hot/registrations.ts';
import { anyOf, contains, containsEmail, list, PARTS } from '#lib/store/list.ts';
import { type Db, lockName, readRow, readRows, some } from '#lib/store/prisma.ts';
import { raw, sql } from '#lib/store/sql.ts';
import { invitationRow, type WaitingPersonRow, waitingPersonRow } from './definition.ts';

const TAKEN = { email: 'text', authMethodId: 'text', apiId: 'text?', clientId: 'text?' } as const;

/** Consumes the registration: exactly one of several concurrent calls succeeds. */
function takeRegistration(db: Db, handleHash: Buffer) {
  return readRow(db, TAKEN)`
    delete from person_registrations r using auth_methods m
    where r.handle_hash = ${handleHash} and r.state = 'proved' and r.expires_at > now() and m.id = r.auth_method_id
      and (r.kind = 'asked' and ${raw(letsIn(`'open'`))} or r.kind = 'invited' and ${raw(BY_INVITATION)})
    returning r.email, r.auth_method_id as "authMethodId", r.api_id as "apiId", r.client_id as "clientId"`;
}

/** Returns the local methods that admit invited people. */
function invitingMethods(db: Db) {
  return readRows(db, { id: 'text', name: 'text' })`
    select m.id, m.name from auth_methods m where ${raw(BY_INVITATION)} order by m.position, m.id`;
}

/**
 * Adds this method to the account's methods. Returns false if the account already has this method, or the email is
 * unknown.
 */
async function letInAt(db: Db, email: string, authMethodId: string): Promise<boolean> {
  const { count } = await db.person.updateMany({
    where: { email, NOT: [{ letInAt: { equals: null } }, { letInAt: { has: authMethodId } }] },
    data: { letInAt: { push: authMethodId } },
  });
  return count > 0;
}

/**
 * Replaces an earlier invitation of the email at any method, and admits an existing account to this method. Callers
 * lock the email.
 */
async function invite(
  db: Db,
  of: {
    authMethodId: string;
    email: string;
    name: string;
    invitedBy: string | null;
    handleHash: Buffer;
    days: number;
  },
): Promise<{ outcome: 'invited' | 'invited-again' | 'has-account'; letIn?: boolean }> {
  if ((await db.person.count({ where: { email: of.email } })) > 0)
    return { outcome: 'has-account', letIn: await letInAt(db, of.email, of.authMethodId) };
  const older = await db.personRegistration.deleteMany({ where: { email: of.email, kind: 'invited' } });
  await db.$executeRaw(sql`insert into person_registrations
    (auth_method_id, email, kind, state, name, invited_by, handle_hash, expires_at)
    values (${of.authMethodId}, ${of.email}, 'invited', 'proved', ${of.name}, ${of.invitedBy}, ${of.handleHash},
      now() + make_interval(days => ${of.days}))`);
  return { outcome: older.count > 0 ? 'invited-again' : 'invited' };
}

/** The list of invitations, the newest first. `invitedByEmail` is null for the command line, and for a deleted person. */
const INVITATIONS = list({
  returns: invitationRow.shape,
  rows: sql`r.id, r.email, r.auth_method_id as "authMethodId", r.name, r.created_at as "createdAt",
    r.expires_at as "expiresAt", i.email as "invitedByEmail"
    from person_registrations r left join people i on i.id = r.invited_by::uuid`,
  orders: {
    created: {
      key: [
        ['r.created_at', 'time'],
        ['r.id', 'uuid'],
      ],
      begins: 'desc',
    },
  },
  where: ({ search }: { search: string | null }) => [
    sql`r.kind = 'invited'`,
    sql`r.expires_at > now()`,
    containsEmail(search, 'r.email'),
  ],
});

function withdraw(db: Db, id: string) {
  return readRow(db, { email: 'text', authMethodId: 'text' })`
    delete from person_registrations where id = ${id} and kind = 'invited' and expires_at > now()
    returning email, auth_method_id as "authMethodId"`;
}

export const personRegistrations = {
  take: takeRegistration,
  invitingMethods,
  invite,
  INVITATIONS,
  withdraw,
} as const;

// Users who verified their address, chose a name and password, and wait for approval. They are rows of
// `person_registrations` of the kind `waiting`, without a row in `people`.

type CameFrom = { authMethodId: string; apiId: string | null; clientId: string | null };
type Bounds = { method: number; all: number };

export type BeganToWait =
  /**
   * `from`: method, API and client of the browser's request; null for a duplicate form. `first`: no other registration
   * began to wait within the last hour
   */
  | { kind: 'waits'; from: (CameFrom & { first: boolean }) | null }
  /** another registration of the same email, begun in a different browser, already waits for approval */
  | { kind: 'waits-already' }
  /** an account with this email was created in the meantime */
  | { kind: 'taken' }
  | { kind: 'full' }
  /** the registration was used or has expired, or the method requires no approval */
  | { kind: 'gone' };

/**
 * Makes a verified registration wait for approval. Calls are serialized, so that at most one registration of an email
 * waits, and counts are exact.
 */
async function beginWaiting(
  db: Db,
  handleHash: Buffer<ArrayBuffer>,
  of: { name: string; passwordHash: string; language: string | null; days: number; most: Bounds },
): Promise<BeganToWait> {
  await lockName(db, 'waiting people');
  const row = await readRow(db, { id: 'uuid', ...TAKEN })`
    select r.id, r.email, r.auth_method_id as "authMethodId", r.api_id as "apiId", r.client_id as "clientId"
    from person_registrations r join auth_methods m on m.id = r.auth_method_id
    where r.handle_hash = ${handleHash} and r.kind = 'asked' and r.state = 'proved' and r.expires_at > now()
      and ${raw(letsIn(`'approval'`))} for update of r`;
  if (!row) return (await isWaiting(db, handleHash)) ? { kind: 'waits', from: null } : { kind: 'gone' };
  const { id, email: _, ...from } = row;
  const against = await endRefused(db, handleHash, of.most);
  if (against === 'waits') return { kind: against, from: null };
  if (against !== null) return { kind: against };
  const isFirst = !(await some(
    db.$executeRaw(sql`select from person_registrations
    where kind = 'waiting' and expires_at > now() and created_at > now() - interval '1 hour' limit 1`),
  ));
  await db.$executeRaw(sql`update person_registrations set kind = 'waiting', name = ${of.name},
      password_hash = ${of.passwordHash}, language = ${of.language}, code_hash = null, link_hash = null,
      created_at = now(), expires_at = now() + make_interval(days => ${of.days})
    where id = ${id}`);
  return { kind: 'waits', from: { ...from, first: isFirst } };
}

/**
 * Deletes a verified registration that cannot proceed, and returns the reason. `waits`: a registration of this email
 * already waits. Null: the registration can proceed.
 */
async function endRefused(
  db: Db,
  handleHash: Buffer<ArrayBuffer>,
  most: Bounds,
): Promise<'taken' | 'waits-already' | 'full' | 'waits' | 'gone' | null> {
  const row = await readRow(db, { taken: 'boolean', already: 'boolean', full: 'boolean' })`
    select exists (select from people p where p.email = r.email) as taken, asked.approval and exists (
        select from person_registrations w where w.email = r.email and w.kind = 'waiting' and w.expires_at > now()
      ) as already, asked.approval and (counts.all >= ${most.all} or counts.method >= ${most.method}) as full
    from person_registrations r join auth_methods m on m.id = r.auth_method_id,
      lateral (select r.kind = 'asked' and m.config->>'registration' = 'approval' as approval) asked,
      lateral (select count(*) as all, count(*) filter (where w.auth_method_id = m.id) as method
        from person_registrations w where w.kind = 'waiting' and w.expires_at > now()) counts
    where r.handle_hash = ${handleHash} and r.kind in ('asked', 'invited') and r.state = 'proved'
      and r.expires_at > now()`;
  if (!row) return (await isWaiting(db, handleHash)) ? 'waits' : 'gone';
  const against = row.taken ? 'taken' : row.already ? 'waits-already' : row.full ? 'full' : null;
  if (against !== null) await db.personRegistration.deleteMany({ where: { handleHash } });
  return against;
}

const isWaiting = (db: Db, handleHash: Buffer<ArrayBuffer>): Promise<boolean> =>
  some(
    db.$executeRaw(sql`select from person_registrations
    where handle_hash = ${handleHash} and kind = 'waiting' and expires_at > now()`),
  );

/** SQL columns; `r` is the registration. */
const COLUMNS = sql`r.id, r.email, r.name, r.auth_method_id as "authMethodId", m.name as "authMethodName",
  r.api_id as "apiId", a.name as "apiName", r.client_id as "clientId", c.name as "clientName",
  r.created_at as "createdAt", r.expires_at as "expiresAt"`;
const NAMES = sql`join auth_methods m on m.id = r.auth_method_id
  left join apis a on a.id = r.api_id left join clients c on c.client_id = r.client_id`;
const ROWS = sql`${COLUMNS} from person_registrations r ${NAMES}`;

/** The list of waiting users, the oldest first. */
const WAITING = list({
  returns: waitingPersonRow.shape,
  rows: ROWS,
  orders: {
    created: {
      key: [
        ['r.created_at', 'time'],
        ['r.id', 'uuid'],
      ],
    },
  },
  where: ({ search }: { search: string | null }) => [
    sql`r.kind = 'waiting'`,
    sql`r.expires_at > now()`,
    anyOf(contains(search, 'lower(r.name)'), containsEmail(search, 'r.email')),
  ],
});

/** SQL condition: the registration has this id or address. */
const whereNamed = (idOrEmail: string) =>
  PARTS.uuid.shape.test(idOrEmail)
    ? sql`r.id = ${idOrEmail}`
    : sql`r.email = ${canonicalEmail(idOrEmail.trim())}`;

function findWaiting(db: Db, idOrEmail: string): Promise<WaitingPersonRow | null> {
  return readRow(db, waitingPersonRow.shape)`
    select ${ROWS}
    where ${whereNamed(idOrEmail)} and r.kind = 'waiting' and r.expires_at > now()`;
}

/**
 * Ends the wait: exactly one of several concurrent decisions succeeds. `open`: the method still accepts
 * self-registration.
 */
function takeWaiting(db: Db, idOrEmail: string) {
  return readRow(db, { ...waitingPersonRow.shape, passwordHash: 'text', language: 'text?', open: 'boolean' })`
    with held as (
      delete from person_registrations r
      where ${whereNamed(idOrEmail)} and r.kind = 'waiting' and r.expires_at > now() returning r.*
    )
    select ${COLUMNS}, r.password_hash as "passwordHash", r.language,
      coalesce(${raw(letsIn(`'open', 'approval'`))}, false) as open
    from held r ${NAMES}`;
}

/** Deletes pending registrations of a method, and returns the users to notify. */
const takeAll = (db: Db, authMethodId: string) =>
  readRows(db, { email: 'text', language: 'text?', apiId: 'text?', clientId: 'text?' })`
    delete from person_registrations
    where auth_method_id = ${authMethodId} and kind = 'waiting' and expires_at > now()
    returning email, language, api_id as "apiId", client_id as "clientId"`;

/**
 * Returns the decision about a registration in the last 31 days, from the audit log, by id or email. Null if
 * undecided.
 */
function decision(db: Db, idOrEmail: string) {
  const [key, value] = PARTS.uuid.shape.test(idOrEmail)
    ? ['registration', idOrEmail]
    : ['email', canonicalEmail(idOrEmail.trim())];
  return readRow(db, { approved: 'boolean', at: 'timestamptz', actor: 'text' })`
    select e.event = 'person.approved' as approved, e.at,
      coalesce((select p.email from people p where p.id::text = e.actor), e.actor, 'system') as actor
    from audit_events e where e.event in ('person.approved', 'person.rejected')
      and e.at > now() - interval '31 days' and e.details->>${key} = ${value}
    order by e.at desc limit 1`;
}

async function countWaiting(db: Db): Promise<number> {
  const row = await readRow(db, { count: 'int' })`
    select count(*)::int as count
    from person_registrations where kind = 'waiting' and expires_at > now()`;
  return row?.count ?? 0;
}

export const waitingPeople = {
  begin: beginWaiting,
  endRefused,
  WAITING,
  find: findWaiting,
  take: takeWaiting,
  takeAll,
  decision,
  count: countWaiting,
} as const;
