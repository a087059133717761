// GATEHOUSE_SECRET: several separated by commas; the first seals, all of them open.
import { SettingsError } from './settings-error.ts';

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
