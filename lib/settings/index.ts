// The environment, read and checked once, here and nowhere else (contract: settings). A missing or malformed setting
// stops the start with one line that names it.
import path from 'node:path';
import { z } from 'zod';

export type Settings = {
  databaseUrl: string;
  baseUrl: string;
  authUrl: string;
  port: number;
  host: string;
  /** the first seals, all open */
  secrets: string[];
  smtpUrl: string | null;
  sessionIdleSeconds: number;
  sessionMaxSeconds: number;
  trustProxy: number;
  logLevel: string;
  dataDir: string;
  auditRetentionDays: number;
  /** between SIGTERM and the end of listening, so that a load balancer sees /ready say no first */
  drainSeconds: number;
  /** where the metrics are served, each null: off */
  metricsPort: number | null;
  metricsToken: string | null;
  tracing: Tracing | null;
  /** is {auth_url} on https? */
  secureCookies: boolean;
};

/** What OpenTelemetry's variables ask for. */
export type Tracing = { sampleRatio: number; parentBased: boolean };

export class SettingsError extends Error {
  override name = 'SettingsError';
}

type Env = Readonly<Record<string, string | undefined>>;

const origin = z.string().refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.origin === value.replace(/\/$/, '') &&
    url.username === ''
  );
}, 'must be an origin such as https://login.example, without a path');
const seconds = z.coerce.number().int().min(1, 'must be a whole number of seconds from 1');
const port = z.coerce.number().int().min(0).max(65_535);

const schema = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://'),
  BASE_URL: origin.optional(),
  AUTH_URL: origin.optional(),
  PORT: port.default(3000),
  HOST: z.string().default('0.0.0.0'),
  GATEHOUSE_SECRET: z.string(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .optional(),
  SESSION_IDLE: seconds.default(1_800),
  SESSION_MAX: seconds.default(43_200),
  TRUST_PROXY: z.coerce.number().int().min(0).max(20).default(0),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(600).default(3),
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(7, 'must be a whole number of days from 7').default(365),
  METRICS_PORT: port.min(1).optional(),
  METRICS_TOKEN: z.string().min(16, 'must be 16 or more characters').optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url('must be an address such as http://localhost:4318').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z
    .url('must be an address such as http://localhost:4318/v1/traces')
    .optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

/** The process's environment; nobody else reads it. */
export function environment(): Env {
  return process.env;
}

/** Where the embedded database and local secrets live. */
export function dataDirectory(env: Env = process.env): string {
  return path.resolve(/*turbopackIgnore: true*/ process.cwd(), env['GATEHOUSE_DATA_DIR'] || '.data');
}

export function parseSettings(env: Env): Settings {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    throw new SettingsError(
      `${name} ${given[name] === undefined ? 'is missing' : (issue?.message ?? 'is malformed')}`,
    );
  }
  const values = parsed.data;
  const baseUrl = (values.BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/$/, '');
  const authUrl = (values.AUTH_URL ?? baseUrl).replace(/\/$/, '');
  return {
    databaseUrl: values.DATABASE_URL,
    baseUrl,
    authUrl,
    port: values.PORT,
    host: values.HOST,
    secrets: parseSecrets(values.GATEHOUSE_SECRET),
    smtpUrl: values.SMTP_URL ?? null,
    sessionIdleSeconds: values.SESSION_IDLE,
    sessionMaxSeconds: values.SESSION_MAX,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    dataDir: dataDirectory(env),
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    drainSeconds: values.DRAIN_SECONDS,
    metricsPort: values.METRICS_PORT ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    tracing: tracingOf(values),
    secureCookies: authUrl.startsWith('https:'),
  };
}

function tracingOf(values: z.infer<typeof schema>): Tracing | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const off = values.OTEL_SDK_DISABLED === 'true' || values.OTEL_TRACES_EXPORTER === 'none';
  if (off || endpoint === undefined) return null;
  const sampler = values.OTEL_TRACES_SAMPLER;
  const sampleRatio = sampler.endsWith('always_off')
    ? 0
    : sampler.endsWith('ratio')
      ? values.OTEL_TRACES_SAMPLER_ARG
      : 1;
  return { sampleRatio, parentBased: sampler.startsWith('parentbased_') };
}

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
      'GATEHOUSE_SECRET must be 32 or more random bytes in base64url (several separated by commas)',
    );
  }
  return secrets;
}

const SLOT = Symbol.for('gatehouse.settings');
const slot = globalThis as unknown as { [SLOT]?: Settings };

/** Reads and checks the environment; call once at start, before anything else. */
export function loadSettings(env: Env = process.env): Settings {
  slot[SLOT] = parseSettings(env);
  return slot[SLOT];
}

export function settings(): Settings {
  return slot[SLOT] ?? loadSettings();
}
