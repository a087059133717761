// Raw environment, before validation.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { settingRows } from './table.ts';

// Error for a missing or malformed setting. Its one-line message starts with the setting's name.

export class SettingsError extends Error {
  override name = 'SettingsError';
}

// Kubernetes sets variables for each Service of the namespace: a Service `metrics` sets
// METRICS_PORT=tcp://10.0.0.1:80, METRICS_SERVICE_HOST, METRICS_SERVICE_PORT and METRICS_PORT_80_TCP_… (Docker's links
// set the same names). A Service with a clashing name therefore sets a Gatehouse setting unintentionally.

export type Env = Readonly<Record<string, string | undefined>>;

/** Values of Service variables, which no setting can have: `tcp://host:port`, `udp://…`, `sctp://…`. */
const LINK = /^(?:tcp|udp|sctp):\/\/[^/\s]+:\d+$/;

/** The names of settings that a Service sets. */
export const serviceLinks = (env: Env): string[] =>
  settingRows()
    .map(([name]) => name)
    .filter((name) => LINK.test(env[name] ?? ''));

export function withoutServiceLinks(env: Env): Env {
  const names = new Set(serviceLinks(env));
  if (names.size === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** Quotes around a value. `docker run --env-file` keeps them, while a shell and systemd remove them. */
const QUOTED = /^(["']).*\1$/s;

export const isQuoted = (value: string | undefined): boolean => value !== undefined && QUOTED.test(value);

/** Names of settings with a quoted value. */
export const quotedSettings = (env: Env): string[] =>
  settingRows()
    .map(([name]) => name)
    .filter((name) => isQuoted(env[name]));

// Variables of Vercel and its marketplace databases fill in unset settings.

/** Alternative variables of each setting, in order of preference. */
export const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  // Supabase; Neon sets DATABASE_URL itself
  DATABASE_URL: ['POSTGRES_URL'],
  DIRECT_URL: ['DATABASE_URL_UNPOOLED', 'POSTGRES_URL_NON_POOLING'],
};
/** Defaults for functions: the edge acts as proxy, and an instance serves one request at a time. */
export const OF_FUNCTIONS = { TRUST_PROXY: '1', DATABASE_POOL_MAX: '3' };

export function withVercel(env: Env): Env {
  const found: Record<string, string> = {};
  const isSet = (name: string) => env[name] !== undefined && env[name] !== '';
  const take = (name: string, value: string | undefined) => {
    if (!isSet(name) && value) found[name] = value;
  };
  for (const [name, others] of Object.entries(FALLBACKS)) take(name, env[others.find(isSet) ?? name]);
  // the integration's direct address belongs to its own database, not to another DATABASE_URL
  if (found['DIRECT_URL'] && isSet('DATABASE_URL') && !isSet('DATABASE_URL_UNPOOLED')) {
    if (env['POSTGRES_URL'] !== env['DATABASE_URL']) delete found['DIRECT_URL'];
  }
  if (env['VERCEL'] !== '1') return { ...env, ...found };
  for (const [name, value] of Object.entries(OF_FUNCTIONS)) take(name, value);
  if (env['VERCEL_ENV'] === 'production') take('BASE_URL', productionUrl(env));
  return { ...env, ...found };
}

function productionUrl({ VERCEL_PROJECT_PRODUCTION_URL: host }: Env): string | undefined {
  return host && `https://${host}`;
}

const PREVIEW =
  'give the Preview environment its own BASE_URL, GATEHOUSE_SECRET and database (docs/operate/deploy-vercel.md)';

/**
 * Throws SettingsError if a preview deployment lacks BASE_URL or has production's BASE_URL, which implies production's
 * secret and database.
 */
export function refuseSharedPreview(env: Env): void {
  if (env['VERCEL'] !== '1' || env['VERCEL_ENV'] !== 'preview') return;
  const address = env['BASE_URL'];
  if (!address) throw new SettingsError(`BASE_URL is missing in a preview deployment: ${PREVIEW}`);
  if (address.replace(/\/$/, '') === productionUrl(env))
    throw new SettingsError(`BASE_URL is that of production in a preview deployment: ${PREVIEW}`);
}

/**
 * Process environment, without variables of Kubernetes Services with clashing names, with variables of Vercel and its
 * databases mapped to settings.
 */
export function environment(): Env {
  return withVercel(withoutServiceLinks(process.env));
}

/**
 * Configures Next in packages, which lack the dependencies of next.config.mjs. `configuration`: the build's
 * configuration, without the settings of PHASE_PRODUCTION_SERVER.
 */
export function giveNext({ experimental, ...configuration }: { experimental?: object }): void {
  const atStart = { ...configuration, experimental: { ...experimental, preloadEntriesOnStart: false } };
  process.env['__NEXT_PRIVATE_STANDALONE_CONFIG'] = JSON.stringify(atStart);
}

/** Where the embedded database and local secrets live. */
export function dataDirectory(env: Env = process.env): string {
  return path.resolve(/*turbopackIgnore: true*/ process.cwd(), env['GATEHOUSE_DATA_DIR'] || '.data');
}

/** Allows generation of a missing secret into a file. Forbidden in production unless every URL is local. */
export function mayMakeSecret(env: Env): boolean {
  if (env['NODE_ENV'] !== 'production') return true;
  const addresses = [env['BASE_URL'], env['AUTH_URL']].filter((address) => address);
  return addresses.every((address) => isLocal(address ?? ''));
}

/** Does it name this machine? */
export function isLocal(address: string): boolean {
  return isLoopbackHost(URL.parse(address)?.hostname ?? '');
}

// A secret setting can name a file, because systemd and container platforms pass secrets as files: NAME_FILE instead
// of NAME.

type Variables = Record<string, string | undefined>;

/** Replaces each _FILE variable with its file's content, once, before other code reads the environment. */
export function takeSecretFiles(env: Variables = process.env): void {
  for (const [name, { secret }] of settingRows()) {
    const pointer = `${name}_FILE`;
    const file = env[pointer];
    if (secret === undefined || !file) continue;
    if (env[name]) throw new SettingsError(`${name} and ${pointer} are both set: remove one of them`);
    env[name] = contentOf(file, pointer);
    // a worker has the value
    delete env[pointer];
  }
}

/** Strips the final line break that editors add. */
function contentOf(file: string, pointer: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${pointer}: ${file} cannot be read (${code})`, { cause: error });
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new SettingsError(`${pointer}: ${file} is empty`);
  return value;
}
