// A lost factor: an administrator removes everything by which a person signs in beside the password, and every
// sign-in ends. What is in flight ends too, by the person's epoch: a proof that was made meanwhile raises a session
// that is dead.

import { tellOfFactor } from '#lib/mail/tell-factor.ts';
import { SECOND_FACTOR_ROLES } from '#lib/registry/objects/person.ts';
import { settings } from '#lib/settings/settings.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { endSignIns } from '#lib/store/endings/endings.ts';
import { takeFactors } from '#lib/store/people/factors.ts';
import { countWithoutFactor } from '#lib/store/people/roles.ts';
import { endPersonSessions } from '#lib/store/people/session-list.ts';
import { operation } from '../core/operation.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';
import { findByRef, type PersonRef } from './people.ts';

const NOTHING = { passkeys: 0, totp: false, totpCount: 0, recoveryCodes: 0, browsers: 0 };

/** What there was; `sessions`: how many ended. */
export type FactorReset = Awaited<ReturnType<typeof takeFactors>> & { sessions: number };

export const resetFactors = operation(
  'resetFactors',
  async ({ actor, db: pool }, input: PersonRef): Promise<FactorReset> => {
    const person = await findByRef(pool, input);
    // one's own are changed with a proof of them, on the account's page
    if (actor.kind === 'person' && actor.id === person.id) throw new Refused('person.own_factors');
    const reset = await inTransaction(async (db) => {
      const taken = await takeFactors(db, person.id);
      const { passkeys, totp, recoveryCodes, browsers } = taken;
      if (passkeys + recoveryCodes + browsers === 0 && !totp) return null;
      const sessions = await endPersonSessions(db, person.id, null);
      await endSignIns(db, person.id, 'factors reset');
      await record(actor, { event: 'factor.reset', personId: person.id, details: taken }, db);
      return { ...taken, sessions };
    });
    if (reset === null) return { ...NOTHING, sessions: 0 };
    tellOfFactor({ email: person.email, locale: person.locale }, 'reset');
    return reset;
  },
);

/** What the console asks of approvers and administrators, and how many of them have no factor yet. */
export const readSecondFactors = operation(
  'readSecondFactors',
  async ({ db }): Promise<{ policy: 'off' | 'optional' | 'required'; without: number }> => ({
    policy: settings().consoleSecondFactor,
    without: await countWithoutFactor(db, SECOND_FACTOR_ROLES),
  }),
);
