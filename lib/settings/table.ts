// Every environment variable. Its value, its property in `Settings` and its row in docs/reference/settings.md are
// derived from this table.

import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { SecretKind } from '#lib/kit/text.ts';
import { LANGUAGES } from './languages.ts';

// DATABASE_URL, DIRECT_URL and SMTP_URL are addresses with a password (RFC 3986 §3.2.1). The start rejects an address
// that the driver would misread, or would reject at the first connection. No message contains a part of the value.

const PASSWORD = 'percent-encode the password (/ is %2F, # is %23, ? is %3F, @ is %40, % is %25)';
const DATABASE = 'such as postgresql://user:password@host:5432/name';
const MAIL = 'such as smtps://user:password@host:465';
const SEVERAL =
  'contains several hosts, which only libpq supports: set one host; see docs/operate/database.md';

/**
 * Values of `sslmode` that node-postgres supports, see docs/reference/settings.md. It treats other values as no
 * encryption or as another mode.
 */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Files that the driver reads when it connects. */
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** Parameters of a database address, with the values that the driver supports. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  sslmode: SSL_MODES,
  ssl: ['true', '1', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  channel_binding: ['disable', 'prefer', 'require'],
};

/** The reason why the database driver cannot connect with this address; null: the address is valid. */
function databaseUrlFault(value: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(value)) return 'must start with postgres:// or postgresql://';
  const encoding = encodingFault(value);
  if (encoding !== null) return encoding;
  const { hosts, path, query } = partsOf(value);
  if (`${hosts},${query.get('host') ?? ''}`.replace(/^,|,$/g, '').includes(',')) return SEVERAL;
  const port = portFault(hosts) ?? portFault(`:${query.get('port') ?? '1'}`);
  if (port !== null) return port;
  // the address of a socket has no host, because the driver reads it from `?host=`
  const readable = URL.canParse(value) || URL.canParse(value.replace('@/', '@socket/'));
  if (!readable) return `must be an address ${DATABASE}`;
  if (path === '' || path === '/') return `contains no database name: ${DATABASE}`;
  return tlsFault(query);
}

function tlsFault(query: URLSearchParams): string | null {
  for (const [name, known] of Object.entries(PARAMETERS)) {
    const value = query.get(name);
    if (value !== null && !known.includes(value))
      return `has a value of ${name} other than ${known.join(', ')}`;
  }
  for (const name of SSL_FILES) {
    const file = query.get(name);
    if (file === 'system')
      return `has ${name}=system: remove it, the certificates of Node.js are the default`;
    if (file !== null && !existsSync(file)) return `has a file in ${name} that does not exist`;
  }
  const mode = query.get('sslmode');
  if (mode === null && SSL_FILES.some((name) => query.has(name)))
    return 'has a certificate but no sslmode: add sslmode=verify-full';
  if (query.has('uselibpqcompat')) return 'has uselibpqcompat: use sslmode=verify-full or sslmode=no-verify';
  const verified = mode === null ? query.get('ssl') === 'true' || query.get('ssl') === '1' : isVerified(mode);
  if (query.get('channel_binding') === 'require' && !verified)
    return 'has channel_binding=require without sslmode=verify-full';
  return null;
}

const isVerified = (mode: string) => mode !== 'disable' && mode !== 'no-verify';

