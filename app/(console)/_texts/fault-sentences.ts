// What is wrong with a field, after its name in English: definitions say it only in English, and pages in other
// languages as a sentence of its own beside the field.
import type { PageWords } from './page-words.ts';
import { toSay } from './to-say.ts';

/** What follows the name of the field. */
export const FAULT_SENTENCES: readonly string[] = toSay([
  'goes with accent, which is missing',
  'has a contrast of {ratio}:1 on {page}; it must be {least}:1 or more: try {proposed}',
  'has {count} bytes: at most {most} are taken',
  'holds a NUL character',
  'holds a character outside of printable ASCII',
  'holds a control character',
  'holds a line break',
  'holds a space',
  'holds a space: percent-encode it as %20',
  'holds half of a surrogate pair',
  'is empty',
  'is missing',
  'is missing: a broker needs issuer, or all four of these',
  'is missing: a public client is browser or native',
  'is missing: pairwise subjects need one sector, and the redirect addresses are of {hosts}',
  'is missing: private_key_jwt takes jwks or jwks_uri',
  'is neither a data: URI of a picture in base64 nor the address of one that is stored here',
  'is nested too deeply',
  'is not one that a page of this list gave',
  'is only for token_endpoint_auth_method private_key_jwt',
  'is {language}, which stands here already',
  'must be 1 to 100 visible ASCII characters',
  'must be 1 to 200 characters',
  'must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes',
  'must be 1 to 63 small letters, digits and hyphens, and must not begin with a hyphen',
  'must be 1 to {most} addresses',
  'must be ES256 or RS256',
  'must be P-256, P-384, P-521 or Ed25519',
  'must be RS256 or ES256',
  'must be RSA, EC or OKP: a symmetric key is a secret, and none is accepted',
  'must be a claim that a method of the API gives: {value}',
  'must be a colour as #rrggbb',
  'must be a date',
  'must be a language, such as de or pt-BR',
  'must be a list of keys',
  'must be a mailto: or an absolute https:// address without a fragment',
  'must be a name of at most 200 characters',
  'must be a scope: visible ASCII without space, quote and backslash (RFC 6749 §3.3)',
  'must be a string',
  'must be a string, or a map of languages such as {example}',
  'must be a text',
  'must be a time zone, such as Europe/Berlin',
  'must be a whole address, such as {value}',
  'must be a whole number',
  'must be a whole number from 1',
  'must be a whole number from 0 to 30',
  'must be a whole number from 1 to 3650',
  'must be a whole number from 1 to {most}',
  'must be a whole public key',
  'must be administrator, approver or developer',
  'must be an absolute https:// address without a fragment',
  'must be an e-mail address',
  'must be an e-mail address, or @example.com for all of a domain',
  'must be an https:// address of at most 2048 characters, without a name or password',
  'must be an odd number from 3, of four bytes at most',
  'must be an origin such as https://login-orders.example',
  'must be an origin such as https://shop.example',
  'must be an origin, without a path: {value}',
  'must be another claim: people choose this one themselves',
  'must be at least one',
  'must be base64url',
  'must be browser or native (web: confidential ones)',
  'must be browser or native where confidential is not true',
  'must be confidential, browser or native',
  'must be empty: a public client can not prove who it is',
  'must be form_post',
  'must be from 1 to 60000',
  'must be https (or http on localhost, for development)',
  'must be https (or http on this machine, for development)',
  'must be https unless allow_private_network is true',
  'must be https, http on localhost, 127.0.0.1 or [::1], or begin with a name of your own, such as {value}',
  'must be jwt or opaque',
  'must be keys and values',
  'must be none or left out: a public client does not authenticate',
  'must be always or left out: refresh tokens of a public client rotate',
  'must be off or on',
  'must be off, ask or listed',
  'must be one line',
  'must be one of {value}',
  'must be public or pairwise',
  'must be sig: the key signs, and nothing is encrypted',
  'must be the issuer itself: leave off /.well-known/…',
  'must be the issuer of an authorization server, an https:// address, perhaps a space and the client_id there',
  'must be the name of a curve',
  'must be the name of a host without scheme and port: example.com, or *.example.com for every name below it',
  'must be true',
  'must be true or false',
  'must be without spaces and other characters that no address has',
  'must be written as {value}',
  'must be {values}',
  'must be {value} with this key',
  'must begin with a name of your own that has a dot, such as {value}',
  'must end before #',
  'must have no query',
  'must have {least} to {most} bits',
  'must hold a key',
  'must hold {value}, for which a value is put in',
  'must hold something that can be seen',
  'must list every redirect address: {value} is not there',
  'must name a host, after https://',
  'must name one host: letters, digits, hyphens and dots',
  'must not be a private address unless allow_private_network is true',
  'must not be callback or token',
  'must not be empty',
  'must not be empty: choose what the agent may do',
  'must not be empty: give a text, or one for each language',
  'must not be here: it is the private part. Register the public key of a new pair, as this one was shown',
  'must not be longer than {count} characters',
  'must not be longer than {count} characters, its domain as A-labels',
  'must not be more than {count}',
  'must not be more than {count} languages',
  'must not be new: the console keeps that for its own pages',
  'must not be none: a confidential client authenticates',
  'must not be over 2147483647',
  "must not be {value}: scopes of OpenID Connect are no API's, give it another name",
  'must not be {value}: that name is reserved',
  'must not be {value}: those are roles of the console, which no group gives',
  'must not begin with {value}',
  'must be the id of a group, or how ids begin and *',
  'must not end with a dot',
  'must not have *: every address is registered whole',
  'must not have /./ or /../ in its path',
  'must not have `{value}` in its query: the answer uses that name',
  'must not have more than {count} bytes, all addresses of the client together',
  'must not have more than {count} bytes, all texts together',
  'must not have the form of a subject identifier: neither a UUID nor 43 letters, digits, hyphens and underscores',
  'must not hold a query, a fragment, an escape or an empty part of a path',
  'must not hold a user name or password',
  'must not hold the control character {value}',
  'must not hold {value}: nothing is put in for it',
  'must not hold {character}, which cannot be seen or turns the direction of text around',
  'must not be false with the shared redirect address',
  'must not be false without a client secret',
  'must not name a password',
  'must not stand beside issuer',
  'must not stand beside jwks',
  'must not stand beside {value}',
  'must write its host as {value}',
]);

const PATTERNS = FAULT_SENTENCES.filter((text) => text.includes('{'))
  .sort((one, other) => other.length - one.length)
  .map((text) => {
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const source = text
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('(.+)');
    return { text, names, pattern: new RegExp(`^${source}$`, 's') };
  });

/** The English text with its values. Null: it is none of these. */
export function faultSentenceOf(english: string): { text: string; values?: Record<string, string> } | null {
  if (FAULT_SENTENCES.includes(english)) return { text: english };
  for (const { text, names, pattern } of PATTERNS) {
    const values = pattern.exec(english)?.slice(1);
    if (values)
      return { text, values: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) };
  }
  return null;
}

/** In the language of the page; null where it has no such sentence. */
export function faultSentence({ say }: PageWords, english: string): string | null {
  const found = faultSentenceOf(english);
  return found && say(found.text, found.values);
}
