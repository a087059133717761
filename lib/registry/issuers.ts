// Issuer addresses: former issuers, separate hosts, layouts. Former issuers belong to the previous service of users and
// clients. Gatehouse answers at their old address until a date, so existing clients work unchanged: the host points to
// Gatehouse, and `iss` is the old text. Pure; shared by configuration file, command line and console.
import { z } from 'zod';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { publicKeySet } from './keys.ts';
import { authMethodId, webAddress } from './values.ts';

// Separate hosts for issuers, because some clients drop the path of an issuer (docs/project/decisions/0009). An API
// has one origin per authentication method, in addition to the path address. Pure, and shared by the configuration
// file, the command line and the console.

const NAME = /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])$/;

/** Fault of an issuer host's origin, or null. Tokens contain it as `iss`, so only one spelling is valid. */
export function issuerHostFault(origin: string): string | null {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || origin.length > 300)
    return 'must be an origin such as https://login-orders.example';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.pathname !== '/' || /[?#]/.test(origin)) return `must be an origin, without a path: ${url.origin}`;
  if (url.hostname.endsWith('.')) return 'must not end with a dot';
  if (!NAME.test(url.hostname)) return 'must name one host: letters, digits, hyphens and dots';
  if (url.origin !== origin) return `must be written as ${url.origin}`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'must be https (or http on this machine, for development)';
  return null;
}

/** Host and port of a request's Host header. Two origins with one host are equal. */
export const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, '');

const origin = z.string().refine((value) => issuerHostFault(value) === null, {
  error: ({ input }) => issuerHostFault(String(input)) ?? '',
});

/** Origins by method, or null. `issuerHostFaults` validates the methods. */
export const issuerHosts = z
  .record(z.string(), origin, 'must be keys and values')
  .transform((hosts) => (Object.keys(hosts).length === 0 ? null : hosts))
  .nullable()
  .default(null);

type WithHosts = { authMethods: readonly string[]; issuerHosts: Readonly<Record<string, string>> | null };

/** Separate host of this method's issuer; null: none. */
export function issuerHostOf({ authMethods, issuerHosts: hosts }: WithHosts, method: string): string | null {
  const has = hosts !== null && authMethods.includes(method) && Object.hasOwn(hosts, method);
  return has ? (hosts[method] ?? null) : null;
}

/**
 * Faults: methods that the API does not list, a repeated host, and a host of the service itself (`own`: its origins).
 */
export function issuerHostFaults(
  { authMethods, issuerHosts: hosts }: WithHosts,
  own: readonly string[],
): { method: string; message: string }[] {
  const seen = new Map<string, string>();
  return Object.entries(hosts ?? {}).flatMap(([method, given]) => {
    if (!authMethods.includes(method))
      return [{ method, message: `${method} is not a sign-in method of this API` }];
    const host = hostOf(given);
    const first = seen.get(host);
    seen.set(host, method);
    if (first !== undefined) return [{ method, message: `${given} is already the host of ${first}` }];
    const ours = own.some((address) => hostOf(address) === host);
    return ours ? [{ method, message: `${given} is the address of this service itself` }] : [];
  });
}

// Endpoint paths below an issuer: Gatehouse's layout, and layouts of other services, answered until a date.

/** Gatehouse's layout, or the named service's layout. */
export const ISSUER_LAYOUTS = ['same', 'keycloak', 'auth0', 'hydra', 'wicked'] as const;
export type IssuerLayout = (typeof ISSUER_LAYOUTS)[number];

type Names = Readonly<Record<string, string>>;

/** The other service's path for each Gatehouse path. A missing entry means that the paths are equal. */
const LAYOUTS: Readonly<Record<IssuerLayout, Names>> = {
  same: {},
  // its addresses are ours: only the host moves
  wicked: {},
  // Keycloak 26, server administration guide: OpenID Connect endpoints
  keycloak: {
    '/authorize': '/protocol/openid-connect/auth',
    '/par': '/protocol/openid-connect/ext/par/request',
    '/token': '/protocol/openid-connect/token',
    '/device_authorization': '/protocol/openid-connect/auth/device',
    '/revoke': '/protocol/openid-connect/revoke',
    '/introspect': '/protocol/openid-connect/token/introspect',
    '/userinfo': '/protocol/openid-connect/userinfo',
    '/logout': '/protocol/openid-connect/logout',
    '/register': '/clients-registrations/openid-connect',
    '/jwks': '/protocol/openid-connect/certs',
  },
  // Auth0, Authentication API
  auth0: {
    '/par': '/oauth/par',
    '/token': '/oauth/token',
    '/device_authorization': '/oauth/device/code',
    '/revoke': '/oauth/revoke',
    '/logout': '/oidc/logout',
    '/register': '/oidc/register',
    '/jwks': '/.well-known/jwks.json',
  },
  // Ory Hydra 2, public API; its introspection endpoint belongs to the administrative API
  hydra: {
    '/authorize': '/oauth2/auth',
    '/token': '/oauth2/token',
    '/device_authorization': '/oauth2/device/auth',
    '/revoke': '/oauth2/revoke',
    '/introspect': '/oauth2/introspect',
    '/logout': '/oauth2/sessions/logout',
    '/register': '/oauth2/register',
    '/jwks': '/.well-known/jwks.json',
  },
};

