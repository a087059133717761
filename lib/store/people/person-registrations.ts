// Registrations that become people, and invitations. sign-in/asked-registrations.ts has what people ask for by
// themselves.
import { containsEmail, list } from '../database/list.ts';
import { type Db, first } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';
import { BY_INVITATION, letsIn } from '../sign-in/asked-registrations.ts';

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
async function letInAt(db: Db, email: string, authMethodId: string): Promise<boolean> {
  const { count } = await db.person.updateMany({
    where: { email, NOT: [{ letInAt: { equals: null } }, { letInAt: { has: authMethodId } }] },
    data: { letInAt: { push: authMethodId } },
  });
  return count > 0;
}

/**
 * Ends an older invitation of the address, at any method. An existing account is let in at this method. The caller
 * holds a lock on the address.
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

type InvitationRow = {
  id: string;
  email: string;
  authMethodId: string;
  name: string;
  /** null: the command line, or a deleted person */
  invitedByEmail: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** The newest first. */
const INVITATIONS = list<InvitationRow, { search: string | null }>({
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
  take,
  invitingMethods,
  invite,
  INVITATIONS,
  withdraw,
} as const;
