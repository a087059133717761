import { claimsOfForm } from './claim-fields.tsx';
import { keysOf, type MethodType } from './method-fields.tsx';

type Read = { one: (name: string) => string; all: (name: string) => readonly string[] };

/** The `config` of a method's form: numbers as numbers, scopes as a list, and nothing that was left empty. */
export function configOf(type: MethodType, { one, all }: Read): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { key, type: kind } of keysOf(type)) {
    const value = one(`config.${key}`).trim();
    if (value === '') continue;
    if (kind === 'number') config[key] = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    else config[key] = key === 'scopes' ? value.split(/\s+/) : value;
  }
  if (type !== 'local') Object.assign(config, claimsOfForm(all));
  if (type !== 'local') config['allow_private_network'] = one('config.allow_private_network') !== '';
  if (type === 'broker') config['shared_callback'] = one('config.shared_callback') !== '';
  return config;
}
