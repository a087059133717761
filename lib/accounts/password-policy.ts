// Rules for a new password: its length, no password that others use, and no word that belongs to this person or this
// service. No rule asks for signs of several kinds (NIST SP 800-63B-4 §3.1.1.2).
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { AuditEvent } from '#lib/audit/events.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { Message } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { isBreached, isKnownPassword } from './known-passwords.ts';

const PRODUCT = 'Gatehouse';

/** Whose password it is to be. */
export type PasswordOwner = { email: string | null; name: string };

type By = Pick<AuditEvent, 'actor' | 'requestId' | 'ip'>;

/**
 * `by`: who chooses it; the audit log says where a check could not be made. No connection to the database is held
 * meanwhile.
 */
export async function passwordFaults(
  by: By,
  password: string,
  owner: PasswordOwner,
): Promise<PasswordFault[]> {
  const plain = await plainPasswordFaults(password, owner);
  const typed = readTypedPassword(password);
  return plain.length > 0 || typed === null ? plain : breachFaults(by, typed);
}

/** A fault that pages have in every language. */
export type PasswordFault = Fault & Message;

const asFaults = (wrong: Message | null): PasswordFault[] =>
  wrong === null ? [] : [{ field: 'password', ...wrong, message: wordsOf('en').told(wrong) }];

/** Why a password that `readTypedPassword` refuses is refused as a new one. */
export const tooLongFaults = (): PasswordFault[] => asFaults({ code: 'new_password.long' });

/** Those that cost no outgoing call. */
export async function plainPasswordFaults(password: string, owner: PasswordOwner): Promise<PasswordFault[]> {
  return asFaults(
    lengthFault(password) ?? (await guessFault(password)) ?? ownWordFault(password, ofService(owner)),
  );
}

/** One outgoing call, where PASSWORD_RANGE_URL is set: callers count it first. */
export async function breachFaults(by: By, password: TypedPassword): Promise<PasswordFault[]> {
  const breached = await isBreached(password);
  if (breached === null) await recordEvent({ ...by, event: 'person.password_unchecked' });
  return asFaults(breached ? { code: 'new_password.leaked' } : null);
}

/** Is it a word that belongs to this person or this service? */
export const ownWordFaults = (password: string, owner: PasswordOwner): PasswordFault[] =>
  asFaults(ownWordFault(password, ofService(owner)));

function lengthFault(password: string): Message | null {
  if (readTypedPassword(password) === null) return { code: 'new_password.long' };
  const length = [...password].length;
  const least = settings().passwordMinLength;
  if (length < least) return { code: 'new_password.short', values: { least } };
  return length > 200 ? { code: 'new_password.long' } : null;
}

async function guessFault(password: string): Promise<Message | null> {
  if (new Set(password).size < 3) return { code: 'new_password.too_easy' };
  const isKnown = await isKnownPassword(password);
  return isKnown ? { code: 'new_password.known' } : null;
}

export const serviceHost = () => new URL(settings().baseUrl).hostname;

type Owned = PasswordOwner & { host: string | null; service?: string };

const ofService = (owner: PasswordOwner): Owned => ({
  ...owner,
  host: serviceHost(),
  service: settings().serviceName,
});

/** The person's address or name, or the service's name or host: as is, repeated, or with digits and signs around it. */
export function ownWordFault(password: string, owner: Owned): Message | null {
  const forms = [letters(password), core(password)];
  const words = ownWords(owner).flatMap((word) => [letters(word), core(word)]);
  const isOwn = words.some((word) => word.length >= 3 && forms.some((form) => consistsOf(form, word)));
  return isOwn ? { code: 'new_password.own_words' } : null;
}

function ownWords({ email, name, host, service = PRODUCT }: Owned): string[] {
  const [address, at] = [email ?? '', host ?? ''];
  const [local = ''] = address.split('@');
  const parts = [...at.split('.').slice(0, -1), ...name.split(/\s+/)];
  return [PRODUCT, service, at, address, local, name, ...parts];
}

const letters = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
const core = (text: string) => letters(text).replace(/^\p{N}+|\p{N}+$/gu, '');
const consistsOf = (text: string, word: string) => text !== '' && text.replaceAll(word, '') === '';