/** `path`: path of a Gatehouse address below the issuer, such as `/token`. */
export const pathIn = (layout: IssuerLayout, path: string): string => LAYOUTS[layout][path] ?? path;

const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** All addresses of ours below an issuer. */
export const ISSUER_PATHS: readonly string[] = [
  '/authorize',
  '/par',
  '/token',
  '/device_authorization',
  '/revoke',
  '/introspect',
  '/userinfo',
  '/logout',
  '/register',
  '/jwks',
  ...METADATA,
];

/** Removes a trailing slash: issuers that differ only in the slash are equal. */
export const formerIssuerBase = (issuer: string): string => issuer.replace(/\/$/, '');

type Laid = { issuer: string; layout: IssuerLayout };

/**
 * Addresses of an issuer's endpoints, including metadata before its path (RFC 8414 §3.1). Empty for invalid addresses.
 */
export function answeredAt({ issuer, layout }: Laid): string[] {
  const base = formerIssuerBase(issuer);
  if (!URL.canParse(base)) return [];
  const { origin, pathname } = new URL(base);
  const below = ISSUER_PATHS.map((path) => base + pathIn(layout, path));
  return [...below, ...METADATA.map((name) => origin + name + pathname.replace(/\/$/, ''))];
}

/** An address claimed by both issuers, for example `https://h/a/oauth/token`. Null if there is none. */
export function sharedAddress(one: Laid, other: Laid): string | null {
  const taken = new Set(answeredAt(other));
  return answeredAt(one).find((address) => taken.has(address)) ?? null;
}

/** Fault of a former issuer's address, or null. Tokens contain it as `iss`, so only one spelling is valid. */
function formerIssuerFault(issuer: string): string | null {
  const url = URL.parse(issuer);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || issuer.length > 300)
    return 'must be the address of an issuer, such as https://sso.example/realms/shop';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (/[?#%]/.test(issuer) || /\/\//.test(url.pathname))
    return 'must not contain a query, a fragment, an escape or an empty path segment';
  if (url.href !== issuer && url.href !== `${issuer}/`) return `must be written as ${url.href}`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'must be https (or http on this machine, for development)';
  return null;
}

const isEncrypted = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || isLoopbackHost(url?.hostname ?? '');
};

const formerIssuer = z.strictObject({
  issuer: z
    .string()
    .refine((value) => formerIssuerFault(value) === null, {
      error: ({ input }) => formerIssuerFault(String(input)) ?? '',
    })
    .describe('Exactly the `iss` of its tokens'),
  auth_method: authMethodId.describe('The sign-in method of the API for people who use it'),
  layout: z
    .enum(ISSUER_LAYOUTS)
    .default('same')
    .describe('The layout of its addresses: that of the previous service, or that of Gatehouse'),
  until: z.iso
    .date('must be a date such as 2027-06-30')
    .describe('The last day on which it responds, in UTC'),
  refresh: z
    .literal('ask')
    .exactOptional()
    .describe('`ask`: an unknown refresh token is sent once to token_endpoint, as the client sent it'),
  token_endpoint: webAddress
    .refine(isEncrypted, 'must be https (or http on localhost), because client secrets are sent to it')
    .exactOptional()
    .describe('The token endpoint of the previous service, which must still respond'),
  allow_private_network: z
    .boolean('must be true or false')
    .exactOptional()
    .describe('token_endpoint and jwks_uri can have private addresses'),
  jwks: publicKeySet
    .exactOptional()
    .describe('Its public keys, which verify its ID tokens and stay in its key set'),
  jwks_uri: webAddress
    .refine(isEncrypted, 'must be https (or http on localhost), because keys are fetched from it')
    .exactOptional()
    .describe('The address of its public keys, in addition to jwks or instead. The last keys are kept'),
});

