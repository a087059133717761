// The only module that reads the environment (docs/reference/settings.md). It checks the environment once, at start.
// A missing or malformed setting stops the start with one line that names the setting.

import { isIP } from 'node:net';
import { z } from 'zod';
import { processWide } from '#lib/kit/process.ts';
import { edgeFault, secretFault } from '#lib/kit/text.ts';
import {
  dataDirectory,
  type Env,
  environment,
  isLocal,
  isQuoted,
  refuseSharedPreview,
  SettingsError,
} from './environment.ts';
import {
  propertiesOf,
  type SettingProperties,
  type SettingValues,
  settingRows,
  settingShape,
} from './table.ts';

// The RP ID, which is the domain that passkeys are bound to (WebAuthn Level 3 §5.1.2).

/**
 * Returns the RP ID, which must be the host of the pages or a parent domain. Browsers also reject public suffixes
 * such as `com`, which Gatehouse cannot recognize.
 */
function rpIdOf(rpIdSetting: string | undefined, authUrl: string): string {
  const { hostname } = new URL(authUrl);
  const rpId = rpIdSetting ?? hostname;
  const fits = hostname === rpId || (hostname.endsWith(`.${rpId}`) && rpId.includes('.') && !isIP(hostname));
  if (!fits) throw new SettingsError('PASSKEY_RP_ID must be the host of AUTH_URL, or a domain above it');
  return rpId;
}

// Secret settings: the allowed characters, and several values of GATEHOUSE_SECRET.

/** Throws for the first setting that contains a line break or space by mistake. */
function requireWhole(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, { secret }] of settingRows()) {
    const value = variables[name];
    if (value === undefined) continue;
    const fault = secret === undefined ? edgeFault(value) : secretFault(value, secret);
    if (fault !== null) throw new SettingsError(`${name} ${fault}`);
  }
}

/**
 * Parses secrets that are separated by commas. The first secret is used for sealing, and every secret for opening.
 */
function parseSecrets(value: string): string[] {
  const secrets = value
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  const strong = secrets.every(
    (secret) => /^[\w-]+=*$/.test(secret) && Buffer.from(secret, 'base64url').length >= 32,
  );
  if (secrets.length === 0 || !strong) {
    throw new SettingsError(
      'GATEHOUSE_SECRET must be 32 or more random bytes in base64url (several are separated by commas)',
    );
  }
  return secrets;
}

/**
 * Minimum number of distinct byte values in a secret. 32 random bytes contain about 30; the probability of fewer than
 * 12 is 10^-20.
 */
const LEAST_VALUES = 12;

/**
 * True if the secrets were generated and not typed by a person. A typed secret of an older version is still accepted,
 * so that an upgrade requires no change.
 */
export const areRandom = (secrets: readonly string[]): boolean =>
  secrets.every((secret) => new Set(Buffer.from(secret, 'base64url')).size >= LEAST_VALUES);

export type Webhook = { url: string; secret: string; events: string[]; allowPrivateNetwork: boolean };

/** Settings that are computed from several variables or constants. */
type Derived = {
  /** connection without a pooler, for migrations and LISTEN; default: databaseUrl */
  directUrl: string;
  baseUrl: string;
  authUrl: string;
  /** true if both URLs are on this machine, so that no other machine needs to reach the service */
  local: boolean;
  host: string;
  /** the first secret is used for sealing, every secret for opening */
  secrets: string[];
  passkeyRpId: string;
  dataDir: string;
  /** true if the process keeps running between requests, as everywhere except on Vercel and AWS Lambda */
  lasting: boolean;
  /** region of the function; null: not on Vercel */
  region: string | null;
  /** null: audit events are not sent */
  webhook: Webhook | null;
  /** true if {auth_url} is https */
  secureCookies: boolean;
};
export type Settings = SettingProperties & Derived;

const schema = z.object(settingShape());

/** Help text for a missing GATEHOUSE_SECRET. */
export const MAKE_SECRET = "Create one: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='";

const KEPT_QUOTES = ': remove its quotes, which docker run --env-file keeps';

export function parseSettings(env: Env): Settings {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  refuseSharedPreview(variables);
  requireWhole(variables);
  const parseResult = schema.safeParse(variables);
  if (!parseResult.success) {
    const issue = parseResult.error.issues[0];
    const name = String(issue?.path[0]);
    const help = name === 'GATEHOUSE_SECRET' ? `: it is required with DATABASE_URL. ${MAKE_SECRET}` : '';
    const fault = variables[name] === undefined ? `is missing${help}` : (issue?.message ?? 'is malformed');
    throw new SettingsError(`${name} ${fault}${isQuoted(variables[name]) ? KEPT_QUOTES : ''}`);
  }
  const values = parseResult.data;
  const baseUrl = (values.BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/$/, '');
  const authUrl = (values.AUTH_URL ?? baseUrl).replace(/\/$/, '');
  const local = isLocal(baseUrl) && isLocal(authUrl);
  return {
    ...propertiesOf(values),
    directUrl: values.DIRECT_URL ?? values.DATABASE_URL,
    baseUrl,
    authUrl,
    local,
    host: values.HOST ?? (local ? '127.0.0.1' : '0.0.0.0'),
    secrets: parseSecrets(values.GATEHOUSE_SECRET),
    passkeyRpId: rpIdOf(values.PASSKEY_RP_ID, authUrl),
    dataDir: dataDirectory(env),
    lasting: !env['VERCEL'] && !env['AWS_LAMBDA_FUNCTION_NAME'],
    region: env['VERCEL_REGION'] ?? null,
    webhook: webhookOf(values),
    secureCookies: authUrl.startsWith('https:'),
  };
}

function webhookOf(values: SettingValues): Webhook | null {
  const url = values.AUDIT_WEBHOOK_URL;
  if (url === undefined) return null;
  const secret = values.AUDIT_WEBHOOK_SECRET;
  if (secret === undefined) throw new SettingsError('AUDIT_WEBHOOK_SECRET is missing');
  const events = values.AUDIT_WEBHOOK_EVENTS.split(',').map((name) => name.trim());
  return { url, secret, events, allowPrivateNetwork: values.AUDIT_WEBHOOK_PRIVATE_NETWORK };
}

const slot = processWide<Settings>('settings');

/** Reads and validates the environment. Must be called once at the start, before other code. */
export function loadSettings(env: Env = environment()): Settings {
  slot.value = parseSettings(env);
  return slot.value;
}

export function settings(): Settings {
  return slot.value ?? loadSettings();
}
