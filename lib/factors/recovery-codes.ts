// Recovery codes: ten of 80 bits, each of which replaces a lost factor once. They are Crockford's base32, which has no
// lookalikes; the database has SHA-256 of a code and its person, so that a guess is good against one person only.
import { randomBytes } from 'node:crypto';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { replaceRecoveryCodes } from '#lib/store/people/recovery-codes.ts';
import { spendRecoveryCode } from '#lib/store/sign-in/recovery-codes.ts';
import { clearWrongCodes } from '#lib/store/sign-in/totp.ts';
import { type FactorContext, type MustWait, underFactorLimits } from './limits.ts';
import type { FactorProof } from './proof.ts';
import { inGroups, withoutGaps } from './typed.ts';

const CODES = 10;
const CHARACTERS = 16;
/** Each character is five bits: 32 divides 256, so a random byte chooses evenly. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const newCode = (): string => Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % 32]).join('');

const hashOf = (personId: string, code: string) => sha256(`recovery code ${personId} ${code}`);

/** Normalises a typed code: upper case, no separators, O→0, I/L→1. Other text is returned as is and matches nothing. */
function codeOf(typed: string): string {
  const letters = withoutGaps(typed).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  return letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/**
 * Ten new codes, in groups, to be shown once; those from before are of no use any more. Writes `recovery_codes.made`.
 * Throws where the person has no factor: a code replaces one, and is never the first.
 */
export async function makeRecoveryCodes(
  personId: string,
  db?: Db,
  context?: Partial<FactorContext>,
): Promise<string[]> {
  if (db === undefined) return inTransaction((tx) => makeRecoveryCodes(personId, tx, context));
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(newCode());
  const hashes = [...codes].map((code) => hashOf(personId, code));
  if (!(await replaceRecoveryCodes(db, personId, hashes)))
    throw new Error('recovery codes stand in for a factor, and this person has none');
  const { requestId, ip } = context ?? {};
  const event = { actor: personId, personId, requestId, ip: ip ?? undefined };
  await recordEvent({ event: 'recovery_codes.made', ...event }, db);
  return [...codes].map((code) => inGroups(code, '-'));
}

/** Uses the code up, and writes `recovery_code.used`. `wrong` is also a code that was used. */
export async function proveRecoveryCode(input: {
  personId: string;
  code: string;
  context: FactorContext;
}): Promise<FactorProof | 'wrong' | MustWait> {
  const use = { personId: input.personId, ...input.context };
  const codeHash = hashOf(use.personId, codeOf(input.code));
  const left = await underFactorLimits('recovery_code', use, () => spendRecoveryCode({ ...use, codeHash }));
  if (typeof left === 'number') await clearWrongCodes(use.personId);
  return typeof left === 'number' ? { kind: 'recovery_code', level: 2, amr: ['otp'] } : left;
}
