// Types of fields in definitions, and limits on the number of rows. Each message follows the name of its field: `url
// must be …`.
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { checkFault, fault } from '#lib/kit/fault.ts';
import { canonicalEmail, type SecretKind, secretFault, type TextShape, unreadable } from '#lib/kit/text.ts';
import { MAX_PASSWORD_BYTES, readTypedPassword } from '#lib/kit/typed-password.ts';

const ID = 'must be 1 to 63 lowercase letters, digits and hyphens, and must not begin with a hyphen';
const SECONDS = 'must be a whole number from 1';

/** False for the id `new`, which is rejected because `/admin/apis/new` is the page for creation. */
const isNotNew = (value: string) => value !== 'new';
const NEW = 'must not be new: the console uses that name for its pages';

export const registryId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, ID)
  .refine(isNotNew, NEW);
export const clientId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/,
    'must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes',
  )
  .refine(isNotNew, NEW);
/** `/auth/callback` and `/auth/token` are addresses of Area A, so a method cannot have these ids. */
export const authMethodId = registryId.refine(
  (value) => value !== 'callback' && value !== 'token',
  'must not be callback or token',
);
/** Text that people read and on which they base decisions. */
export const readable = (text: z.ZodString, shape: TextShape): z.ZodString =>
  text.superRefine((value, context) => {
    const wrong = unreadable(value, shape);
    if (wrong !== null) context.addIssue({ code: 'custom', ...wrong });
  });
const GROUP = String.raw`(?!\.{1,2}$)[^\s,*\p{C}]{1,255}`;
const GROUP_ID = 'must be 1 to 255 visible characters, without spaces, commas and *';
const GROUP_PATTERN = 'must be the id of a group, or the beginning of ids followed by *';
/** Names of groups exactly as other programs require them, such as `ArgoCDAdmins` and `argocd_admins`. */
export const groupIdText = readable(z.string().regex(new RegExp(`^${GROUP}$`, 'u'), GROUP_ID), 'line').refine(
  isNotNew,
  NEW,
);
/** Id of a group, or the beginning of an id followed by `*`. */
export const groupPattern = readable(
  z.string().regex(new RegExp(`^(?:${GROUP}|[^\\s,*\\p{C}]{0,254}\\*)$`, 'u'), GROUP_PATTERN),
  'line',
);
export const tooLong = (most: number) => checkFault('must not be longer than {most} characters', { most });
export const wholeNumber = (least: number, most: number) => {
  const wrong = checkFault('must be from {least} to {most}', { least, most });
  return z.int('must be a whole number').min(least, wrong).max(most, wrong);
};
export const dateSuchAs = (value: string) => checkFault('must be a date such as {value}', { value });
export const combinedWith = (value: string) => fault('cannot be combined with {value}', { value });
export const choiceFault = (choices: readonly string[]) => checkFault('must be {choices}', { choices });
export const choiceOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, choiceFault(values));
export const noMoreThan = (most: number) => checkFault('must not be more than {most}', { most });
const upTo = (length: number) => z.string().trim().max(length, tooLong(length));
export const label = readable(upTo(200).min(1, 'must not be empty'), 'line');
/** The name of a person, which can be empty. */
export const personName = readable(upTo(200), 'line');
/** A list with a maximum length. */
export const atMost = <Item extends z.ZodType>(count: number, item: Item) =>
  z.array(item).max(count, noMoreThan(count));
export const longText = readable(upTo(2000), 'lines');
/** Description of a scope, which users read on the consent page. */
export const sentence = readable(upTo(2000), 'line');
export const seconds = z.int(SECONDS).min(1, SECONDS).max(2_147_483_647, 'must not exceed 2147483647');
const secretOf = (kind: SecretKind, text = z.string()) =>
  text
    .min(1, 'must not be empty')
    .max(4096, tooLong(4096))
    .superRefine((value, context) => {
      const message = secretFault(value, kind);
      if (message !== null) context.addIssue({ code: 'custom', message });
      else if (kind === 'password' && readTypedPassword(value) === null)
        context.addIssue({
          code: 'custom',
          ...fault('must not be longer than {most} bytes', { most: MAX_PASSWORD_BYTES }),
        });
    });
/** Secret of a client, an API or an external service. */
export const secretText = secretOf('secret');
/**
 * Converts a PEM key (PKCS#8, RFC 5958) to one line without header and footer. In environment variables, line breaks
 * may be written as \\n.
 */
export const oneLineKey = (keyText: string): string =>
  /^\s*-----BEGIN PRIVATE KEY-----/.test(keyText)
    ? keyText.replaceAll('\\n', '\n').replaceAll(/-----(?:BEGIN|END) PRIVATE KEY-----|\s/g, '')
    : keyText;
export const keyOrSecretText = secretOf('secret', z.string().overwrite(oneLineKey));
/** A password of a person. */
export const passwordText = secretOf('password');
/**
 * An address `local@domain`. The local part has the characters of RFC 5322 §3.2.3 without spaces, and the
 * letters of RFC 6531. If it is quoted, it can contain the same characters.
 */
const MAILBOX = /^(?:[^\s@"(),:;<>[\]\\\p{C}]+|"[^\s@"(),:;<>[\]\\\p{C}]+")@[^\s@"(),:;<>[\]\\\p{C}]+$/u;
const NO_ADDRESS = 'must be an email address';
/**
 * Exactly one mailbox, in one spelling. Rejects lists, display names, comments, and domains that equal an A-label
 * domain only after normalization. Returns `canonicalEmail`.
 */
export const emailAddress = z
  .string()
  .trim()
  .max(254, tooLong(254))
  .regex(MAILBOX, { error: NO_ADDRESS, abort: true })
  .refine((value) => {
    if (unreadable(value, 'line') !== null) return false;
    const host = canonicalEmail(value).slice(value.indexOf('@') + 1);
    return host === domainToASCII(host) && host.split('.').every((name) => name !== '');
  }, NO_ADDRESS)
  .transform(canonicalEmail)
  .refine(
    (value) => value.length <= 254,
    fault('must not be longer than {most} characters, its domain as A-labels', { most: 254 }),
  );
/** Name of a scope (RFC 6749 §3.3). */
export const scopeName = z
  .string()
  .max(200, tooLong(200))
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    'must be a scope: visible ASCII without space, quote and backslash (RFC 6749 §3.3)',
  );
/** Address of a page, with https or http. Fields that require https use `callFault` in addition. */
export const webAddress = readable(upTo(2000), 'line').refine((value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  return (
    url !== null && /^https?:\/\//i.test(value) && !value.includes('#') && !url.username && !url.password
  );
}, 'must be an absolute https:// address without a fragment');
/** An optional field, in which an empty string becomes null. */
const optional = (text: z.ZodType<string, string>) =>
  z.union([z.literal('').transform(() => null), text.nullable()], 'must be a string').default(null);

export const optionalAddress = optional(webAddress);
/** The address of a page, or a mail address as `mailto:`. */
export const optionalContact = optional(
  readable(z.string().max(2000, tooLong(2000)), 'line').refine(
    (value) => /^mailto:[^\s@]+@[^\s@]+$/i.test(value) || webAddress.safeParse(value).success,
    'must be a mailto: or an absolute https:// address without a fragment',
  ),
);

/** Number of rows at which counting stops, so that a list of millions of rows costs no additional time. */
export const MOST_COUNTED = 10_000;
/** Maximum number of results of one kind in the search. The list of that kind shows all objects. */
export const MOST_FOUND = 10;
/** Maximum number of authenticator apps per person, which the table `totp_secrets` enforces. */
export const MOST_TOTPS = 5;
