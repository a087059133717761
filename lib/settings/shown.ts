// The settings as a page may show them: where each comes from, and never a secret.
import { type Env, environment } from './environment.ts';
import { settingRows } from './table.ts';
import { FOUND } from './workers.ts';

export type ShownSetting = {
  name: string;
  /** `start`: it was not set: the service found or made it when it started */
  from: 'environment' | 'start' | 'default';
  /** it is set, and not shown */
  secret: boolean;
  /** what was set, of a secret address its host; null: nothing, or it is a secret */
  value: string | null;
  /** what it is for, and what holds where it is not set, in Markdown */
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

/** Neither user nor password, nor a path or a query that may be one. */
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
