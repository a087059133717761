// Settings that hold a secret: what each may be made of, and the several values of GATEHOUSE_SECRET.
import { edgeFault, secretFault } from '#lib/kit/text/secret-text.ts';
import { SettingsError } from './settings-error.ts';
import { settingRows } from './table.ts';

/** Throws for the first of these settings that brings a line break or a space of its file with it. */
export function requireWhole(given: Readonly<Record<string, string | undefined>>): void {
  for (const [name, { secret }] of settingRows()) {
    const value = given[name];
    if (value === undefined) continue;
    const fault = secret === undefined ? edgeFault(value) : secretFault(value, secret);
    if (fault !== null) throw new SettingsError(`${name} ${fault}`);
  }
}

/** Separated by commas; the first seals, all of them open. */
export function parseSecrets(value: string): string[] {
  const secrets = value
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  const strong = secrets.every(
    (secret) => /^[\w-]+=*$/.test(secret) && Buffer.from(secret, 'base64url').length >= 32,
  );
  if (secrets.length === 0 || !strong) {
    throw new SettingsError(
      'GATEHOUSE_SECRET must be 32 or more random bytes in base64url (several separated by commas)',
    );
  }
  return secrets;
}

/** 32 random bytes have some 30 different values; fewer than 12 once in 10^20 times. */
const LEAST_VALUES = 12;

/** Was each of them made, not typed? An old one that was typed still starts, so that an upgrade asks for nothing. */
export const areRandom = (secrets: readonly string[]): boolean =>
  secrets.every((secret) => new Set(Buffer.from(secret, 'base64url')).size >= LEAST_VALUES);
