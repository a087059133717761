// A person changes their e-mail address: with a fresh sign-in, and with the codes that mails bring to both addresses.
// Only the mailbox tells whether the new address has an account already: until then pages, limits and mails are the
// same.
import { randomInt } from 'node:crypto';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { ADDRESS_CHANGE_MINUTES } from '#lib/mail/address-mails.ts';
import { type From, limited, mailLimits } from '#lib/mail/mail-limits.ts';
import { background } from '#lib/mail/service-mail.ts';
import { sendAddressChanged, sendAddressCode, sendAddressTaken } from '#lib/mail/tell-address.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import { emailAddress } from '#lib/registry/fields/values.ts';
import { database, inTransaction } from '#lib/store/database/prisma.ts';
import { addressChanges } from '#lib/store/people/address-changes.ts';
import { findPersonByEmail } from '#lib/store/people/people.ts';
import { attemptLimit } from '#lib/store/tokens/limits.ts';
import { operation } from '../core/operation.ts';
import { type Person, readerOf, requirePerson } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused, refuseFaults } from '../core/refused.ts';

/** Sends a code to each address. `handle`: what the page that asks for them holds; without it no codes are right. */
export const startAddressChange = operation(
  'startAddressChange',
  async ({ actor }, input: { email: string }): Promise<{ handle: string }> => {
    const me = requirePerson(actor);
    if (me.email === null) throw new Refused('address.none');
    const email = newAddress(me.email, input.email);
    const handle = randomToken('');
    const [codeHere, codeThere] = [sixDigits(), sixDigits()];
    let made: { known: boolean; from: string; locale: string | null } | null = null;
    const from = origin(me);
    const limits = [
      ...mailLimits('address', email, from.ip),
      attemptLimit('mail', `address from ${me.id}`, 5),
    ];
    const waitSeconds = await limited(limits, from, async () => {
      made = await addressChanges.start({
        personId: me.id,
        email,
        handleHash: sha256(handle),
        codesHash: codesHash(handle, codeHere, codeThere),
        seconds: ADDRESS_CHANGE_MINUTES * 60,
      });
      const { known, from: old, locale } = made ?? {};
      if (known === undefined || old === undefined) return;
      background(async () => {
        const reader = readerOf(me);
        sendAddressCode({ ...reader, email: old }, codeHere, 'old');
        if (known) sendAddressTaken({ ...reader, email, locale });
        else sendAddressCode({ ...reader, email }, codeThere, 'new');
      });
    });
    if (waitSeconds !== null)
      throw new Refused(
        'own_account.too_many_mails',
        {},
        {
          retryAfterSeconds: waitSeconds,
        },
      );
    if (made === null) throw new Refused('address.configured');
    return { handle };
  },
);

/** Both addresses of a change that waits for its codes. Null: it is used, expired, or another person's. */
export const readAddressChange = operation(
  'readAddressChange',
  ({ actor }, input: { handle: string }): Promise<{ from: string; email: string } | null> =>
    addressChanges.find(requirePerson(actor).id, sha256(input.handle)),
);

/** Five wrong tries end it. Sign-ins and tokens remain; links in mails to the old address end. */
export const finishAddressChange = operation(
  'finishAddressChange',
  async (
    { actor },
    input: { handle: string; codeHere: string; codeThere: string },
  ): Promise<{ email: string }> => {
    const me = requirePerson(actor);
    const [here, there] = [plainCode(input.codeHere), plainCode(input.codeThere)];
    refuseFaults([...codeFaults('codeHere', here), ...codeFaults('codeThere', there)]);
    const hash = codesHash(input.handle, here, there);
    if (!(await areRight(me, sha256(input.handle), hash)))
      refuseFaults(['codeHere', 'codeThere'].map((field) => faultAt(field, 'address.code_wrong')));
    const { from, email } = await carryOut(me, hash);
    sendAddressChanged({ ...readerOf(me), email: from }, email);
    return { email };
  },
);

function newAddress(current: string, given: string): string {
  const parsed = emailAddress.safeParse(given);
  if (!parsed.success) throw faulty([faultAt('email', 'register.not_an_address')]);
  if (parsed.data === current) throw faulty([faultAt('email', 'address.same')]);
  return parsed.data;
}

const sixDigits = () => String(randomInt(1_000_000)).padStart(6, '0');
const plainCode = (code: string) => code.replaceAll(/\s/g, '');

function codeFaults(field: string, code: string): Fault[] {
  return /^\d{6}$/.test(code) ? [] : [faultAt(field, 'address.code_digits')];
}

/**
 * Of both codes together: one mailbox does not help to guess the other's code, and the table does not reveal either.
 */
const codesHash = (handle: string, here: string, there: string) => sha256(`${handle} ${here} ${there}`);

/** Ten tries in 15 minutes, over all changes that the person begins. */
async function areRight(me: Person, handleHash: Buffer, hash: Buffer): Promise<boolean> {
  const limits = [attemptLimit('account', `address ${me.id}`, 10)];
  try {
    const tried = await underLimits(
      limits,
      origin(me),
      () => addressChanges.tryCodes(me.id, handleHash, hash),
      (result) => result?.right !== true,
    );
    if (tried === null) throw new Refused('address.change_gone');
    return tried.right;
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: error.waitSeconds });
  }
}

async function carryOut(me: Person, hash: Buffer): Promise<{ from: string; email: string }> {
  let wanted: string | null = null;
  try {
    return await inTransaction(async (db) => {
      const change = await addressChanges.take(db, me.id, hash);
      if (!change) throw new Refused('address.change_gone');
      wanted = change.email;
      await addressChanges.give(db, me.id, change.email);
      const details = { changed: ['email'], before: { email: change.from }, after: { email: change.email } };
      await record(me, { event: 'person.changed', personId: me.id, details }, db);
      return change;
    });
  } catch (error) {
    // the address is unique: another account has taken it since the mails went out
    if (wanted === null || !(await findPersonByEmail(await database(), wanted))) throw error;
    throw new Refused('address.taken');
  }
}

function origin(me: Person): From {
  return { ip: me.request?.ip ?? null, requestId: me.request?.id ?? '' };
}
