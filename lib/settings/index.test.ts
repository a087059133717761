// Each setting (docs/reference/settings.md): its default, the values that are accepted, and the error line for a
// malformed value.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayMakeSecret, SettingsError } from './environment.ts';
import { parseSettings, type Settings } from './settings.ts';
import { reachWarning } from './start-warnings.ts';

const secret = Buffer.alloc(32, 7).toString('base64url');
const least = { DATABASE_URL: 'postgres://u:p@db.example:5432/g', GATEHOUSE_SECRET: secret };

function refusal(env: Record<string, string | undefined>): string {
  try {
    parseSettings(env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`);
}

test('with only the two required settings, every other setting has its default', () => {
  expect(parseSettings(least)).toMatchObject({
    databaseUrl: least.DATABASE_URL,
    baseUrl: 'http://localhost:3000',
    authUrl: 'http://localhost:3000',
    port: 3000,
    local: true,
    host: '127.0.0.1',
    metricsPort: null,
    metricsHost: '127.0.0.1',
    secrets: [secret],
    smtpUrl: null,
    sessionIdleSeconds: 1_800,
    sessionMaxSeconds: 43_200,
    consoleSecondFactor: 'optional',
    secondFactorGraceDays: 0,
    trustedBrowserDays: 30,
    passkeyRpId: 'localhost',
    trustProxy: 0,
    drainSeconds: 3,
    auditRetentionDays: 365,
    workers: null,
    logLevel: 'info',
    dataDir: path.resolve('.data'),
    secureCookies: false,
  });
});

test('an unset URL or port defaults to the related setting', () => {
  expect(parseSettings({ ...least, PORT: '3105' }).baseUrl).toBe('http://localhost:3105');
  expect(parseSettings({ ...least, PORT: '3105' }).authUrl).toBe('http://localhost:3105');
  expect(parseSettings({ ...least, BASE_URL: 'https://a.example' }).authUrl).toBe('https://a.example');
  expect(parseSettings(least).directUrl).toBe(least.DATABASE_URL);
});

test('cookies have the attribute Secure if AUTH_URL is https', () => {
  const env = { ...least, BASE_URL: 'http://localhost:3000', AUTH_URL: 'https://login.example' };
  expect(parseSettings(env).secureCookies).toBe(true);
});

describe('BASE_URL: with a local address, only this machine can connect to the service', () => {
  const table: [env: Record<string, string>, host: string, warned: boolean][] = [
    [{}, '127.0.0.1', false],
    [{ HOST: '' }, '127.0.0.1', false],
    [{ PORT: '3105' }, '127.0.0.1', false],
    [{ BASE_URL: 'http://localhost:3000' }, '127.0.0.1', false],
    [{ BASE_URL: 'http://login.localhost:3000/' }, '127.0.0.1', false],
    [{ BASE_URL: 'http://127.9.9.9:3000' }, '127.0.0.1', false],
    [{ BASE_URL: 'https://[::1]:3000' }, '127.0.0.1', false],
    [{ BASE_URL: 'https://login.example' }, '0.0.0.0', false],
    [{ BASE_URL: 'http://192.0.2.1:3000' }, '0.0.0.0', false],
    [{ BASE_URL: 'http://localhost.example' }, '0.0.0.0', false],
    [{ BASE_URL: 'http://localhost:3000', AUTH_URL: 'https://login.example' }, '0.0.0.0', false],
    [{ AUTH_URL: 'https://login.example' }, '0.0.0.0', false],
    [{ BASE_URL: 'https://login.example', HOST: '127.0.0.1' }, '127.0.0.1', false],
    [{ HOST: '::1' }, '::1', false],
    [{ HOST: 'localhost' }, 'localhost', false],
    [{ HOST: '0.0.0.0' }, '0.0.0.0', true],
    [{ HOST: '::' }, '::', true],
    [{ HOST: '192.0.2.1', BASE_URL: 'http://localhost:3000' }, '192.0.2.1', true],
  ];
  test.each(table)(
    'with settings %o the service listens on %s, and logs a warning: %s',
    (env, host, warned) => {
      const parsed = parseSettings({ ...least, ...env });
      expect(parsed.host).toBe(host);
      expect(reachWarning(parsed, ['192.0.2.1']) !== null).toBe(warned);
    },
  );

  test('the warning about a listening address names the setting, the port and the exposed services', () => {
    const said = reachWarning(parseSettings({ ...least, HOST: '0.0.0.0', PORT: '3105' }), []);
    expect(said).toMatch(/^HOST=0\.0\.0\.0 opens port 3105 to every machine on this network/);
    expect(said).toContain('the demo passwords are public');
  });

  test('on a machine with only IPv6 addresses, the warning suggests HOST=::', () => {
    const told = { ...least, BASE_URL: 'https://login.example' };
    const warning = (host: string, addresses: string[]) =>
      reachWarning(parseSettings({ ...told, HOST: host }), addresses);
    expect(warning('0.0.0.0', ['2001:db8::1'])).toMatch(/: set HOST=::$/);
    expect(warning('0.0.0.0', ['2001:db8::1', '192.0.2.1'])).toBeNull();
    expect(warning('::', ['2001:db8::1'])).toBeNull();
    // a machine without network addresses causes no warning
    expect(warning('0.0.0.0', [])).toBeNull();
  });
});

test('an empty setting counts as not set', () => {
  const empty = { PORT: '', BASE_URL: '', SESSION_IDLE: '', TRUST_PROXY: '', LOG_LEVEL: '', SMTP_URL: '' };
  expect(parseSettings({ ...least, ...empty })).toEqual(parseSettings(least));
  expect(refusal({ ...least, DATABASE_URL: '' })).toBe('DATABASE_URL is missing');
});

const accepted: [name: string, value: string, part: Partial<Settings>][] = [
  ['DATABASE_URL', 'postgresql://db.example/g', { databaseUrl: 'postgresql://db.example/g' }],
  ['DIRECT_URL', 'postgres://direct.example/g', { directUrl: 'postgres://direct.example/g' }],
  ['DATABASE_POOL_MAX', '25', { databasePoolMax: 25 }],
  ['DATABASE_BATCHES', '4', { databaseBatches: 4 }],
  ['GATEHOUSE_WORKERS', '8', { workers: 8 }],
  ['BASE_URL', 'https://www.example', { baseUrl: 'https://www.example' }],
  ['BASE_URL', 'https://www.example:8443/', { baseUrl: 'https://www.example:8443' }],
  ['AUTH_URL', 'https://login.example', { authUrl: 'https://login.example' }],
  ['PORT', '8080', { port: 8080 }],
  ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
  ['GATEHOUSE_SECRET', `${secret}, ${secret}A`, { secrets: [secret, `${secret}A`] }],
  ['SMTP_URL', 'smtp://mail.example', { smtpUrl: 'smtp://mail.example' }],
  ['SMTP_URL', 'smtps://u:p@mail.example:465', { smtpUrl: 'smtps://u:p@mail.example:465' }],
  ['SESSION_IDLE', '1', { sessionIdleSeconds: 1 }],
  ['SESSION_MAX', '86400', { sessionMaxSeconds: 86_400 }],
  ['TRUST_PROXY', '2', { trustProxy: 2 }],
  ['METRICS_PORT', '9464', { metricsPort: 9464 }],
  ['METRICS_HOST', '10.0.0.5', { metricsHost: '10.0.0.5' }],
  ['METRICS_TOKEN', 'sixteen-or-more!', { metricsToken: 'sixteen-or-more!' }],
  ['CRON_SECRET', 'sixteen-or-more!', { cronSecret: 'sixteen-or-more!' }],
  ['OPEN_REGISTRATION', 'true', { openRegistration: true }],
  ['REGISTRATION_TOKEN', 'sixteen-or-more!', { registrationToken: 'sixteen-or-more!' }],
  ['DRAIN_SECONDS', '0', { drainSeconds: 0 }],
  ['CONSOLE_SECOND_FACTOR', 'required', { consoleSecondFactor: 'required' }],
  ['SECOND_FACTOR_GRACE_DAYS', '14', { secondFactorGraceDays: 14 }],
  ['TRUSTED_BROWSER_DAYS', '0', { trustedBrowserDays: 0 }],
  ['AUDIT_RETENTION_DAYS', '7', { auditRetentionDays: 7 }],
  ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ['DEFAULT_LANGUAGE', 'pt-BR', { defaultLanguage: 'pt-BR' }],
  ['SERVICE_NAME', 'Anmeldung der Stadt', { serviceName: 'Anmeldung der Stadt' }],
];
test.each(accepted)('the setting %s accepts the value %s', (name, value, part) => {
  expect(parseSettings({ ...least, [name]: value })).toMatchObject(part);
});

const SECONDS = 'must be a whole number of seconds from 1';
const ORIGIN = 'must be an origin such as https://login.example, without a path';
const STRONG = 'must be 32 or more random bytes in base64url (several are separated by commas)';
const malformed: [name: string, values: string[], reason: string][] = [
  ['DATABASE_URL', ['mysql://u:hunter2@db', 'db.example'], 'must start with postgres:// or postgresql://'],
  ['DIRECT_URL', ['http://u:hunter2@db'], 'must start with postgres:// or postgresql://'],
  ['DATABASE_BATCHES', ['0', '17', 'two'], 'must be a whole number from 1 to 16'],
  ['DATABASE_POOL_MAX', ['0', '1001', '2.5', 'ten'], 'must be a whole number from 1 to 1000'],
  ['GATEHOUSE_WORKERS', ['0', '-1', '65', '1.5', 'auto'], 'must be a whole number from 1 to 64'],
  [
    'BASE_URL',
    [
      'www.example',
      'https://www.example/app',
      'https://www.example?x=1',
      'ftp://www.example',
      'https://u:p@www.example',
    ],
    ORIGIN,
  ],
  ['AUTH_URL', ['login.example', 'https://login.example/auth', 'https://login.example/#x'], ORIGIN],
  ['PORT', ['http', '-1', '65536', '80.5', '0x50', '1e3'], 'must be a port from 0 to 65535'],
  ['GATEHOUSE_SECRET', ['hunter2', 'x y'.repeat(20), ',', `${secret},hunter2`], STRONG],
  ['SMTP_URL', ['mail.example', 'http://u:hunter2@mail.example'], 'must start with smtp:// or smtps://'],
  ['SESSION_IDLE', ['0', '-5', '30m', '1.5', '9'.repeat(30)], SECONDS],
  ['SESSION_MAX', ['0', 'a day', '１２'], SECONDS],
  ['TRUST_PROXY', ['true', '-1', '21', '10.0.0.0/8'], 'must be a whole number from 0 to 20'],
  ['METRICS_PORT', ['x'], 'must be a port from 0 to 65535'],
  ['METRICS_TOKEN', ['hunter2'], 'must have 16 or more characters'],
  ['CRON_SECRET', ['hunter2'], 'must have 16 or more characters'],
  ['REGISTRATION_TOKEN', ['hunter2'], 'must have 16 or more characters'],
  ['DRAIN_SECONDS', ['-1', '601'], 'must be a whole number of seconds from 0 to 600'],
  ['CONSOLE_SECOND_FACTOR', ['on', 'true'], 'must be off, optional or required'],
  ['SECOND_FACTOR_GRACE_DAYS', ['-1', '366'], 'must be a whole number of days from 0 to 365'],
  ['TRUSTED_BROWSER_DAYS', ['366', '1.5'], 'must be a whole number of days from 0 to 365'],
  ['AUDIT_RETENTION_DAYS', ['6', '0', '36501'], 'must be a whole number of days from 7 to 36500'],
  ['DEFAULT_LANGUAGE', ['xx', 'pt-br', 'en de'], 'must be one of en, de, fr, es, it, pt-BR, pl, tr, ja, ar'],
  ['SERVICE_NAME', ['x'.repeat(61)], 'must be a name of at most 60 characters'],
  ['LOG_LEVEL', ['verbose', 'INFO'], 'must be one of trace, debug, info, warn, error, fatal, silent'],
];
describe.each(malformed)('the setting %s', (name, values, reason) => {
  test.each(values)(
    'the value %j is rejected with one line that names the setting and omits the value',
    (value) => {
      expect(refusal({ ...least, [name]: value })).toBe(`${name} ${reason}`);
    },
  );
});

test.each(['DATABASE_URL', 'GATEHOUSE_SECRET'])(
  'the setting %s is required, and a missing value causes one error line',
  (name) => {
    const line = refusal({ ...least, [name]: undefined });
    expect(line).toMatch(new RegExp(`^${name} is missing`));
    expect(line.includes('openssl rand -base64 32'), 'how to make one').toBe(name === 'GATEHOUSE_SECRET');
  },
);

test('a missing secret is generated in development, or in production if the URLs are local', () => {
  const production = { NODE_ENV: 'production' };
  expect(mayMakeSecret({})).toBe(true);
  expect(mayMakeSecret({ BASE_URL: 'https://www.example' })).toBe(true);
  expect(mayMakeSecret(production)).toBe(true);
  expect(mayMakeSecret({ ...production, BASE_URL: 'http://127.0.0.1:3000' })).toBe(true);
  expect(mayMakeSecret({ ...production, BASE_URL: 'https://www.example' })).toBe(false);
  expect(mayMakeSecret({ ...production, AUTH_URL: 'https://login.example' })).toBe(false);
});

test('PASSKEY_RP_ID can be the host of AUTH_URL or a domain above it', () => {
  const at = (rpId: string, host = 'login.example.com') =>
    parseSettings({ ...least, AUTH_URL: `https://${host}`, BASE_URL: `https://${host}`, PASSKEY_RP_ID: rpId })
      .passkeyRpId;
  expect(at('')).toBe('login.example.com');
  expect(at('login.example.com')).toBe('login.example.com');
  expect(at('example.com')).toBe('example.com');
  for (const [rpId, host] of [['other.com'], ['ogin.example.com'], ['com'], ['0.1', '10.0.0.1']] as const)
    expect(() => at(rpId, host)).toThrow('PASSKEY_RP_ID must be the host of AUTH_URL, or a domain above it');
});
