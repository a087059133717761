// What ends codes and token families, in one place. That they are dead is decided by the epochs of what they rest on
// (validity.ts), also for those that were in flight; marking them here says why, and lets lists and counts leave them out.
import type { Db } from './transaction.ts';

/** Whose; parts that are left out are not asked about. */
export type TokensOf = {
  personId?: string;
  clientId?: string;
  apiId?: string;
  authMethodId?: string;
  /** consent: what rests on a consent; trust: what rests on anything else */
  basis?: 'consent' | 'trust';
};

const COLUMNS = [
  ['personId', 'person_id'],
  ['clientId', 'client_id'],
  ['apiId', 'api_id'],
  ['authMethodId', 'auth_method_id'],
] as const;

/** Codes first: a code that is redeemed meanwhile either gives a family that is found next, or nothing. */
export async function endTokens(db: Db, of: TokensOf, reason: string): Promise<void> {
  const named = COLUMNS.filter(([part]) => of[part] !== undefined);
  if (named.length === 0) throw new Error('endTokens was not told whose');
  const values = named.map(([part]) => of[part]);
  const basis = { consent: "and basis = 'consent'", trust: "and basis <> 'consent'" };
  const where = `${named.map(([, column], at) => `${column} = $${at + 1}`).join(' and ')}
    ${of.basis ? basis[of.basis] : ''} and revoked_at is null`;
  await db.query({ text: `update codes set revoked_at = now() where ${where}`, values });
  await db.query({
    text: `update token_families set revoked_at = now(), revoked_reason = $${values.length + 1} where ${where}`,
    values: [...values, reason],
  });
}

/** Signs the person out everywhere and ends their tokens (cases SF-06, RT-15). Gives the person's new epoch. */
export async function endSignIns(db: Db, personId: string, reason: string): Promise<string> {
  const [person] = await db.query<{ epoch: string }>({
    text: 'update people set epoch = next_epoch() where id = $1 returning epoch',
    values: [personId],
  });
  await db.query({
    text: 'update sessions set ended_at = now() where person_id = $1 and ended_at is null',
    values: [personId],
  });
  // also those whose sessions have expired: what they hold ends now
  await db.query({ text: 'select tell_clients($1, null)', values: [personId] });
  await endTokens(db, { personId }, reason);
  return person?.epoch ?? '0';
}
