// Cookies as text: parsing a Cookie header, writing a Set-Cookie header. lib/sessions defines names and lifetimes. No
// other file parses a Cookie header.

/** Whitespace around a name and a value (RFC 6265 §5.2, WSP). Every other byte belongs to the name or value. */
const AROUND = /^[ \t]+|[ \t]+$/g;

/** Parses `n=v` like a browser, and removes the whitespace around name and value. `null`: the part has no name. */
function readPart(part: string): { name: string; value: string } | null {
  const equals = part.indexOf('=');
  if (equals < 0) return null;
  const [name, value] = [part.slice(0, equals), part.slice(equals + 1)];
  return { name: name.replace(AROUND, ''), value: value.replace(AROUND, '') };
}

/**
 * Returns the cookies whose name occurs once. Cookies with a repeated name are dropped, because their order does not
 * show which cookie Gatehouse set (RFC 6265 §4.2.2).
 */
export function parseCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  const repeated = new Set<string>();
  for (const part of (header ?? '').split(';')) {
    const read = readPart(part);
    if (read === null) continue;
    if (cookies.has(read.name)) repeated.add(read.name);
    cookies.set(read.name, read.value);
  }
  for (const name of repeated) cookies.delete(name);
  return cookies;
}

/**
 * Returns the Cookie header that a browser sends after it received this Set-Cookie value. The new cookie replaces
 * every cookie of the same name.
 */
export function withCookie(header: string | undefined, setCookieValue: string): string {
  const [own = ''] = setCookieValue.split(';');
  const named = readPart(own)?.name;
  const others = (header ?? '')
    .split(';')
    .filter((part) => part.trim() !== '' && readPart(part)?.name !== named)
    .map((part) => part.replace(AROUND, ''));
  return [own, ...others].join('; ');
}

export type CookieOptions = { maxAge?: number; sameSite: 'None' | 'Lax' | 'Strict'; secure: boolean };

export function setCookie(name: string, value: string, options: CookieOptions): string {
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${options.sameSite}`];
  if (options.secure) parts.push('Secure');
  if (options.maxAge !== undefined) parts.push(`Max-Age=${options.maxAge}`);
  return parts.join('; ');
}