/** The reason why this address cannot be that of a mail server; null: the address is valid. */
function smtpUrlFault(value: string): string | null {
  if (!/^smtps?:\/\//.test(value)) return 'must start with smtp:// or smtps://';
  const encoding = encodingFault(value);
  if (encoding !== null) return encoding;
  const { hosts, path } = partsOf(value);
  if (hosts.includes(',')) return 'contains several hosts: set one host';
  const port = portFault(hosts);
  if (port !== null) return port;
  if (hosts === '' || !URL.canParse(value)) return `must be an address ${MAIL}`;
  return path === '' || path === '/' ? null : `has a path, but must be an address ${MAIL}`;
}

type Parts = { userinfo: string; hosts: string; path: string; query: URLSearchParams; rest: string };

function partsOf(value: string): Parts {
  const [, authority = '', path = '', rest = ''] = /^\w+:\/\/([^/?]*)([^?]*)(.*)$/.exec(value) ?? [];
  const at = authority.lastIndexOf('@');
  return {
    userinfo: authority.slice(0, Math.max(0, at)),
    hosts: authority.slice(at + 1),
    path,
    query: new URLSearchParams(rest),
    rest: path + rest,
  };
}

/** The fault if the password contains characters that end the authority or look like percent-encoding; null: none. */
function encodingFault(value: string): string | null {
  if (value.includes('#') || /%(?![0-9a-f]{2})/i.test(value)) return PASSWORD;
  const { userinfo, hosts, path, query, rest } = partsOf(value);
  // a / or ? in the password that is not encoded ends the authority, so the @ is in a later part
  const cut = path.includes('@') || [...query.keys()].some((key) => key.includes('@'));
  const half = userinfo === '' && rest.includes('@') && portFault(hosts) !== null;
  if (userinfo.includes('@') || cut || half) return PASSWORD;
  try {
    decodeURIComponent(userinfo + path);
  } catch {
    return 'has percent-encoded bytes that are not UTF-8';
  }
  return null;
}

/** The fault of the port, if there is a port. */
function portFault(hosts: string): string | null {
  const port = /:([^:\]]*)$/.exec(hosts)?.[1] ?? '';
  if (port === '' || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return 'has a port that is not a number from 1 to 65535';
}

const addressWithout = (faultOf: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const message = faultOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
const databaseAddress = addressWithout(databaseUrlFault);
const mailAddress = addressWithout(smtpUrlFault);

// Columns of the table of settings.

export type Setting = {
  /** property of `Settings`; missing: other settings are computed from the variable */
  as?: string;
  value: z.ZodType;
  /** purpose and default, as shown in docs/reference/settings.md */
  means: string;
  unset: string;
  /** the value must not be displayed */
  secret?: SecretKind;
};

const inCode = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

// Schemas for the values of settings.

const origin = z.string().refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.origin === value.replace(/\/$/, '') &&
    url.username === ''
  );
}, 'must be an origin such as https://login.example, without a path');

/** Schema for a whole number of digits only, because Number() would also accept signs, fractions, 0x10 and 1e3. */
const digits = (least: number, most: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);

/** `of`: the unit, in the plural. */
const whole = (least: number, most: number, of?: string) =>
  digits(
    least,
    most,
    `must be a whole number ${of === undefined ? '' : `of ${of} `}from ${least} to ${most}`,
  );

