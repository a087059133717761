// User who must replace an expired password.
import { openOwedPassword, replaceOwedPassword, sealOwedPassword } from '#lib/sign-in/steps.ts';
import { sql } from '../data/registry.ts';

/** Replaces the password after old-password verification. */
export async function replaceOwed(
  email: string,
  from: { ip: string | null; requestId: string },
  password = 'correct horse battery',
) {
  const [row] = await sql<{ id: string; epoch: string; method: string }>(
    `insert into people (email, password_hash) values ($1, 'x')
     returning id, epoch::text, (select epoch::text from auth_methods where id = 'pw') as method`,
    [email],
  );
  const { id: personId = '', epoch: personEpoch = '', method: methodEpoch = '' } = row ?? {};
  const proved = { kind: 'identity', personId, personEpoch, methodEpoch, account: email } as const;
  const owed = openOwedPassword(
    sealOwedPassword({ ...proved, attempts: [] }, { authMethodId: 'pw', holder: 'here' }),
    'here',
  );
  if (!owed) throw new Error('it is not open');
  const given = { password, code: '' };
  return replaceOwedPassword(owed, given, from, async () => null);
}
