// The console's own sessions. The cookie's id is hashed before it gets here.
import { type Role, SECOND_FACTOR_ROLES } from '#lib/registry/objects/person.ts';
import { statement } from '../database/statement.ts';
import { HAS_ACCOUNTS } from './let-in.ts';

export type ConsoleSession = {
  personId: string;
  email: string | null;
  username: string | null;
  name: string;
  /** the language of their profile (BCP 47) */
  locale: string | null;
  roles: Role[];
  authMethodId: string;
  authTime: Date;
  /** how strong the sign-in is (docs/decisions/0023) */
  level: 1 | 2 | 3;
  /** what is left to do before the session is good for anything: prove a factor, or set one up; null: nothing */
  owes: 'confirm' | 'set-up' | null;
  /** when the person was first told to set one up; null: never */
  graceFrom: Date | null;
};

const HELD = SECOND_FACTOR_ROLES.map((role) => `'${role}'`).join(', ');

const consoleSessionFind = statement({
  name: 'console-session-find',
  takes: { idHash: 'bytea', idleSeconds: 'float8', secondFactor: 'text', graceDays: 'int' },
  text: (value) => `
with live as (
  select s.id_hash, p.id as "personId", p.email, p.username, p.name, p.locale,
    case when ${HAS_ACCOUNTS} then p.roles else '{}' end as roles,
    s.auth_method_id as "authMethodId", s.auth_time as "authTime", s.acr_level as level,
    p.factor_grace_from as "graceFrom",
    case when s.acr_level > 1 or ${value.secondFactor} = 'off' then null when p.factor_level > 0 then 'confirm'
      when ${value.secondFactor} = 'required' and ${HAS_ACCOUNTS} and p.roles && array[${HELD}]
        and coalesce(p.factor_grace_from + make_interval(days => ${value.graceDays}) <= now(), true) then 'set-up' end as owes
  from sessions s join people p on p.id = s.person_id join auth_methods m on m.id = s.auth_method_id
  where s.id_hash = ${value.idHash} and s.kind = 'console' and s.ended_at is null and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(secs => ${value.idleSeconds}) and p.disabled_at is null and s.person_epoch = p.epoch
), touched as (
  update sessions set last_seen_at = now() where id_hash = (select id_hash from live)
    and last_seen_at < now() - interval '20 seconds'
)
select * from live`,
});

/**
 * The living console session and its person, as they are now; null: signed out. Counts as activity. `secondFactor`: off
 * for no one; required: of approvers and administrators, too, who have none yet, `graceDays` after they were told. No
 * trusted browser counts.
 */
export async function findConsoleSession(
  idHash: Uint8Array,
  {
    idleSeconds,
    secondFactor,
    graceDays,
  }: { idleSeconds: number; secondFactor: 'off' | 'optional' | 'required'; graceDays: number },
): Promise<ConsoleSession | null> {
  const [row] = await consoleSessionFind<ConsoleSession>({ idHash, idleSeconds, secondFactor, graceDays });
  return row ?? null;
}
