// What a person who has to replace their password is known by meanwhile: no session of theirs has begun.
import { first } from '../database/prisma.ts';
import { statement } from '../database/statement.ts';
import { LET_IN } from '../tokens/let-in.ts';

export type OwedPasswordFacts = {
  email: string | null;
  /** how pages name the person */
  label: string;
  name: string;
  /** the language of their profile (BCP 47) */
  locale: string | null;
  /** as it is stored, sealed pepper included */
  passwordHash: string;
  hasFactor: boolean;
  hasTotp: boolean;
  /** recovery codes that are left */
  recoveryCodes: number;
};

const owedPasswordFacts = statement({
  name: 'owed-password-facts',
  takes: { personId: 'uuid', epoch: 'text', authMethodId: 'text', methodEpoch: 'text' },
  text: (
    value,
  ) => `select p.email, coalesce(p.email, p.username, nullif(p.name, ''), p.id::text) as label, p.name, p.locale,
  p.password_hash as "passwordHash", p.factor_level > 0 as "hasFactor",
  exists (select 1 from totp_secrets t where t.person_id = p.id) as "hasTotp",
  (select count(*)::int from recovery_codes r where r.person_id = p.id and r.used_at is null) as "recoveryCodes"
from people p where p.id = ${value.personId} and p.epoch::text = ${value.epoch} and p.disabled_at is null
  and p.password_hash is not null and exists (select from auth_methods m
    where m.id = ${value.authMethodId} and m.epoch::text = ${value.methodEpoch} and ${LET_IN})`,
});

/** Null: the person has been signed out since, is disabled or gone, or the method lets them in no more. */
export async function findOwedPasswordFacts(of: {
  personId: string;
  epoch: string;
  authMethodId: string;
  methodEpoch: string;
}): Promise<OwedPasswordFacts | null> {
  return first(owedPasswordFacts(of));
}
