// What the pages /confirm and /set-up have to know of a sign-in and its person, and what they note about the person.
import { first, some } from '../database/prisma.ts';
import { statement } from '../database/statement.ts';
import { labelBy } from '../tokens/sessions.ts';
import { sessionLives } from '../tokens/validity.ts';

export type SecondFactorFacts = {
  personId: string;
  /** how pages name the person */
  label: string;
  /** where mail about their factors goes; null: there is no address of our own store */
  email: string | null;
  /** the language of their profile (BCP 47) */
  locale: string | null;
  /** of the session */
  level: 1 | 2 | 3;
  authTime: Date;
  /** what the person's factors reach; 0: they have none */
  factorLevel: 0 | 2 | 3;
  hasTotp: boolean;
  /** recovery codes that are left */
  recoveryCodes: number;
};

type OfSession = { idHash: Uint8Array; authMethodId: string; idleSeconds: number };

const secondFactorFacts = statement({
  name: 'second-factor-facts',
  takes: { idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  text: (
    value,
  ) => `select p.id as "personId", ${labelBy(value.authMethodId)} as label, p.email, p.locale, s.acr_level as level, s.auth_time as "authTime", p.factor_level as "factorLevel",
  exists (select 1 from totp_secrets t where t.person_id = p.id) as "hasTotp",
  (select count(*)::int from recovery_codes r where r.person_id = p.id and r.used_at is null) as "recoveryCodes"
from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives('s', value.idleSeconds)}`,
});

/** Null: the session has ended, or is not of this method. */
export async function findSecondFactorFacts(session: OfSession): Promise<SecondFactorFacts | null> {
  return first(secondFactorFacts(session));
}

const signInSame = statement({
  name: 'sign-in-same',
  takes: { asked: 'bytea', idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  text: (value) => `select 1 from sessions o join sessions s on s.person_id = o.person_id and s.sid = o.sid
  and s.auth_method_id = o.auth_method_id join people p on p.id = s.person_id
where o.id_hash = ${value.asked} and s.id_hash = ${value.idHash} and s.auth_method_id = ${value.authMethodId} and ${sessionLives('s', value.idleSeconds)}`,
});

/** Is the sign-in that was asked the one of this id? For a form that was sent twice. */
export async function isSameSignIn(
  asked: Uint8Array,
  { idHash, authMethodId, idleSeconds }: OfSession,
): Promise<boolean> {
  return some(signInSame({ asked, idHash, authMethodId, idleSeconds }));
}

const graceBegin = statement({
  name: 'grace-begin',
  takes: { personId: 'uuid', days: 'int' },
  text: (value) => `
with told as (
  update people set factor_grace_from = now() where id = ${value.personId} and factor_grace_from is null returning factor_grace_from
), grace as (
  select coalesce((select factor_grace_from from told), factor_grace_from) + make_interval(days => ${value.days}) as until
  from people where id = ${value.personId}
)
select until, until > now() as lasts from grace`,
});

/** How long the person may do without a second factor: it begins when they are first told that they need one. */
export async function beginGrace(
  personId: string,
  days: number,
): Promise<{ until: Date; lasts: boolean } | null> {
  return first(graceBegin({ personId, days }));
}

const factorOffered = statement({
  name: 'factor-offered',
  takes: { personId: 'uuid' },
  text: (value) =>
    `update people set factor_offered_at = now() where id = ${value.personId} and factor_offered_at is null`,
});

/** They said Later: the offer is not made again by itself. */
export async function noteOffered(personId: string): Promise<void> {
  await factorOffered({ personId });
}
