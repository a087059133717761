// Tenants of Microsoft: which tenants are allowed, and the issuer of their tokens.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { oneLineKey } from '#lib/registry/values.ts';
import type { MethodConfig } from '../kind.ts';

export const MICROSOFT = 'https://login.microsoftonline.com';
/** The issuer in the metadata for several tenants. Each token contains the issuer of its own tenant instead. */
export const ISSUER_TEMPLATE = `${MICROSOFT}/{tenantid}/v2.0`;
/** The tenant of personal accounts. */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
export const SEVERAL = ['organizations', 'common'];

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isGuid = (value: unknown): value is string => typeof value === 'string' && GUID.test(value);

/** The authority for the sign-in page: a single tenant, or a shared page for all allowed tenants. */
export function authorityOf(config: MethodConfig): string {
  const tenant = config['tenant'];
  if (typeof tenant === 'string') return tenant.toLowerCase();
  const listed = listOf(config);
  if (listed.length === 1) return String(listed[0]);
  return listed.includes(PERSONAL) ? 'common' : 'organizations';
}

/** True if users of several tenants can sign in, so that `oid` identifies a user only together with `tid`. */
export const namedWithTid = (config: MethodConfig): boolean => config['tenants'] !== undefined;

const listOf = ({ tenants: listed }: MethodConfig): string[] =>
  Array.isArray(listed) ? listed.map((tenant) => String(tenant).toLowerCase()) : [];

/** True if tokens of the method have different issuers. */
export const isTemplated = (config: MethodConfig): boolean =>
  namedWithTid(config) && SEVERAL.includes(authorityOf(config));

/** Returns the tenant of a token (`tid`) if `iss` is its issuer and the method allows the tenant; otherwise null. */
export function tidOf(config: MethodConfig, { tid, iss }: MethodConfig): string | null {
  if (!isGuid(tid) || iss !== `${MICROSOFT}/${tid}/v2.0`) return null;
  const id = tid.toLowerCase();
  return config['tenants'] === 'any' || listOf(config).includes(id) ? id : null;
}

/**
 * True if users of several tenants can sign in: the administrators of one tenant control no claims of another tenant.
 */
export const hasSeveralTenants = (config: MethodConfig): boolean =>
  namedWithTid(config) && (config['tenants'] === 'any' || listOf(config).length > 1);

/**
 * The tenant in `TENANT/VALUE` if the method allows it; null: none. Personal accounts have no administrator, so their
 * tenant is not accepted.
 */
export function tenantNamed(config: MethodConfig, value: string): string | null {
  const tenant = value.slice(0, Math.max(0, value.indexOf('/'))).toLowerCase();
  if (!isGuid(tenant) || tenant === PERSONAL || value.length === tenant.length + 1) return null;
  return config['tenants'] === 'any' || listOf(config).includes(tenant) ? tenant : null;
}

// The ways in which Gatehouse sends its client id and secret to a broker.

/**
 * Returns the setting of the method, otherwise a method from the metadata. The default is `client_secret_basic` for
 * OpenID Connect. Brokers with plain OAuth 2.0 read the secret from the body.
 */
export function tokenAuthOf(config: MethodConfig, offered: readonly unknown[]): string {
  const basic = 'issuer' in config && offered.includes('client_secret_basic');
  const authMethod = config['token_endpoint_auth_method'];
  return typeof authMethod === 'string' ? authMethod : basic ? 'client_secret_basic' : 'client_secret_post';
}

/**
 * Returns HTTP Basic credentials. Both values are form-encoded first, with the serializer of WHATWG (RFC 6749
 * §2.3.1 and Appendix B).
 */
export const basicCredentials = (clientId: string, secret: string): string =>
  `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(secret)}`)}`;

const formEncoded = (text: string) => String(new URLSearchParams([['', text]])).slice(1);

// A client secret that Gatehouse signs itself, as Apple requires: the stored fields, and the signing key.

const id = z.string().regex(/^[A-Z0-9]{10}$/, 'must be 10 capital letters and digits');

export const signedSecret = z.strictObject({
  team_id: id.describe('The team of the key'),
  key_id: id.describe('The id of the key'),
});
export type SignedSecret = z.output<typeof signedSecret>;

export const signedSecretOf = (config: MethodConfig): SignedSecret | null =>
  signedSecret.safeParse(config['signed_secret']).data ?? null;

/** A P-256 key in PKCS#8 as PEM; null: the text has another format. */
export function signingKeyPem(keyText: string): string | null {
  const pem = pemOf(keyText);
  const key = keyIn(pem);
  return key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    ? pem
    : null;
}

/** True for any private key, which Gatehouse never sends to a service. */
export const isPrivateKey = (keyText: string): boolean =>
  keyText.includes('PRIVATE KEY') || keyIn(pemOf(keyText)) !== null;

const pemOf = (keyText: string) =>
  `-----BEGIN PRIVATE KEY-----\n${oneLineKey(keyText)}\n-----END PRIVATE KEY-----\n`;

function keyIn(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
