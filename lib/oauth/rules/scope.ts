// Scopes (RFC 6749 §3.3): order never matters, repeats count once, the answer is in the API's order.
import { InvalidScope } from '../errors/errors.ts';

const MAX_LENGTH = 4_096;
const TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Could it be a scope of another server's? */
export const isScope = (value: string): boolean =>
  value.length <= MAX_LENGTH && value.split(' ').every((name) => name === '' || TOKEN.test(name));

const MOST_LISTED = 400;

function listed(names: readonly string[]): string {
  const text = names.join(' ');
  return text.length > MOST_LISTED ? `${text.slice(0, MOST_LISTED)}...` : text || 'none';
}

/** Scopes of other services, and where their claims come from at this one. */
const HINTS = new Map([
  [
    'groups',
    " Groups arrive as the claim 'groups': in access tokens with token_claims: [groups] of the API, in ID tokens and at userinfo with the parameter claims (docs/groups.md).",
  ],
]);

/** The scopes asked for that are among `allowed`, or InvalidScope. */
export function parseScope(value: string, allowed: readonly string[]): string[] {
  if (value.length > MAX_LENGTH) throw new InvalidScope('The scope is too long.');
  const asked = new Set(value.split(' ').filter((name) => name !== ''));
  for (const name of asked) {
    if (!TOKEN.test(name)) throw new InvalidScope('The scope holds a character that no scope can have.');
    if (!allowed.includes(name))
      throw new InvalidScope(
        `The scope '${name.slice(0, 100)}' is unknown or not allowed here. Allowed: ${listed(allowed)}.${HINTS.get(name) ?? ''}`,
      );
  }
  if (asked.size === 0) throw new InvalidScope('The scope is empty.');
  return allowed.filter((name) => asked.has(name));
}

/**
 * A scope parameter without `offline_access`. It means something beside `openid` only (OpenID Connect Core §11), but
 * clients of MCP add it wherever the metadata name it. Without `openid` a grant outlives a sign-out anyway.
 */
export function withoutOfflineAccess(value: string): string {
  const name = 'offline_access';
  const asked = value.split(' ');
  return asked.includes(name) ? asked.filter((one) => one !== name).join(' ') : value;
}
