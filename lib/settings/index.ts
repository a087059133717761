// The only place that reads the environment (docs/settings.md). It is checked once, at start: a missing or malformed setting
// stops the start with one line that names it.
import { z } from 'zod';
import { isLoopbackHost, processWide } from '#lib/kit/index.ts';
import { databaseAddress, mailAddress } from './addresses.ts';
import { dataDirectory, type Env, isLocal } from './environment.ts';
import { type Language, languageSettings } from './languages.ts';
import { rpIdOf } from './passkey-rp-id.ts';
import { parseSecrets, requireWhole } from './secrets.ts';
import { SettingsError } from './settings-error.ts';

export { dataDirectory, environment, mayMakeSecret } from './environment.ts';
export { LANGUAGES, type Language } from './languages.ts';
export { usableMachine } from './machine.ts';
export { SettingsError } from './settings-error.ts';
export { environmentOfWorkers, workersFor } from './workers.ts';

export type Settings = {
  databaseUrl: string;
  /** not through a transaction pooler, for migrations and LISTEN; without a pooler the same as databaseUrl */
  directUrl: string;
  /** most connections of this process */
  databasePoolMax: number;
  /** most statements in flight of each kind that requests share */
  databaseBatches: number;
  /** processes that serve; null: as many as the machine holds */
  workers: number | null;
  /** the bearer token for /api/cron/…; null: nobody may call it */
  cronSecret: string | null;
  /** of a separate listener for /metrics; null: none */
  metricsPort: number | null;
  metricsHost: string;
  /** the bearer token for /metrics at the service's own address; null: 404 there */
  metricsToken: string | null;
  baseUrl: string;
  authUrl: string;
  /** both URLs name this machine: nobody else is meant to reach the service */
  local: boolean;
  port: number;
  host: string;
  /** the first one seals, all of them open */
  secrets: string[];
  smtpUrl: string | null;
  sessionIdleSeconds: number;
  sessionMaxSeconds: number;
  /** a second factor of approvers and administrators at the console, and of whoever has one */
  consoleSecondFactor: 'off' | 'optional' | 'required';
  /** from when a person is first told that they must have a second factor */
  secondFactorGraceDays: number;
  /** how long a browser may be spared the second factor; 0: no browser is */
  trustedBrowserDays: number;
  /** what passkeys belong to: the host of auth_url, or a domain above it (WebAuthn Level 3 §5.1.2) */
  passkeyRpId: string;
  /** least characters of a new password */
  passwordMinLength: number;
  /** knows leaked passwords by the beginning of their digest; null: nobody is asked */
  passwordRangeUrl: string | null;
  trustProxy: number;
  logLevel: (typeof LOG_LEVELS)[number];
  dataDir: string;
  /** most clients that a person may own who is not an administrator */
  clientsPerOwner: number;
  /** most registry changes of such a person in a minute; ten times as many in an hour */
  editsPerMinute: number;
  auditRetentionDays: number;
  /** processes live on between requests: not on Vercel or AWS Lambda */
  lasting: boolean;
  /** between SIGTERM and the end of listening, so that a load balancer sees /ready fail first */
  drainSeconds: number;
  /** where selected audit events are sent; null: nowhere */
  webhook: Webhook | null;
  /** addresses that clients name (documents, logos, keys, back-channel logout) may be private, and http on this machine */
  clientDocumentsPrivateNetwork: boolean;
  /** the bearer token for dynamic client registration; null: there is none */
  registrationToken: string | null;
  /** of pages and mails whose reader asks for no language of ours */
  defaultLanguage: Language;
  /** what the service is called on pages and in mails */
  serviceName: string;
  /** {auth_url} is https */
  secureCookies: boolean;
};

export type Webhook = { url: string; secret: string; events: string[]; allowPrivateNetwork: boolean };

