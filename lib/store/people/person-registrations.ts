// Accounts that people are making. Nobody has a row in `people` before their address is proved. A row is made for an address
// that has an account, too, by the same statement: no code of it is right, so nothing that a stranger does tells the two apart.

import { containsEmail, type Db, first, list, query, raw, some, sql } from '../database/index.ts';

/** SQL: the method `m` lets people in `how`, a list of values of its setting. */
const letsIn = (how: string) => `m.type = 'local' and m.config->>'registration' in (${how})`;
const BY_THEMSELVES = letsIn(`'open', 'approval'`);
const BY_INVITATION = letsIn(`'invite', 'open', 'approval'`);

/**
 * `known`: the address has an account, of a person who chose the language `locale`. Null: the method is gone, or lets nobody in by themselves. `olderHash` is of the handle
 * that this browser had before, which dies, unless it waits for an approval meanwhile.
 */
async function create(input: {
  authMethodId: string;
  email: string;
  handleHash: Buffer;
  olderHash: Buffer | null;
  codeHash: Buffer;
  linkHash: Buffer;
  apiId: string;
  clientId: string | null;
  seconds: number;
}): Promise<{ known: boolean; locale: string | null } | null> {
  const [row] = await query<{ known: boolean; locale: string | null }>({
    name: 'registration-create',
    text: `
with older as (
  delete from person_registrations where handle_hash = $4 and kind = 'asked'
), found as (
  select count(*) > 0 as known, max(locale) as locale from people where email = $2
)
insert into person_registrations
  (auth_method_id, email, kind, handle_hash, code_hash, link_hash, api_id, client_id, expires_at)
select m.id, $2, 'asked', $3, case when not found.known then $5::bytea end,
  case when not found.known then $6::bytea end, $7, $8, now() + make_interval(secs => $9)
from auth_methods m, found where m.id = $1 and ${BY_THEMSELVES}
returning code_hash is null as known, (select locale from found)`,
    values: [
      input.authMethodId,
      input.email,
      input.handleHash,
      input.olderHash,
      input.codeHash,
      input.linkHash,
      input.apiId,
      input.clientId,
      input.seconds,
    ],
  });
  return row ?? null;
}

/**
 * A code uses up one of five tries, however many come at once; a link is too long to guess and uses up none. What proved the
 * address once goes on proving it, for a form that was sent twice.
 */
async function prove(
  handleHash: Buffer,
  { codeHash, linkHash }: { codeHash: Buffer | null; linkHash: Buffer | null },
): Promise<boolean> {
  const [row] = await query<{ proved: boolean }>({
    name: 'registration-prove',
    text: `
update person_registrations r set
  attempts_left = attempts_left - case when r.state = 'open' and $2::bytea is not null then 1 else 0 end,
  state = case when r.code_hash = $2 or r.link_hash = $3 then 'proved' else r.state end
where r.handle_hash = $1 and r.kind = 'asked' and r.expires_at > now()
  and (r.state = 'open' and ($2::bytea is null or r.attempts_left > 0)
    or r.state = 'proved' and (r.code_hash = $2 or r.link_hash = $3))
returning coalesce(r.code_hash = $2, false) or coalesce(r.link_hash = $3, false) as proved`,
    values: [handleHash, codeHash, linkHash],
  });
  return row?.proved ?? false;
}

type Proved = {
  email: string;
  name: string;
  kind: 'asked' | 'invited' | 'waiting';
  /** somebody has to approve it */
  needsApproval: boolean;
};

/**
 * What may become a person now: proved by its browser, or an invitation whose link this is; and what waits for an approval already.
 * Uses nothing up.
 */
