// Settings that hold a secret: what each may be made of, and the several values of GATEHOUSE_SECRET.
import { edgeFault, ownValue, type SecretKind, secretFault } from '#lib/kit/index.ts';
import { SettingsError } from './settings-error.ts';

/** Every setting whose value must not be shown. */
export const SECRET_SETTINGS: Readonly<Record<string, SecretKind>> = {
  DATABASE_URL: 'url',
  DIRECT_URL: 'url',
  SMTP_URL: 'url',
  PASSWORD_RANGE_URL: 'url',
  AUDIT_WEBHOOK_URL: 'url',
  AUDIT_WEBHOOK_SECRET: 'secret',
  METRICS_TOKEN: 'token',
  CRON_SECRET: 'token',
  REGISTRATION_TOKEN: 'token',
  GATEHOUSE_SECRET: 'secret',
};

/** Throws for the first of these settings that brings a line break or a space of its file with it. */
export function requireWhole(given: Readonly<Record<string, string | undefined>>, names: string[]): void {
  for (const name of names) {
    const value = given[name];
    if (value === undefined) continue;
    const kind = ownValue(SECRET_SETTINGS, name);
    const fault = kind === undefined ? edgeFault(value) : secretFault(value, kind);
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
