// The API's metadata document (RFC 9728), with the metadata (RFC 8414) and keys of its issuers.
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { fetchJson } from './fetch-json.ts';
import { secure } from './options.ts';

export type Metadata = {
  /** The audience of the API's tokens. */
  resource: string;
  issuers: readonly string[];
  format: 'jwt' | 'opaque';
  algorithms: string[];
  /** Keys by `kid`. */
  keys: ReadonlyMap<string, CryptoKey | Uint8Array>;
  introspection: string;
};

/** Names of the accepted algorithms. Symmetric algorithms and `none` are excluded. */
const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)$/;
/**
 * Number of issuers that are asked. All issuers of an API have the same keys, so the second issuer is only a
 * fallback.
 */
const ISSUERS_ASKED = 2;

/** Loads the metadata. Throws if a document is unavailable or invalid. */
export async function loadMetadata(api: string, pinned: readonly string[] | null): Promise<Metadata> {
  const json = await fetchJson(api);
  const { resource, access_token_format: format, access_token_signing_alg: alg } = json;
  const issuers = pinned ?? json['authorization_servers'];
  if (typeof resource !== 'string' || !isTexts(issuers))
    throw new Error(`${api}: it must contain resource and issuers`);
  if (format !== 'jwt' && format !== 'opaque')
    throw new Error(`${api}: its access_token_format is not known`);
  const algorithms = [alg]
    .flat()
    .filter((algorithm) => typeof algorithm === 'string' && ASYMMETRIC.test(algorithm)) as string[];
  if (format === 'jwt' && algorithms.length === 0)
    throw new Error(`${api}: its access_token_signing_alg is not known`);
  const issuer = await firstAnswer(issuers.slice(0, ISSUERS_ASKED));
  return {
    resource,
    issuers,
    format,
    algorithms,
    keys: format === 'jwt' ? await loadKeys(secure(issuer['jwks_uri']), algorithms) : new Map(),
    introspection: format === 'opaque' ? secure(issuer['introspection_endpoint']) : '',
  };
}

async function firstAnswer([issuer, ...others]: string[]): Promise<Record<string, unknown>> {
  const { origin, pathname } = new URL(secure(issuer));
  const address = `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
  try {
    const json = await fetchJson(address);
    if (json['issuer'] !== issuer) throw new Error(`${address}: it contains another issuer`);
    return json;
  } catch (error) {
    if (others.length === 0) throw error;
    return firstAnswer(others);
  }
}

async function loadKeys(address: string, algorithms: string[]): Promise<Metadata['keys']> {
  const { keys } = await fetchJson(address);
  if (!Array.isArray(keys)) throw new Error(`${address}: it is not a key set`);
  const keysById = new Map<string, CryptoKey | Uint8Array>();
  for (const { kid, alg, kty, crv, n, e, x, y } of keys as JWK[]) {
    if (typeof kid !== 'string' || !alg || !algorithms.includes(alg) || kty === 'oct') continue;
    const jwk = Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => typeof value === 'string');
    keysById.set(kid, await importJWK(Object.fromEntries(jwk) as JWK, alg));
  }
  return keysById;
}

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item !== '');
