// By which local methods an account of our own may sign in at an issuer. An account of a self-registration belongs to
// the method of it; one of an administrator or of the configuration file (`let_in_at` is null) signs in at each.
import { typesThat } from '#lib/registry/methods/questions.ts';
import { some } from '../database/prisma.ts';
import { statement } from '../database/statement.ts';

/** SQL: are people of the method `m` accounts of ours? */
export const HAS_ACCOUNTS = `m.type in (${typesThat('hasAccounts')
  .map((type) => `'${type}'`)
  .join(', ')})`;

/** SQL: may the person `p` sign in by the method `m`? */
export const LET_IN = `(p.let_in_at is null or not ${HAS_ACCOUNTS} or m.id = any(p.let_in_at)
    or coalesce(m.config->>'registration', '') = 'open')`;

const personLetIn = statement({
  name: 'person-let-in',
  takes: { personId: 'uuid', authMethodId: 'text' },
  text: (value) =>
    `select from people p, auth_methods m where p.id = ${value.personId} and m.id = ${value.authMethodId} and ${LET_IN}`,
});

/** False also where the person or the method is gone. */
export const isLetIn = (personId: string, authMethodId: string): Promise<boolean> =>
  some(personLetIn({ personId, authMethodId }));
