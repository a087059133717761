// Microsoft's tenants: which of them may sign in, and what calls itself the issuer of their tokens.
import type { MethodConfig } from '../kind.ts';

export const MICROSOFT = 'https://login.microsoftonline.com';
/** What the metadata of several tenants name; each token names its own. */
export const ISSUER_TEMPLATE = `${MICROSOFT}/{tenantid}/v2.0`;
/** Of personal accounts. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
export const SEVERAL = ['organizations', 'common'];

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isGuid = (value: unknown): value is string => typeof value === 'string' && GUID.test(value);

/** Whose sign-in page it is: of the one tenant, or of all that are let in. */
export function authorityOf(config: MethodConfig): string {
  const one = config['tenant'];
  if (typeof one === 'string') return one.toLowerCase();
  const listed = listOf(config);
  if (listed.length === 1) return String(listed[0]);
  return listed.includes(PERSONAL) ? 'common' : 'organizations';
}

/** People of several tenants may sign in: an `oid` names a person together with its `tid`. */
export const namedWithTid = (config: MethodConfig): boolean => config['tenants'] !== undefined;

const listOf = ({ tenants: listed }: MethodConfig): string[] =>
  Array.isArray(listed) ? listed.map((one) => String(one).toLowerCase()) : [];

/** The issuer differs from token to token. */
export const isTemplated = (config: MethodConfig): boolean =>
  namedWithTid(config) && SEVERAL.includes(authorityOf(config));

/** The tenant of a token whose `iss` is of this very tenant, where its people may sign in; null: no such one. */
export function tidOf(config: MethodConfig, { tid, iss }: MethodConfig): string | null {
  if (!isGuid(tid) || iss !== `${MICROSOFT}/${tid}/v2.0`) return null;
  const id = tid.toLowerCase();
  return config['tenants'] === 'any' || listOf(config).includes(id) ? id : null;
}

/** Users of more than one tenant may sign in: the administrators of one say nothing for the others. */
export const hasSeveralTenants = (config: MethodConfig): boolean =>
  namedWithTid(config) && (config['tenants'] === 'any' || listOf(config).length > 1);

/**
 * The tenant of `TENANT/VALUE`, which users of the method may be of; null: none. Personal accounts have no administrator.
 */
export function tenantNamed(config: MethodConfig, value: string): string | null {
  const tenant = value.slice(0, Math.max(0, value.indexOf('/'))).toLowerCase();
  if (!isGuid(tenant) || tenant === PERSONAL || value.length === tenant.length + 1) return null;
  return config['tenants'] === 'any' || listOf(config).includes(tenant) ? tenant : null;
}
