// The environment before validation.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { settingRows } from './table.ts';

// Error for a setting that is missing or malformed. Its message of one line starts with the name of the setting.

export class SettingsError extends Error {
  override name = 'SettingsError';
}

// Kubernetes sets variables for each Service of the namespace: a Service `metrics` sets
// METRICS_PORT=tcp://10.0.0.1:80, METRICS_SERVICE_HOST, METRICS_SERVICE_PORT and METRICS_PORT_80_TCP_… (Docker's
// links set the same names). A Service with such a name therefore sets a setting of Gatehouse by accident.

export type Env = Readonly<Record<string, string | undefined>>;

/** Values of these variables, which no setting can have: `tcp://host:port`, `udp://…`, `sctp://…`. */
const LINK = /^(?:tcp|udp|sctp):\/\/[^/\s]+:\d+$/;

/** Names of settings that are set by a Kubernetes Service. */
export const serviceLinks = (env: Env): string[] =>
  settingRows()
    .map(([name]) => name)
    .filter((name) => LINK.test(env[name] ?? ''));

export function withoutServiceLinks(env: Env): Env {
  const names = new Set(serviceLinks(env));
  if (names.size === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** A value in quotes. `docker run --env-file` keeps the quotes, whereas a shell and systemd remove them. */
const QUOTED = /^(["']).*\1$/s;

export const isQuoted = (value: string | undefined): boolean => value !== undefined && QUOTED.test(value);

/** Names of settings whose value is in quotes. */
export const quotedSettings = (env: Env): string[] =>
  settingRows()
    .map(([name]) => name)
    .filter((name) => isQuoted(env[name]));

// If a setting is missing, a variable of Vercel or its marketplace databases replaces it.

/** Variables that can replace each setting, in order of preference. */
export const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  // set by Supabase; Neon sets DATABASE_URL itself
  DATABASE_URL: ['POSTGRES_URL'],
  DIRECT_URL: ['DATABASE_URL_UNPOOLED', 'POSTGRES_URL_NON_POOLING'],
};
/** Defaults for functions: the edge of the platform is a proxy, and an instance serves one request at a time. */
export const OF_FUNCTIONS = { TRUST_PROXY: '1', DATABASE_POOL_MAX: '3' };

export function withVercel(env: Env): Env {
  const vercelEnv: Record<string, string> = {};
  const isSet = (name: string) => env[name] !== undefined && env[name] !== '';
  const take = (name: string, value: string | undefined) => {
    if (!isSet(name) && value) vercelEnv[name] = value;
  };
  for (const [name, others] of Object.entries(FALLBACKS)) take(name, env[others.find(isSet) ?? name]);
  // the direct address of the integration belongs to its own database, so it is not used with another DATABASE_URL
  if (vercelEnv['DIRECT_URL'] && isSet('DATABASE_URL') && !isSet('DATABASE_URL_UNPOOLED')) {
    if (env['POSTGRES_URL'] !== env['DATABASE_URL']) delete vercelEnv['DIRECT_URL'];
  }
  if (env['VERCEL'] !== '1') return { ...env, ...vercelEnv };
  for (const [name, value] of Object.entries(OF_FUNCTIONS)) take(name, value);
  if (env['VERCEL_ENV'] === 'production') take('BASE_URL', productionUrl(env));
  return { ...env, ...vercelEnv };
}

function productionUrl({ VERCEL_PROJECT_PRODUCTION_URL: host }: Env): string | undefined {
  return host && `https://${host}`;
}

const PREVIEW =
  'give the Preview environment its own BASE_URL, GATEHOUSE_SECRET and database (docs/operate/deploy-vercel.md)';

/**
 * Throws SettingsError if a preview deployment has no BASE_URL, or has the BASE_URL of production, because it would
 * then also have the secret and database of production.
 */
export function refuseSharedPreview(env: Env): void {
  if (env['VERCEL'] !== '1' || env['VERCEL_ENV'] !== 'preview') return;
  const address = env['BASE_URL'];
  if (!address) throw new SettingsError(`BASE_URL is missing in a preview deployment: ${PREVIEW}`);
  if (address.replace(/\/$/, '') === productionUrl(env))
    throw new SettingsError(`BASE_URL is that of production in a preview deployment: ${PREVIEW}`);
}

/**
 * The environment of the process, without variables that a Kubernetes Service sets by accident, and with variables of
 * Vercel and its databases as settings.
 */
export function environment(): Env {
  return withVercel(withoutServiceLinks(process.env));
}

/**
 * Configures Next in a package, which lacks the dependencies of next.config.mjs. `configuration`: the configuration
 * of the build, without the settings of PHASE_PRODUCTION_SERVER.
 */
export function giveNext({ experimental, ...configuration }: { experimental?: object }): void {
  const atStart = { ...configuration, experimental: { ...experimental, preloadEntriesOnStart: false } };
  process.env['__NEXT_PRIVATE_STANDALONE_CONFIG'] = JSON.stringify(atStart);
}

/** Folder of the embedded database and of local secrets. */
export function dataDirectory(env: Env = process.env): string {
  return path.resolve(/*turbopackIgnore: true*/ process.cwd(), env['GATEHOUSE_DATA_DIR'] || '.data');
}

/** True if a missing secret can be generated and stored in a file. False in production, unless every URL is local. */
export function mayMakeSecret(env: Env): boolean {
  if (env['NODE_ENV'] !== 'production') return true;
  const addresses = [env['BASE_URL'], env['AUTH_URL']].filter((address) => address);
  return addresses.every((address) => isLocal(address ?? ''));
}

/** True if the address is on this machine. */
export function isLocal(address: string): boolean {
  return isLoopbackHost(URL.parse(address)?.hostname ?? '');
}

// A secret setting can be read from a file, because systemd and container platforms pass secrets as files: NAME_FILE
// instead of NAME.

type Variables = Record<string, string | undefined>;

/** Replaces each _FILE variable with the content of its file. Runs once, before other code reads the environment. */
export function takeSecretFiles(env: Variables = process.env): void {
  for (const [name, { secret }] of settingRows()) {
    const pointer = `${name}_FILE`;
    const file = env[pointer];
    if (secret === undefined || !file) continue;
    if (env[name]) throw new SettingsError(`${name} and ${pointer} are both set: remove one of them`);
    env[name] = contentOf(file, pointer);
    // workers inherit the value instead
    delete env[pointer];
  }
}

/** The content of the file, without the final line break that editors add. */
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
