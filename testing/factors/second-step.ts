// Users with an authenticator app whose current code is unused.
import { enrollTotp, newTotp } from '#lib/factors/totp.ts';
import { query } from '#lib/store/pool.ts';
import { codeOf, FACTOR_CONTEXT } from './factors.ts';

/** Sets up an app for this user; returns its secret. The current code remains unused. */
export async function enrol(personId: string): Promise<string> {
  const { secret } = await newTotp({ label: 'somebody@example.com' });
  const outcome = await enrollTotp({ personId, secret, code: codeOf(secret), ...FACTOR_CONTEXT });
  if (outcome !== 'enrolled') throw new Error(`the app is ${outcome}`);
  const values = [personId];
  await query({
    text: 'update totp_secrets set last_step = last_step - 3 where person_id = $1',
    values,
  });
  return secret;
}
