// Settings for display: the source of each value, and no secrets.
import { type Env, environment } from './environment.ts';
import { settingRows } from './table.ts';
import { FOUND } from './workers.ts';

export type ShownSetting = {
  name: string;
  /** `start`: the setting is not set, and the service found or generated the value when it started */
  from: 'environment' | 'start' | 'default';
  /** true: the setting is set, but its value is not shown */
  secret: boolean;
  /** the configured value, or the host of an address with a secret; null if it is not set or secret */
  value: string | null;
  /** purpose and default, in Markdown */
  means: string;
  unset: string;
};

export const shownSettings = (env: Env = environment()): ShownSetting[] => {
  const startNames = new Set((env[FOUND] ?? '').split(','));
  return settingRows().map(([name, { means, unset, secret }]): ShownSetting => {
    const value = env[name];
    const row = { name, means, unset };
    if (value === undefined || value === '') return { ...row, from: 'default', secret: false, value: null };
    const from = startNames.has(name) ? 'start' : 'environment';
    if (secret === undefined) return { ...row, from, secret: false, value: value };
    return { ...row, from, secret: true, value: secret === 'url' ? hostOf(value) : null };
  });
};

/** Returns only protocol and host, because user, password, path or query may contain a secret. */
function hostOf(address: string): string | null {
  const url = URL.parse(address);
  return url === null || url.host === '' ? null : `${url.protocol}//${url.host}`;
}

/** Files with certificate authorities that the environment names. */
export function trustedFiles(env: Env = environment()): { setting: string; file: string }[] {
  const ofDatabase = URL.parse(env['DATABASE_URL'] ?? '')?.searchParams.get('sslrootcert');
  return [
    ['DATABASE_URL', ofDatabase],
    ['NODE_EXTRA_CA_CERTS', env['NODE_EXTRA_CA_CERTS']],
  ].flatMap(([setting, file]) => (setting && file ? [{ setting, file }] : []));
}