const secondsFrom1 = digits(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of seconds from 1');
const port = digits(0, 65_535, 'must be a port from 0 to 65535');
const yesOrNo = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((value) => value === 'true');
const bearerToken = z.string().min(16, 'must have 16 or more characters');

const choice = <const Values extends readonly [string, ...string[]]>(values: Values, list: string) =>
  z.enum(values, { error: `must be ${list}` });

// Settings for operation: database, addresses, processes, mail, metrics, logs, audit.

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Events about which operators should be notified immediately. */
const WEBHOOK_EVENTS =
  'token.reused, code.reused, attempts.limited, access.denied, person., client., key., subscription., config., service.';

const OPERATION_SETTINGS = {
  DATABASE_URL: {
    as: 'databaseUrl',
    value: databaseAddress,
    secret: 'url',
    means: 'PostgreSQL 14 or later, as `postgresql://user:password@host:5432/name`',
    unset: '`POSTGRES_URL`; without both, the embedded database under `.data/`',
  },
  DIRECT_URL: {
    value: databaseAddress.optional(),
    secret: 'url',
    means:
      'the same database without a transaction pooler, for migrations and `LISTEN`; see [Vercel](../operate/deploy-vercel.md)',
    unset:
      '`DATABASE_URL_UNPOOLED` or `POSTGRES_URL_NON_POOLING` if they belong to `DATABASE_URL`; otherwise `DATABASE_URL`',
  },
  DATABASE_POOL_MAX: {
    as: 'databasePoolMax',
    value: whole(1, 1_000).default(10),
    means:
      'maximum number of connections of all workers together; each worker has one more connection that listens for changes',
    unset: '`10`; 5 per worker if there are several; `3` on Vercel',
  },
  DATABASE_BATCHES: {
    as: 'databaseBatches',
    value: whole(1, 16).default(2),
    means:
      'maximum number of shared statements of each kind in flight, from 1 to 16; 2 to 4 [perform alike](../project/performance.md#shared-statements-in-flight)',
    unset: '`2`',
  },
  GATEHOUSE_WORKERS: {
    as: 'workers',
    value: whole(1, 64).optional(),
    means: 'number of worker processes, from 1 to 64; see [below](#gatehouse_workers)',
    unset: 'one per core, at most 4',
  },
  BASE_URL: {
    value: origin.optional(),
    means: 'the public origin of the pages and the management API',
    unset: '`http://localhost:PORT`; on Vercel the production address of the project',
  },
  AUTH_URL: {
    value: origin.optional(),
    means: 'the public origin of the authorization server, without a path (`BASE_URL` has none either)',
    unset: '`BASE_URL`',
  },
  PORT: { as: 'port', value: port.default(3000), means: 'the port of the service', unset: '`3000`' },
  HOST: {
    value: z.string().optional(),
    means: 'the address that the service listens on; see [below](#host)',
    unset: '`127.0.0.1` while local, otherwise `0.0.0.0`',
  },
  GATEHOUSE_SECRET: {
    value: z.string(),
    secret: 'secret',
    means: 'seals sessions and stored secrets: 32 or more random bytes, base64url',
    unset: 'created once and kept in `.data/`',
  },
  SMTP_URL: {
    as: 'smtpUrl',
    value: mailAddress.optional(),
    secret: 'url',
    means: 'the mail server, as `smtps://user:password@host`; `?from=` names the sender',
    unset: 'mails go to the log and `.data/mail/`',
  },
  TRUST_PROXY: {
    as: 'trustProxy',
    value: whole(0, 20).default(0),
    means: 'the number of proxies whose `X-Forwarded-*` headers are trusted; see [below](#trust_proxy)',
    unset: '`0`; `1` on Vercel',
  },
  METRICS_PORT: {
    as: 'metricsPort',
    value: port.optional(),
    means: 'a second port that serves only `/metrics`, without a token',
    unset: 'none',
  },
  METRICS_HOST: {
    as: 'metricsHost',
    value: z.string().default('127.0.0.1'),
    means: 'the address that `METRICS_PORT` listens on',
    unset: '`127.0.0.1`',
  },
  METRICS_TOKEN: {
    as: 'metricsToken',
    value: bearerToken.optional(),
    secret: 'token',
    means: 'the bearer token for `{base_url}/metrics`, 16 or more characters',
    unset: 'the endpoint does not exist',
  },
  DRAIN_SECONDS: {
    as: 'drainSeconds',
    value: whole(0, 600, 'seconds').default(3),
    means:
      'seconds between `SIGTERM` and the end of listening, in which `/ready` fails so that a load balancer stops sending requests',
    unset: '`3`',
  },
  AUDIT_RETENTION_DAYS: {
    as: 'auditRetentionDays',
    value: whole(7, 36_500, 'days').default(365),
    means: 'minimum number of days that audit events are kept, at least 7',
    unset: '`365`',
  },
  AUDIT_WEBHOOK_URL: {
    value: z.url('must be an address such as https://siem.example/events').optional(),
    secret: 'url',
    means: 'the address that selected audit events are posted to; see [audit.md](audit.md)',
    unset: 'none',
  },
  AUDIT_WEBHOOK_SECRET: {
    value: z.string().min(32, 'must have 32 or more characters').optional(),
    secret: 'secret',
    means: 'the key that signs the posted events, 32 or more characters',
    unset: 'required with `AUDIT_WEBHOOK_URL`',
  },
  AUDIT_WEBHOOK_EVENTS: {
    value: z
      .string()
      .regex(/^[a-z_.]+(\s*,\s*[a-z_.]+)*$/, 'must be names such as token.reused, subscription.')
      .default(WEBHOOK_EVENTS),
    means: 'the selected events: names, or prefixes that end in a dot, separated by commas',
    unset: `\`${WEBHOOK_EVENTS}\``,
  },
  AUDIT_WEBHOOK_PRIVATE_NETWORK: {
    value: yesOrNo,
    means: '`true`: allows a private address and http for the webhook',
    unset: '`false`',
  },
  CRON_SECRET: {
    as: 'cronSecret',
    value: bearerToken.optional(),
    secret: 'token',
    means: 'the bearer token for `GET /api/cron/cleanup`, 16 or more characters',
    unset: 'every call is refused',
  },
  GATEHOUSE_DATA_DIR: {
    value: z.string().optional(),
    means: 'the folder of the embedded database, the generated secret, and mails without `SMTP_URL`',
    unset: '`.data`',
  },
  LOG_LEVEL: {
    as: 'logLevel',
    value: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    means: inCode(LOG_LEVELS),
    unset: '`info`',
  },
} as const satisfies Record<string, Setting>;

// Settings about users and clients: sessions, second factors, passwords, languages, clients.

const PEOPLE_SETTINGS = {
  SESSION_IDLE: {
    as: 'sessionIdleSeconds',
    value: secondsFrom1.default(1_800),
    means: 'idle seconds after which a sign-in session ends',
    unset: '`1800`',
  },
  SESSION_MAX: {
    as: 'sessionMaxSeconds',
    value: secondsFrom1.default(43_200),
    means: 'seconds after which a sign-in session always ends',
    unset: '`43200`',
  },
  CONSOLE_SECOND_FACTOR: {
    as: 'consoleSecondFactor',
    value: choice(['off', 'optional', 'required'], 'off, optional or required').default('optional'),
    means:
      'second factor at the console. `off`: for no one; `optional`: for people who have one; `required`: approvers and administrators must have one',
    unset: '`optional`',
  },
  SECOND_FACTOR_GRACE_DAYS: {
    as: 'secondFactorGraceDays',
    value: whole(0, 365, 'days').default(0),
    means: 'days that a person can postpone a required second factor, from the first prompt',
    unset: '`0`',
  },
  TRUSTED_BROWSER_DAYS: {
    as: 'trustedBrowserDays',
    value: whole(0, 365, 'days').default(30),
    means:
      'days without second factor in a browser that the person trusts; `0`: the second factor is always required',
    unset: '`30`',
  },
  PASSKEY_RP_ID: {
    value: z.string().optional(),
    means:
      'the RP ID of passkeys (WebAuthn): the host of `AUTH_URL`, or a domain above it. Changing it makes existing passkeys useless',
    unset: 'the host of `AUTH_URL`',
  },
  PASSWORD_MIN_LENGTH: {
    as: 'passwordMinLength',
    value: whole(8, 64, 'characters').default(8),
    means:
      'minimum length of a new password, from 8 to 64. NIST SP 800-63B-4 requires 15 if a password is the only factor',
    unset: '`8`',
  },
  PASSWORD_RANGE_URL: {
    as: 'passwordRangeUrl',
    value: z.url('must be an address such as https://api.pwnedpasswords.com/range/').optional(),
    secret: 'url',
    means:
      'a service with leaked passwords, such as `https://api.pwnedpasswords.com/range/`; see [accounts.md](../how-to/accounts.md#passwords)',
    unset: 'only the built-in list',
  },
  CLIENTS_PER_OWNER: {
    as: 'clientsPerOwner',
    value: whole(1, 1_000_000).default(100),
    means:
      'maximum number of clients of a person who is not an administrator; see [below](#limits-for-developers)',
    unset: '`100`',
  },
  EDITS_PER_MINUTE: {
    as: 'editsPerMinute',
    value: whole(1, 1_000_000).default(60),
    means:
      'maximum number of changes of clients and subscriptions in a minute by a person who is not an administrator; ten times as many in an hour. Ten decisions of one bulk count as one',
    unset: '`60`',
  },
  CLIENT_DOCUMENTS_PRIVATE_NETWORK: {
    as: 'clientDocumentsPrivateNetwork',
    value: yesOrNo,
    means:
      '`true`: allows private addresses, and http on localhost, for client documents, their logos, back-channel addresses, sector lists and `jwks_uri`',
    unset: '`false`',
  },
  REGISTRATION_TOKEN: {
    as: 'registrationToken',
    value: bearerToken.optional(),
    secret: 'token',
    means:
      'the bearer token for `{issuer}/register`, 16 or more characters; see [dynamic registration](../how-to/mcp-clients.md#dynamic-registration)',
    unset: 'the endpoint does not exist',
  },
  OPEN_REGISTRATION: {
    as: 'openRegistration',
    value: yesOrNo,
    means:
      '`true`, for development: `{issuer}/register` accepts public clients of this machine without a token. It works only if `BASE_URL` is on `localhost`, `127.0.0.1` or `[::1]`; see [dynamic registration](../how-to/mcp-clients.md#dynamic-registration)',
    unset: '`false`',
  },
  DEFAULT_LANGUAGE: {
    as: 'defaultLanguage',
    value: z.enum(LANGUAGES, { error: `must be one of ${LANGUAGES.join(', ')}` }).default('en'),
    means: `the language of pages and mails for readers of other languages: ${inCode(LANGUAGES)}`,
    unset: '`en`',
  },
  SERVICE_NAME: {
    as: 'serviceName',
    value: z
      .string()
      .regex(/^(?=.*\S)[^\p{Cc}]{1,60}$/u, 'must be a name of at most 60 characters')
      .transform((name) => name.trim())
      .default('Gatehouse'),
    means:
      'the name of the service on pages, in mails, in authenticator apps and for passkeys, at most 60 characters',
    unset: '`Gatehouse`',
  },
} as const satisfies Record<string, Setting>;

const SETTINGS = { ...OPERATION_SETTINGS, ...PEOPLE_SETTINGS };

type SettingName = keyof typeof SETTINGS;
type Output<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['value']>;

type Shape = { [Name in SettingName]: (typeof SETTINGS)[Name]['value'] };
/** Parsed variables; undefined: the variable is not set. */
export type SettingValues = z.output<z.ZodObject<Shape>>;

/** Properties with the value of one variable; null: the variable is not set. */
export type SettingProperties = {
  [Name in SettingName as (typeof SETTINGS)[Name] extends { as: infer Property extends string }
    ? Property
    : never]: undefined extends Output<Name> ? Exclude<Output<Name>, undefined> | null : Output<Name>;
};

export const settingRows = (): (readonly [name: string, row: Setting])[] => Object.entries(SETTINGS);

export const settingShape = (): Shape =>
  Object.fromEntries(settingRows().map(([name, { value }]) => [name, value])) as Shape;

/** Returns the properties for the parsed values. */
export function propertiesOf(values: SettingValues): SettingProperties {
  const named = settingRows().flatMap(([name, { as }]) =>
    as === undefined ? [] : [[as, values[name as SettingName] ?? null] as const],
  );
  return Object.fromEntries(named) as SettingProperties;
}
