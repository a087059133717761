// What a password check needs to know, and what it leaves behind.
import { log } from '#lib/kit/index.ts';
import { query } from '../database/index.ts';
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
};

/** E-mail in lower case; null: nobody. */
export async function findLocalCredential(
  email: string,
  authMethodId: string,
): Promise<LocalCredential | null> {
  const [row] = await query<LocalCredential>({
    name: 'credential-find',
    text: `select p.id as "personId", p.epoch as "personEpoch", p.password_hash as "passwordHash",
  p.disabled_at is not null as disabled, p.factor_level > 0 as "hasFactor",
  exists (select from auth_methods m where m.id = $2 and ${LET_IN}) as "letIn"
from people p where p.email = $1`,
    values: [email, authMethodId],
  });
  return row ?? null;
}

/** Puts a hash with today's parameters in the place of one with weaker ones, if the password is still the same. */
export async function upgradePasswordHash(personId: string, oldHash: string, newHash: string): Promise<void> {
  await query({
    name: 'credential-upgrade',
    text: 'update people set password_hash = $3 where id = $1::uuid and password_hash = $2',
    values: [personId, oldHash, newHash],
  });
}

const TOUCH_EVERY_MS = 60_000;
const TOUCHED_MAX = 20_000;
const touched = new Map<string, number>();

/** Remembers, at most once a minute, that a client secret is in use; nobody waits for it. */
export function touchClientSecret(clientId: string, secretHash: Buffer): void {
  const key = `${clientId} ${secretHash.toString('latin1')}`;
  const at = performance.now();
  if (at - (touched.get(key) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
  if (touched.size >= TOUCHED_MAX) touched.clear();
  touched.set(key, at);
  query({
    name: 'client-secret-touch',
    text: `update client_secrets set last_used_at = now() where client_id = $1 and secret_hash = $2
  and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [clientId, secretHash],
  }).catch((error: Error) => log().warn({ reason: error.message }, 'the last use of a secret was not noted'));
}

/** Is this the epoch of the person still? False: something has ended their sign-ins since, or the person is gone or disabled. */
export async function hasPersonEpoch(personId: string, epoch: string): Promise<boolean> {
  const rows = await query({
    name: 'person-epoch',
    text: 'select from people where id = $1 and epoch::text = $2 and disabled_at is null',
    values: [personId, epoch],
  });
  return rows.length > 0;
}
