// What a password check needs to know, and what it leaves behind.
import { log } from '#lib/kit/log.ts';
import { statement } from '../database/statement.ts';
import { LET_IN } from './let-in.ts';

export type LocalCredential = {
  personId: string;
  personEpoch: string;
  passwordHash: string | null;
  disabled: boolean;
  /** a second factor */
  hasFactor: boolean;
  /** may they sign in by the method? */
  letIn: boolean;
  /** as tokens name them where it is not the id; null: it is the id */
  subject: string | null;
  /** null: they sign in by a user name */
  email: string | null;
  /** they came by an import, and have no role in the console: a former service may be asked about them */
  isImported: boolean;
  /** must they choose a new password at their next sign-in? */
  mustChange: boolean;
};

/** SQL */
const IMPORTED = 'p.import_run is not null and cardinality(p.roles) = 0';

const credentialFind = statement({
  name: 'credential-find',
  takes: { name: 'text', authMethodId: 'text' },
  text: (value) => `select p.id as "personId", p.epoch as "personEpoch", p.password_hash as "passwordHash",
  p.disabled_at is not null as disabled, p.factor_level > 0 as "hasFactor",
  p.must_change_password as "mustChange", p.subject, p.email, ${IMPORTED} as "isImported",
  exists (select from auth_methods m where m.id = ${value.authMethodId} and ${LET_IN}) as "letIn"
from people p where p.email = ${value.name} or p.username = ${value.name}`,
});

/** An e-mail address, or a user name, which has no @; in lower case. Null: no such person. */
export async function findLocalCredential(
  name: string,
  authMethodId: string,
): Promise<LocalCredential | null> {
  const [row] = await credentialFind<LocalCredential>({ name, authMethodId });
  return row ?? null;
}

const credentialUpgrade = statement({
  name: 'credential-upgrade',
  takes: { personId: 'uuid', oldHash: 'text', newHash: 'text' },
  text: (value) =>
    `update people set password_hash = ${value.newHash} where id = ${value.personId} and password_hash = ${value.oldHash}`,
});

/** Puts a hash with today's parameters in the place of one with weaker ones, if the password is still the same. */
export async function upgradePasswordHash(personId: string, oldHash: string, newHash: string): Promise<void> {
  await credentialUpgrade({ personId, oldHash, newHash });
}

const credentialAdopt = statement({
  name: 'credential-adopt',
  takes: { personId: 'uuid', personEpoch: 'text', newHash: 'text', authMethodId: 'text' },
  text: (value) => `
with adopted as (
  update people p set password_hash = ${value.newHash} where p.id = ${value.personId}
    and p.password_hash is null and p.epoch::text = ${value.personEpoch} and p.disabled_at is null and ${IMPORTED}
  returning id, email, locale
), links as (
  delete from mail_tokens where person_id = (select id from adopted)
), noted as (
  insert into audit_events (event, actor, person_id, auth_method_id)
  select 'person.password_set', 'system', id, ${value.authMethodId} from adopted
)
select email, locale from adopted`,
});

/** How a mail reaches a person. */
export type Reached = { email: string | null; locale: string | null };

/**
 * The password of an imported person who had none, which ends each link that was mailed to them: unless they have one meanwhile, were signed out everywhere, or disabled. It is
 * the one of before, so that `password_changed_at`, which would end what came along with them, is left as it is.
 */
export async function adoptPassword(of: {
  personId: string;
  personEpoch: string;
  newHash: string;
  authMethodId: string;
}): Promise<Reached | null> {
  const [row] = await credentialAdopt<Reached>(of);
  return row ?? null;
}

const TOUCH_EVERY_MS = 60_000;
const TOUCHED_MAX = 20_000;
const touched = new Map<string, number>();

const clientSecretTouch = statement({
  name: 'client-secret-touch',
  takes: { clientId: 'text', secretHash: 'bytea' },
  text: (
    value,
  ) => `update client_secrets set last_used_at = now() where client_id = ${value.clientId} and secret_hash = ${value.secretHash}
  and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
});

/** Remembers, at most once a minute, that a client secret is in use; no request waits for it. */
export function touchClientSecret(clientId: string, secretHash: Buffer): void {
  const key = `${clientId} ${secretHash.toString('latin1')}`;
  const at = performance.now();
  if (at - (touched.get(key) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
  if (touched.size >= TOUCHED_MAX) touched.clear();
  touched.set(key, at);
  clientSecretTouch({ clientId, secretHash }).catch((error: Error) =>
    log().warn({ reason: error.message }, 'the last use of a secret was not noted'),
  );
}

const personEpoch = statement({
  name: 'person-epoch',
  takes: { personId: 'uuid', epoch: 'text' },
  text: (value) =>
    `select from people where id = ${value.personId} and epoch::text = ${value.epoch} and disabled_at is null`,
});

/**
 * Is this the epoch of the person still? False: something has ended their sign-ins since, or the person is gone or
 * disabled.
 */
export async function hasPersonEpoch(personId: string, epoch: string): Promise<boolean> {
  const rows = await personEpoch({ personId, epoch });
  return rows.length > 0;
}