async function findProved(handleHash: Buffer): Promise<Proved | null> {
  const [row] = await query<Proved>({
    name: 'registration-find',
    text: `select r.email, r.name, r.kind, r.kind = 'asked' and m.config->>'registration' = 'approval' as "needsApproval"
from person_registrations r join auth_methods m on m.id = r.auth_method_id
where r.handle_hash = $1 and r.state = 'proved' and r.expires_at > now()
  and (r.kind in ('asked', 'waiting') and ${BY_THEMSELVES} or r.kind = 'invited' and ${BY_INVITATION})`,
    values: [handleHash],
  });
  return row ?? null;
}

type TakenRegistration = {
  email: string;
  authMethodId: string;
  apiId: string | null;
  clientId: string | null;
};

/** Uses it up: of many at once exactly one gets it. */
function take(db: Db, handleHash: Buffer): Promise<TakenRegistration | null> {
  return first(
    db.$queryRaw(sql`delete from person_registrations r using auth_methods m
    where r.handle_hash = ${handleHash} and r.state = 'proved' and r.expires_at > now() and m.id = r.auth_method_id
      and (r.kind = 'asked' and ${raw(letsIn(`'open'`))} or r.kind = 'invited' and ${raw(BY_INVITATION)})
    returning r.email, r.auth_method_id as "authMethodId", r.api_id as "apiId", r.client_id as "clientId"`),
  );
}

/** The local methods that let invited people in. */
function invitingMethods(db: Db): Promise<{ id: string; name: string }[]> {
  return db.$queryRaw(
    sql`select m.id, m.name from auth_methods m where ${raw(BY_INVITATION)} order by m.position, m.id`,
  );
}

/** From now on the account signs in by this method too. False: it did already, or there is none of this address. */
const letInAt = (db: Db, email: string, authMethodId: string): Promise<boolean> =>
  some(
    db.$executeRaw(sql`update people set let_in_at = array_append(let_in_at, ${authMethodId})
    where email = ${email} and let_in_at is not null and not ${authMethodId} = any(let_in_at)`),
  );

/** Ends an older invitation of the address, at whatever method. An account that is there is let in at this method. The caller holds a lock on the address. */
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
  if (await some(db.$queryRaw(sql`select from people where email = ${of.email}`)))
    return { outcome: 'has-account', letIn: await letInAt(db, of.email, of.authMethodId) };
  const older = await some(
    db.$executeRaw(sql`delete from person_registrations
    where email = ${of.email} and kind = 'invited'`),
  );
  await db.$executeRaw(sql`insert into person_registrations
    (auth_method_id, email, kind, state, name, invited_by, handle_hash, expires_at)
    values (${of.authMethodId}, ${of.email}, 'invited', 'proved', ${of.name}, ${of.invitedBy}, ${of.handleHash},
      now() + make_interval(days => ${of.days}))`);
  return { outcome: older ? 'invited-again' : 'invited' };
}

type InvitationRow = {
  id: string;
  email: string;
  authMethodId: string;
  name: string;
  /** null: whoever runs the command line, or somebody who is gone */
  invitedByEmail: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** The newest first. */
const INVITATIONS = list<InvitationRow, { search: string | null }>({
  rows: sql`r.id, r.email, r.auth_method_id as "authMethodId", r.name, r.created_at as "createdAt",
    r.expires_at as "expiresAt", i.email as "invitedByEmail"
    from person_registrations r left join people i on i.id = r.invited_by::uuid`,
  key: [
    ['r.created_at', 'time'],
    ['r.id', 'uuid'],
  ],
  order: 'desc',
  where: ({ search }) => [
    sql`r.kind = 'invited'`,
    sql`r.expires_at > now()`,
    containsEmail(search, 'r.email'),
  ],
});

function withdraw(db: Db, id: string): Promise<{ email: string; authMethodId: string } | null> {
  return first(
    db.$queryRaw(sql`delete from person_registrations where id = ${id} and kind = 'invited' and expires_at > now()
    returning email, auth_method_id as "authMethodId"`),
  );
}

export const personRegistrations = {
  create,
  prove,
  findProved,
  take,
  invitingMethods,
  invite,
  INVITATIONS,
  withdraw,
} as const;
