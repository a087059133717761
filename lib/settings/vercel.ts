// What Vercel and the databases of its marketplace set by themselves: it fills in the settings that are not set.
import { SettingsError } from './settings-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Of each setting, the variables that may give it, the first first. */
export const FALLBACKS: Readonly<Record<string, readonly string[]>> = {
  // Supabase; Neon sets DATABASE_URL itself
  DATABASE_URL: ['POSTGRES_URL'],
  DIRECT_URL: ['DATABASE_URL_UNPOOLED', 'POSTGRES_URL_NON_POOLING'],
};
/** Of a function: the edge is the proxy, and an instance serves one request at a time. */
export const OF_FUNCTIONS = { TRUST_PROXY: '1', DATABASE_POOL_MAX: '3' };

export function withVercel(env: Variables): Variables {
  const found: Record<string, string> = {};
  const isSet = (name: string) => env[name] !== undefined && env[name] !== '';
  const take = (name: string, value: string | undefined) => {
    if (!isSet(name) && value) found[name] = value;
  };
  for (const [name, others] of Object.entries(FALLBACKS)) take(name, env[others.find(isSet) ?? name]);
  // the integration's address past its pooler does not belong to another DATABASE_URL
  if (found['DIRECT_URL'] && isSet('DATABASE_URL') && !isSet('DATABASE_URL_UNPOOLED')) {
    if (env['POSTGRES_URL'] !== env['DATABASE_URL']) delete found['DIRECT_URL'];
  }
  if (env['VERCEL'] !== '1') return { ...env, ...found };
  for (const [name, value] of Object.entries(OF_FUNCTIONS)) take(name, value);
  if (env['VERCEL_ENV'] === 'production') take('BASE_URL', productionUrl(env));
  return { ...env, ...found };
}

function productionUrl({ VERCEL_PROJECT_PRODUCTION_URL: host }: Variables): string | undefined {
  return host && `https://${host}`;
}

const PREVIEW =
  'give the environment Preview a BASE_URL, a GATEHOUSE_SECRET and a database of its own (docs/deploy-vercel.md)';

/** SettingsError: a preview deployment has the address of production, and so its secret and its database. */
export function refuseSharedPreview(env: Variables): void {
  if (env['VERCEL'] !== '1' || env['VERCEL_ENV'] !== 'preview') return;
  const address = env['BASE_URL'];
  if (!address) throw new SettingsError(`BASE_URL is missing in a preview deployment: ${PREVIEW}`);
  if (address.replace(/\/$/, '') === productionUrl(env))
    throw new SettingsError(`BASE_URL is that of production in a preview deployment: ${PREVIEW}`);
}
