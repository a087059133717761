// Detects credentials in pasted text: header, form, JSON or bare token. Pages then send the text by POST, because
// addresses and drafts must not contain it. Phrases such as "Basic plan" remain searchable.

/** Prefixes of Gatehouse's credentials (formats.ts), and the beginning of a compact JWS or JWE (RFC 7515 §7.1). */
const TOKEN = String.raw`(?<![\w\-])(?:gh(?:c|d|r|rk|a|ma|s|cs|m)_[\w\-]{8,}|eyJ[\w\-]{4,}\.[\w.\-]*)`;

/** Characters of `token68` (RFC 9110 §11.2). */
const TOKEN68 = String.raw`[\w\-.~+\/=]`;
const WORD = String.raw`(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,4}`;
/** Words and numbers with separators, such as `orders-archive-2026`. */
const WORDS = String.raw`${WORD}(?:[\-._\/](?:${WORD}|\d{1,4}))*(?!${TOKEN68})`;
/** At least 16 characters of `token68` that contain a digit or mixed case, and are not only words. */
const SECRET = String.raw`(?!${WORDS})(?=${TOKEN68}*(?:\d|[a-z][A-Z]))${TOKEN68}{16,}`;

/** An HTTP authentication scheme and its value (RFC 9110 §11.4). */
const SCHEME = String.raw`\b(?:[Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Pp][Oo][Pp]|[Bb][Aa][Ss][Ii][Cc])\s+(?<credentials>${SECRET})`;
/** Names of members with credentials in requests and responses (RFC 6749, RFC 7523, RFC 8628, RFC 8693). */
const NAME = String.raw`(?<![\w\-])(?:access_token|refresh_token|id_token|subject_token|actor_token|client_secret|client_assertion|device_code|code_verifier|password)`;
const QUOTED = String.raw`\\?["']?\s*[:=]\s*(?:\\?"(?<double>[^"\\]+)|'(?<single>[^']+))`;
const NUMBER = String.raw`["']\s*:\s*(?<number>\d+)`;
const FORM = String.raw`=(?<form>[^\s"'&,;\}]+)`;
const LINE = String.raw`\s*[:=]\s*(?<line>${SECRET})`;
const MEMBER = `${NAME}(?:${QUOTED}|${NUMBER}|${FORM}|${LINE})`;
/**
 * Header of a private key (RFC 7468 §10) or a PGP key. The length of the label is limited; otherwise a match would take
 * quadratic time on a stranger's text.
 */
const PRIVATE_KEY = '-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: [A-Z]{1,20}){0,3}-----';

const FOUND_TOKEN = new RegExp(TOKEN);
const FOUND_VALUE = new RegExp(`${SCHEME}|${MEMBER}`);
const FOUND_KEY = new RegExp(PRIVATE_KEY);

/** Returns the first credential in the text; a token takes precedence. Null if there is none. */
export function findCredential(text: string): string | null {
  const token = FOUND_TOKEN.exec(text)?.[0];
  if (token !== undefined) return token;
  const values = Object.values(FOUND_VALUE.exec(text)?.groups ?? {});
  return values.find((value) => value !== undefined) ?? (FOUND_KEY.test(text) ? text : null);
}

const EACH_TOKEN = new RegExp(TOKEN, 'g');
const EACH_VALUE = new RegExp(`${SCHEME}|${MEMBER}`, 'g');
const EACH_KEY = new RegExp(`${PRIVATE_KEY}[\\s\\S]*?(?:-----END [A-Z0-9 ]{1,100}-----|$)`, 'g');
/** A password in an address (RFC 3986 §3.2.1), such as `postgres://user:password@host`. */
const EACH_USERINFO = /(\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s/:@]{0,200}:)[^\s/]{1,500}(?=@)/gi;

const REDACTED = '[redacted]';

/** Replaces credentials by `[redacted]`. */
export const redactCredentials = (text: string): string =>
  text
    .replaceAll(EACH_KEY, REDACTED)
    .replaceAll(EACH_TOKEN, REDACTED)
    .replaceAll(EACH_USERINFO, `$1${REDACTED}`)
    .replaceAll(EACH_VALUE, (match, ...rest) => {
      const values = Object.values(rest.at(-1) as Record<string, string | undefined>);
      const value = values.find((group) => group !== undefined) ?? match;
      const at = match.lastIndexOf(value);
      return match.slice(0, at) + REDACTED + match.slice(at + value.length);
    });

/** Value of the HTML attribute `pattern` for inputs of GET forms. With it, browsers reject credentials in the input. */
export const NO_CREDENTIAL_PATTERN = `(?!.*(?:${TOKEN}|${SCHEME}|${MEMBER}|${PRIVATE_KEY})).*`;
