// Rules for a new password: its length, no common password, and no word that belongs to this person or this service
// (NIST SP 800-63B §3.1.1.2).
import type { Fault } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Actor } from './policy.ts';

const COMMON = new Set(
  `password password1 password12 password123 passw0rd p@ssw0rd 12345678 123456789 1234567890 87654321 11111111 00000000
  88888888 12341234 qwertyui qwerty12 qwerty123 qwertyuiop 1q2w3e4r 1qaz2wsx asdfghjk asdfasdf zxcvbnm1 abcd1234
  abcdefgh iloveyou sunshine princess football baseball superman starwars letmein1 trustno1 welcome1 changeme
  admin123 administrator computer internet michelle jennifer whatever`.split(/\s+/),
);
const SERVICE = 'Gatehouse';

/** Whose password it is to be. */
export type PasswordOwner = { email: string | null; name: string };

export function passwordFaults(password: string, owner: PasswordOwner): Fault[] {
  const message = weakness(password) ?? ownWordFault(password, { ...owner, host: serviceHost() });
  return message === null ? [] : [{ field: 'password', message }];
}

/** A password of the configuration file is only compared with words that others know. */
export function newPasswordFaults(actor: Actor, password: string, owner: PasswordOwner): Fault[] {
  if (actor.kind !== 'configuration') return passwordFaults(password, owner);
  const message = ownWordFault(password, { ...owner, host: serviceHost() });
  return message === null ? [] : [{ field: 'password', message }];
}

function weakness(password: string): string | null {
  const length = [...password].length;
  if (length < 8) return 'a password has at least 8 characters';
  if (length > 200) return 'a password has at most 200 characters';
  if (COMMON.has(password.toLowerCase()) || new Set(password).size < 3)
    return 'this password is too easy to guess';
  return null;
}

export const serviceHost = () => new URL(settings().baseUrl).hostname;

/** The person's address or name, or the service's name or host, as it stands, repeated, or with digits and signs around it. */
export function ownWordFault(
  password: string,
  owner: PasswordOwner & { host: string | null },
): string | null {
  const forms = [letters(password), core(password)];
  const words = ownWords(owner).flatMap((word) => [letters(word), core(word)]);
  const isOwn = words.some((word) => word.length >= 3 && forms.some((form) => consistsOf(form, word)));
  return isOwn ? 'this password is too easy to guess: it is an address or a name that others know' : null;
}

function ownWords({ email, name, host }: PasswordOwner & { host: string | null }): string[] {
  const [address, service] = [email ?? '', host ?? ''];
  const [local = ''] = address.split('@');
  const parts = [...service.split('.').slice(0, -1), ...name.split(/\s+/)];
  return [SERVICE, service, address, local, name, ...parts];
}

const letters = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
const core = (text: string) => letters(text).replace(/^\p{N}+|\p{N}+$/gu, '');
const consistsOf = (text: string, word: string) => text !== '' && text.replaceAll(word, '') === '';
