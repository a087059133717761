// Settings of how the service runs: database, addresses, processes, mail, metrics, logs, audit.
import { z } from 'zod';
import { databaseAddress, mailAddress } from './addresses.ts';
import { inCode, type Setting } from './setting.ts';
import { bearerToken, origin, port, whole, yesOrNo } from './values.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Events that an operator should learn about at once. */
const WEBHOOK_EVENTS =
  'token.reused, code.reused, attempts.limited, access.denied, person., client., key., subscription., config., service.';

export const OPERATION_SETTINGS = {
  DATABASE_URL: {
    as: 'databaseUrl',
    value: databaseAddress,
    secret: 'url',
    means: 'PostgreSQL 14 or later, as `postgresql://user:password@host:5432/name`',
    unset: '`POSTGRES_URL`; without both the embedded one, under `.data/`',
  },
  DIRECT_URL: {
    value: databaseAddress.optional(),
    secret: 'url',
    means:
      'the same database without a transaction pooler, for migrations and `LISTEN`; see [Vercel](deploy-vercel.md)',
    unset:
      '`DATABASE_URL_UNPOOLED`, `POSTGRES_URL_NON_POOLING`, where they belong to `DATABASE_URL`; otherwise `DATABASE_URL`',
  },
  DATABASE_POOL_MAX: {
    as: 'databasePoolMax',
    value: whole(1, 1_000).default(10),
    means: 'most connections of all workers together; each worker has one more that listens for changes',
    unset: '`10`; 5 for each of several workers; `3` on Vercel',
  },
  DATABASE_BATCHES: {
    as: 'databaseBatches',
    value: whole(1, 16).default(2),
    means:
      'most statements in flight of each kind that requests share, from 1 to 16; 2 to 4 [measure alike](performance.md#shared-statements-in-flight)',
    unset: '`2`',
  },
  GATEHOUSE_WORKERS: {
    as: 'workers',
    value: whole(1, 64).optional(),
    means: 'processes that serve, from 1 to 64; see [below](#gatehouse_workers)',
    unset: 'one for each core, at most 4',
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
    unset: 'made once, kept in `.data/`',
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
    means: 'the number of proxies whose `X-Forwarded-*` is believed; see [below](#trust_proxy)',
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
    unset: 'that address does not exist',
  },
  DRAIN_SECONDS: {
    as: 'drainSeconds',
    value: whole(0, 600, 'seconds').default(3),
    means: 'seconds from `SIGTERM` to the end of listening, in which a load balancer sees `/ready` fail',
    unset: '`3`',
  },
  AUDIT_RETENTION_DAYS: {
    as: 'auditRetentionDays',
    value: whole(7, 36_500, 'days').default(365),
    means: 'least days for which audit events are kept, from 7',
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
    means: 'signs these posts, 32 or more characters',
    unset: 'required with `AUDIT_WEBHOOK_URL`',
  },
  AUDIT_WEBHOOK_EVENTS: {
    value: z
      .string()
      .regex(/^[a-z_.]+(\s*,\s*[a-z_.]+)*$/, 'must be names such as token.reused, subscription.')
      .default(WEBHOOK_EVENTS),
    means: 'the selected events: names, or beginnings that end in a dot, separated by commas',
    unset: `\`${WEBHOOK_EVENTS}\``,
  },
  AUDIT_WEBHOOK_PRIVATE_NETWORK: {
    value: yesOrNo,
    means: '`true`: the webhook may have a private address, and http',
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
    means: 'the folder of the embedded database, a secret that was made here, and mails without `SMTP_URL`',
    unset: '`.data`',
  },
  LOG_LEVEL: {
    as: 'logLevel',
    value: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    means: inCode(LOG_LEVELS),
    unset: '`info`',
  },
} as const satisfies Record<string, Setting>;