export type FormerIssuer = z.output<typeof formerIssuer>;

/** Null: none. `formerIssuerFaults` validates combinations. */
export const formerIssuers = z
  .array(formerIssuer)
  .max(100, 'must not be more than 100')
  .transform((list) => (list.length === 0 ? null : list))
  .nullable()
  .default(null);

type WithFormers = {
  authMethods: readonly string[];
  issuerHosts: Readonly<Record<string, string>> | null;
  formerIssuers: readonly FormerIssuer[] | null;
};

/** The first moment after the issuer's last day, in milliseconds since 1970. */
const endOf = ({ until }: FormerIssuer): number => Date.parse(until) + 86_400_000;

export const isPast = (one: FormerIssuer, now: Date): boolean => endOf(one) <= now.getTime();

/** `end`: end of the address, in milliseconds since 1970. `jwks`: keys published beside those of Gatehouse. */
export type IssuerAddress = {
  url: string;
  layout: IssuerLayout;
  end: number;
  jwks: FormerIssuer['jwks'] | null;
  /** address of further keys; null: none */
  keysAt: OldAddress | null;
  /** where Gatehouse forwards this issuer's refresh tokens; null if nowhere */
  asks: OldAddress | null;
};

/** Address of the former service while it still responds. */
export type OldAddress = { address: string; allowPrivateNetwork: boolean };

const oldAddress = (one: FormerIssuer, address: string | undefined): OldAddress | null =>
  address === undefined ? null : { address, allowPrivateNetwork: one.allow_private_network === true };

/** Additional addresses of this method's issuer: separate host, and former addresses. */
export function addressesOf(api: WithFormers, method: string): IssuerAddress[] {
  const host = issuerHostOf(api, method);
  const own =
    host === null
      ? []
      : [{ url: host, layout: 'same', end: Infinity, jwks: null, keysAt: null, asks: null } as const];
  const formers = api.authMethods.includes(method) ? (api.formerIssuers ?? []) : [];
  return [
    ...own,
    ...formers
      .filter((former) => former.auth_method === method)
      .map((one) => ({
        url: one.issuer,
        layout: one.layout,
        end: endOf(one),
        jwks: one.jwks ?? null,
        keysAt: oldAddress(one, one.jwks_uri),
        asks: one.refresh === 'ask' ? oldAddress(one, one.token_endpoint) : null,
      })),
  ];
}

/** Conflict of two issuers at a shared address. Null if there is none. */
function meetingOf(
  one: Pick<FormerIssuer, 'issuer' | 'layout'>,
  others: readonly Pick<FormerIssuer, 'issuer' | 'layout'>[],
): string | null {
  for (const other of others) {
    if (formerIssuerBase(one.issuer) === formerIssuerBase(other.issuer))
      return `${one.issuer} is listed twice`;
    const shared = sharedAddress(one, other);
    if (shared !== null) return `${other.issuer} also uses the address ${shared}`;
  }
  return null;
}

/**
 * Faults: methods that the API does not list, addresses shared by two issuers, and an address at a host of the
 * service itself (`own`: its origins).
 */
export function formerIssuerFaults(
  { authMethods, issuerHosts, formerIssuers: formers }: WithFormers,
  own: readonly string[],
): { at: number; message: string }[] {
  const seen: Pick<FormerIssuer, 'issuer' | 'layout'>[] = [];
  const hosts = new Set([...own, ...Object.values(issuerHosts ?? {})].map((one) => URL.parse(one)?.host));
  return (formers ?? []).flatMap(
    (
      { issuer, layout, auth_method: method, refresh, token_endpoint: tokens, jwks, jwks_uri: keysAt },
      at,
    ) => {
      const meeting = meetingOf({ issuer, layout }, seen);
      seen.push({ issuer, layout });
      if (!authMethods.includes(method))
        return [{ at, message: `${method} is not a sign-in method of this API` }];
      if ((refresh === undefined) !== (tokens === undefined))
        return [{ at, message: 'refresh and token_endpoint must be set together' }];
      if (refresh !== undefined && jwks === undefined && keysAt === undefined)
        return [{ at, message: 'refresh requires jwks or jwks_uri, which verify the responses' }];
      if (meeting !== null) return [{ at, message: meeting }];
      return hosts.has(URL.parse(issuer)?.host)
        ? [{ at, message: `${issuer} is at a host of this service, which already has its own issuers` }]
        : [];
    },
  );
}
