// User who must replace an expired password.
import { type Carrier, openOwedPassword, replaceOwedPassword, sealOwedPassword } from '#lib/sign-in/steps.ts';
import { sql } from '../data/registry.ts';

/** A carrier that starts and raises no session, unless `carrier` says otherwise. */
export const carrierWith = (carrier: Partial<Carrier>): Carrier => ({
  ...{
    cookieHeader: undefined,
    ip: null,
    userAgent: null,
    requestId: 'test',
    authMethodId: 'pw',
    holder: '',
  },
  start: async () => null,
  raise: async () => null,
  ...carrier,
});

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
  const carrier = carrierWith({ ...from, holder: 'here' });
  return replaceOwedPassword(carrier, owed, given);
}
