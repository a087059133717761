// Settings for display: each value's source, secrets excluded.
import { type Env, environment } from './environment.ts';
import { settingRows } from './table.ts';
import { FOUND } from './workers.ts';

export type ShownSetting = {
  name: string;
  /** `start`: the setting is unset, and the service discovered or generated the value during start */
  from: 'environment' | 'start' | 'default';
  /** it is set, and not shown */
  secret: boolean;
  /** configured value, or the host of a secret address; null if unset or secret */
  value: string | null;
  /** purpose and default, in Markdown */
  means: string;
  unset: string;
};

export const shownSettings = (env: Env = environment()): ShownSetting[] => {
  const found = new Set((env[FOUND] ?? '').split(','));
  return settingRows().map(([name, { means, unset, secret }]): ShownSetting => {
    const given = env[name];
    const row = { name, means, unset };
    if (given === undefined || given === '') return { ...row, from: 'default', secret: false, value: null };
    const from = found.has(name) ? 'start' : 'environment';
    if (secret === undefined) return { ...row, from, secret: false, value: given };
    return { ...row, from, secret: true, value: secret === 'url' ? hostOf(given) : null };
  });
};

/** Protocol and host only, because user, password, path or query may contain a secret. */
function hostOf(address: string): string | null {
  const url = URL.parse(address);
  return url === null || url.host === '' ? null : `${url.protocol}//${url.host}`;
}

/** Files of certificate authorities that the environment names. */
export function trustedFiles(env: Env = environment()): { setting: string; file: string }[] {
  const ofDatabase = URL.parse(env['DATABASE_URL'] ?? '')?.searchParams.get('sslrootcert');
  return [
    ['DATABASE_URL', ofDatabase],
    ['NODE_EXTRA_CA_CERTS', env['NODE_EXTRA_CA_CERTS']],
  ].flatMap(([setting, file]) => (setting && file ? [{ setting, file }] : []));
}
