// Finds a credential inside of a text that a person pasted: a header, a form, JSON, or the token alone. A page with the
// text posts it, and neither an address nor a draft may hold it.

/** Prefixes of this service (formats.ts), and the beginning of a compact JWS or JWE (RFC 7515 §7.1). */
const TOKEN = String.raw`gh(?:c|d|r|rk|a|ma|s|cs|m)_[\w\-]{8,}|eyJ[\w\-]{4,}\.[\w.\-]*`;
/** RFC 9110 §11.4: a scheme of HTTP authentication and its value. */
const SCHEME = String.raw`\b(?:[Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Pp][Oo][Pp]|[Bb][Aa][Ss][Ii][Cc])\s+`;
/** Members of requests and answers (RFC 6749, RFC 7523, RFC 8628, RFC 8693). */
const MEMBER = String.raw`\b(?:access_token|refresh_token|id_token|subject_token|actor_token|client_secret|client_assertion|device_code|code_verifier|password)["']?\s*[:=]\s*["']?`;
const PRIVATE_KEY = String.raw`\bPRIVATE KEY\b`;

const VALUE = String.raw`[^\s"'&,;\}]+`;
const FOUND = new RegExp(`(?:${SCHEME}|${MEMBER})(?<value>${VALUE})`);
const ALONE = new RegExp(String.raw`(?<![\w\-])(?:${TOKEN})`);

/** The first credential in the text: a token where there is one; null: none. */
export function findCredential(text: string): string | null {
  const token = ALONE.exec(text)?.[0];
  if (token !== undefined) return token;
  const named = FOUND.exec(text)?.groups?.['value'];
  return named ?? (text.includes('PRIVATE KEY') ? text : null);
}

/** HTML: the `pattern` of an input whose form is sent by GET, so that a browser refuses a credential. */
export const NO_CREDENTIAL_PATTERN = String.raw`(?!.*(?:${TOKEN}|${SCHEME}\S|${MEMBER}\S|${PRIVATE_KEY})).*`;
