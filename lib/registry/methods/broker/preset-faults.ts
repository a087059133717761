// What a preset asks of the keys beside it.
import type { MethodConfig } from '../kind.ts';
import { PRESET_KEYS, PRESET_NAMES, PRESETS, presetOf } from './presets.ts';
import { isGuid, SEVERAL } from './tenants.ts';

type Fault = { path: string[]; message: string };

const ADDRESSES = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
export function presetFaults(config: MethodConfig): Fault[] {
  const preset = presetOf(config);
  const isSaid = (key: string) => config[key] !== undefined;
  const faults: Fault[] = [];
  const found = (key: string, message: string) => faults.push({ path: [key], message });
  for (const key of PRESET_KEYS.filter(isSaid)) {
    const having = PRESET_NAMES.filter((name) => (PRESETS[name].own as readonly string[]).includes(key));
    if (!preset?.own.includes(key)) found(key, `is only for the preset ${having.join(' or ')}`);
  }
  if (!preset) return faults;
  for (const key of preset.needs ?? []) if (!isSaid(key)) found(key, `is missing: the preset needs ${key}`);
  const filled = preset.fills(config);
  if (isSaid('issuer')) found('issuer', 'must not stand beside preset');
  if (filled['issuer'] !== undefined)
    for (const key of ADDRESSES.filter(isSaid)) found(key, 'must not stand beside preset');
  for (const key of ['nonce', 'pkce'])
    if (config[key] === false && filled[key] !== false)
      found(key, 'must not be false with this preset: the provider bears it');
  if (isSaid('base_url') && !isSite(config['base_url']))
    found('base_url', 'must be an origin, without a path: https://git.example');
  if (preset.own.includes('tenants')) faults.push(...microsoftFaults(config));
  return faults;
}

function isSite(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { pathname, search, origin } = new URL(value);
  return pathname === '/' && search === '' && value.replace(/\/$/, '') === origin;
}

function microsoftFaults({ tenant: one, tenants: listed }: MethodConfig): Fault[] {
  const at = (key: string, message: string): Fault[] => [{ path: [key], message }];
  const several = SEVERAL.some((name) => name === one);
  if (one === undefined && listed === undefined)
    return at('tenant', 'is missing: the preset needs tenant or tenants');
  if (one !== undefined && !several && !isGuid(one))
    return at('tenant', 'must be the id of a tenant, organizations or common');
  if (several && listed === undefined)
    return at('tenants', 'is missing: a list of tenants, or any where each may sign in');
  if (listed === 'any' && !several)
    return at('tenants', 'must be a list unless tenant is organizations or common');
  if (one !== undefined && !several && listed !== undefined)
    return at('tenants', 'must not stand beside the id of a tenant');
  return [];
}
