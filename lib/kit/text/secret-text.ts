// What a secret may be made of (RFC 6749 Appendix A.2: VSCHAR). A value from a file or a variable often brings a line
// break with it, and every later comparison with it fails.

/**
 * `token`: shown as a bearer token. `password`: people type it, so any letter is allowed. `url`: an address with a
 * password in it.
 */
export type SecretKind = 'secret' | 'token' | 'password' | 'url';

/** Why a value is not such a secret; null if it is. Never repeats the value. */
export function secretFault(value: string, kind: SecretKind = 'secret'): string | null {
  const edge = edgeFault(value, kind);
  if (edge !== null) return edge;
  if (kind === 'password') return null;
  if (/[^\x20-\x7e]/.test(value)) return 'holds a character outside of printable ASCII';
  if (kind !== 'secret' && value.includes(' '))
    return kind === 'url' ? 'holds a space: percent-encode it as %20' : 'holds a space';
  return null;
}

/** Line breaks and control characters, and, but in a password, spaces at the ends. */
export function edgeFault(value: string, kind: SecretKind = 'secret'): string | null {
  if (/[\r\n]$/.test(value)) return 'ends in a line break (echo adds one, printf does not)';
  if (/^[\r\n]/.test(value)) return 'begins with a line break';
  if (/[\r\n]/.test(value)) return 'holds a line break';
  if (value.startsWith('\uFEFF')) return 'begins with a byte order mark';
  if (/\p{Cc}/u.test(value)) return 'holds a control character';
  if (kind === 'password') return null;
  if (/^\s/.test(value)) return 'begins with a space';
  return /\s$/.test(value) ? 'ends in a space' : null;
}