const origin = z.string().refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.origin === value.replace(/\/$/, '') &&
    url.username === ''
  );
}, 'must be an origin such as https://login.example, without a path');
/** Digits only; Number() would also accept signs, fractions, 0x10 and 1e3. */
const whole = (least: number, most: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
const seconds = whole(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of seconds from 1');
const port = whole(0, 65_535, 'must be a port from 0 to 65535');
const yesOrNo = z.enum(['true', 'false'], { error: 'must be true or false' }).default('false');
const bearerToken = z.string().min(16, 'must have 16 or more characters');

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Events that an operator should learn about at once. */
const WEBHOOK_EVENTS =
  'token.reused, code.reused, attempts.limited, access.denied, person., client., key., subscription., config., service.';

const schema = z.object({
  DATABASE_URL: databaseAddress,
  DIRECT_URL: databaseAddress.optional(),
  DATABASE_POOL_MAX: whole(1, 1_000, 'must be a whole number from 1 to 1000').default(10),
  DATABASE_BATCHES: whole(1, 16, 'must be a whole number from 1 to 16').default(2),
  GATEHOUSE_WORKERS: whole(1, 64, 'must be a whole number from 1 to 64').optional(),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_TOKEN: bearerToken.optional(),
  CRON_SECRET: bearerToken.optional(),
  REGISTRATION_TOKEN: bearerToken.optional(),
  BASE_URL: origin.optional(),
  AUTH_URL: origin.optional(),
  PORT: port.default(3000),
  HOST: z.string().optional(),
  GATEHOUSE_SECRET: z.string(),
  SMTP_URL: mailAddress.optional(),
  SESSION_IDLE: seconds.default(1_800),
  SESSION_MAX: seconds.default(43_200),
  CONSOLE_SECOND_FACTOR: z
    .enum(['off', 'optional', 'required'], { error: 'must be off, optional or required' })
    .default('optional'),
  SECOND_FACTOR_GRACE_DAYS: whole(0, 365, 'must be a whole number of days from 0 to 365').default(0),
  TRUSTED_BROWSER_DAYS: whole(0, 365, 'must be a whole number of days from 0 to 365').default(30),
  PASSKEY_RP_ID: z.string().optional(),
  PASSWORD_MIN_LENGTH: whole(8, 64, 'must be a whole number of characters from 8 to 64').default(8),
  PASSWORD_RANGE_URL: z.url('must be an address such as https://api.pwnedpasswords.com/range/').optional(),
  TRUST_PROXY: whole(0, 20, 'must be a whole number from 0 to 20').default(0),
  DRAIN_SECONDS: whole(0, 600, 'must be a whole number of seconds from 0 to 600').default(3),
  CLIENTS_PER_OWNER: whole(1, 1_000_000, 'must be a whole number from 1 to 1000000').default(100),
  EDITS_PER_MINUTE: whole(1, 1_000_000, 'must be a whole number from 1 to 1000000').default(60),
  AUDIT_RETENTION_DAYS: whole(7, 36_500, 'must be a whole number of days from 7 to 36500').default(365),
  AUDIT_WEBHOOK_URL: z.url('must be an address such as https://siem.example/events').optional(),
  AUDIT_WEBHOOK_SECRET: z.string().min(32, 'must have 32 or more characters').optional(),
  AUDIT_WEBHOOK_EVENTS: z
    .string()
    .regex(/^[a-z_.]+(\s*,\s*[a-z_.]+)*$/, 'must be names such as token.reused, subscription.')
    .default(WEBHOOK_EVENTS),
  AUDIT_WEBHOOK_PRIVATE_NETWORK: yesOrNo,
  CLIENT_DOCUMENTS_PRIVATE_NETWORK: yesOrNo,
  ...languageSettings,
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
});

/** Help for a missing GATEHOUSE_SECRET. */
export const MAKE_SECRET = "Make one: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='";

export function parseSettings(env: Env): Settings {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  requireWhole(given, Object.keys(schema.shape));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    const help = name === 'GATEHOUSE_SECRET' ? `: with DATABASE_URL it must be set. ${MAKE_SECRET}` : '';
    throw new SettingsError(
      `${name} ${given[name] === undefined ? `is missing${help}` : (issue?.message ?? 'is malformed')}`,
    );
  }
  const values = parsed.data;
  const baseUrl = (values.BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/$/, '');
  const authUrl = (values.AUTH_URL ?? baseUrl).replace(/\/$/, '');
  const local = isLocal(baseUrl) && isLocal(authUrl);
  return {
    databaseUrl: values.DATABASE_URL,
    directUrl: values.DIRECT_URL ?? values.DATABASE_URL,
    databasePoolMax: values.DATABASE_POOL_MAX,
    databaseBatches: values.DATABASE_BATCHES,
    workers: values.GATEHOUSE_WORKERS ?? null,
    cronSecret: values.CRON_SECRET ?? null,
    metricsPort: values.METRICS_PORT ?? null,
    metricsHost: values.METRICS_HOST,
    metricsToken: values.METRICS_TOKEN ?? null,
    baseUrl,
    authUrl,
    local,
    port: values.PORT,
    host: values.HOST ?? (local ? '127.0.0.1' : '0.0.0.0'),
    secrets: parseSecrets(values.GATEHOUSE_SECRET),
    smtpUrl: values.SMTP_URL ?? null,
    sessionIdleSeconds: values.SESSION_IDLE,
    sessionMaxSeconds: values.SESSION_MAX,
    consoleSecondFactor: values.CONSOLE_SECOND_FACTOR,
    secondFactorGraceDays: values.SECOND_FACTOR_GRACE_DAYS,
    trustedBrowserDays: values.TRUSTED_BROWSER_DAYS,
    passkeyRpId: rpIdOf(values.PASSKEY_RP_ID, authUrl),
    passwordMinLength: values.PASSWORD_MIN_LENGTH,
    passwordRangeUrl: values.PASSWORD_RANGE_URL ?? null,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    dataDir: dataDirectory(env),
    clientsPerOwner: values.CLIENTS_PER_OWNER,
    editsPerMinute: values.EDITS_PER_MINUTE,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    lasting: !env['VERCEL'] && !env['AWS_LAMBDA_FUNCTION_NAME'],
    drainSeconds: values.DRAIN_SECONDS,
    webhook: webhookOf(values),
    clientDocumentsPrivateNetwork: values.CLIENT_DOCUMENTS_PRIVATE_NETWORK === 'true',
    registrationToken: values.REGISTRATION_TOKEN ?? null,
    defaultLanguage: values.DEFAULT_LANGUAGE,
    serviceName: values.SERVICE_NAME.trim(),
    secureCookies: authUrl.startsWith('https:'),
  };
}

/** The warning at start if other machines reach a service with local URLs; null if they do not. */
export function reachWarning({ local, host, port }: Settings): string | null {
  if (!local || isLoopbackHost(host)) return null;
  return (
    `HOST=${host} opens port ${port} to every machine on this network, unencrypted: the sign-in pages, the console, tokens ` +
    'and the management API, to whoever knows a password, and those of the demo are public. Without HOST only this machine reaches it.'
  );
}

function webhookOf(values: z.infer<typeof schema>): Webhook | null {
  const url = values.AUDIT_WEBHOOK_URL;
  if (url === undefined) return null;
  const secret = values.AUDIT_WEBHOOK_SECRET;
  if (secret === undefined) throw new SettingsError('AUDIT_WEBHOOK_SECRET is missing');
  const events = values.AUDIT_WEBHOOK_EVENTS.split(',').map((name) => name.trim());
  return { url, secret, events, allowPrivateNetwork: values.AUDIT_WEBHOOK_PRIVATE_NETWORK === 'true' };
}

const slot = processWide<Settings>('settings');

/** Reads and checks the environment. Call it once at start, before anything else. */
export function loadSettings(env: Env = process.env): Settings {
  slot.value = parseSettings(env);
  return slot.value;
}

export function settings(): Settings {
  return slot.value ?? loadSettings();
}
