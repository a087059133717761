// Addresses of issuers: former issuers, separate hosts, layouts. Former issuers belong to the service that users and
// clients came from. Gatehouse answers at their old address until a date, so that existing clients work unchanged:
// the host points to Gatehouse, and `iss` is the old text. The functions have no side effects; the configuration
// file, the command line and the console share them.
import { z } from 'zod';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { publicKeySet } from './keys.ts';
import { authMethodId, dateSuchAs, noMoreThan, webAddress } from './values.ts';

// Separate hosts for issuers, because some clients drop the path of an issuer (docs/project/decisions/0009). An API
// has one origin per authentication method, in addition to the address under AUTH_URL. The functions have no side
// effects; the configuration file, the command line and the console share them.

const NAME = /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])$/;

const WITH_PASSWORD: FaultText = { message: 'must not contain a username or password' };
const NOT_HTTPS: FaultText = { message: 'must be https (or http on this machine, for development)' };

/**
 * Fault of the origin of an issuer's host, or null. Tokens contain the origin as `iss`, so only one spelling is
 * valid.
 */
export function issuerHostFault(origin: string): FaultText | null {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || origin.length > 300)
    return { message: 'must be an origin such as https://login-orders.example' };
  if (url.username !== '' || url.password !== '') return WITH_PASSWORD;
  if (url.pathname !== '/' || /[?#]/.test(origin))
    return fault('must be an origin, without a path: {value}', { value: url.origin });
  if (url.hostname.endsWith('.')) return { message: 'must not end with a dot' };
  if (!NAME.test(url.hostname)) return { message: 'must name one host: letters, digits, hyphens and dots' };
  if (url.origin !== origin) return fault('must be written as {value}', { value: url.origin });
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return NOT_HTTPS;
  return null;
}

/** Host and port, as in the Host header of a request. Two origins with the same host are equal. */
export const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, '');

const checked = (faultIn: (text: string) => FaultText | null) =>
  z.string().superRefine((value, context) => {
    const wrong = faultIn(value);
    if (wrong) context.addIssue({ code: 'custom', ...wrong });
  });
const origin = checked(issuerHostFault);

/** Schema of separate hosts: origins keyed by method, or null. `issuerHostFaults` validates the methods. */
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
 * Returns faults: methods that the API does not list, a host that is used twice, and a host of the service itself
 * (`addresses`: its origins).
 */
export function issuerHostFaults(
  { authMethods, issuerHosts: hosts }: WithHosts,
  addresses: readonly string[],
): ({ method: string } & FaultText)[] {
  const seen = new Map<string, string>();
  return Object.entries(hosts ?? {}).flatMap(([method, given]) => {
    if (!authMethods.includes(method)) return [{ method, ...methodFault(method) }];
    const host = hostOf(given);
    const first = seen.get(host);
    seen.set(host, method);
    if (first !== undefined)
      return [{ method, ...fault('{host} is already the host of {method}', { host: given, method: first }) }];
    const ours = addresses.some((address) => hostOf(address) === host);
    return ours
      ? [{ method, ...fault('{host} is the address of this service itself', { host: given }) }]
      : [];
  });
}

const methodFault = (method: string) => fault('{method} is not a sign-in method of this API', { method });

// Paths of the endpoints below an issuer: the layout of Gatehouse, and layouts of other services, at which Gatehouse
// answers until a date.

/** The layout of Gatehouse (`same`), or of the named service. */
export const ISSUER_LAYOUTS = ['same', 'keycloak', 'auth0', 'hydra', 'wicked'] as const;
export type IssuerLayout = (typeof ISSUER_LAYOUTS)[number];

type Names = Readonly<Record<string, string>>;

/** The path at the other service for each path of Gatehouse. If an entry is missing, the paths are equal. */
const LAYOUTS: Readonly<Record<IssuerLayout, Names>> = {
  same: {},
  // the paths of wicked are the same as Gatehouse's, so only the host moves
  wicked: {},
  // source: Keycloak 26, server administration guide, OpenID Connect endpoints
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
  // source: Auth0, Authentication API
  auth0: {
    '/par': '/oauth/par',
    '/token': '/oauth/token',
    '/device_authorization': '/oauth/device/code',
    '/revoke': '/oauth/revoke',
    '/logout': '/oidc/logout',
    '/register': '/oidc/register',
    '/jwks': '/.well-known/jwks.json',
  },
  // source: Ory Hydra 2, public API; the introspection endpoint is missing because it belongs to the administrative
  // API
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

/**
 * Returns the path of an endpoint in the layout. `path`: a path of Gatehouse below the issuer, such as
 * `/token`.
 */
export const pathIn = (layout: IssuerLayout, path: string): string => LAYOUTS[layout][path] ?? path;

const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** All paths of Gatehouse below an issuer. */
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

/** Removes a trailing slash, because issuers that differ only in the slash are treated as equal. */
export const formerIssuerBase = (issuer: string): string => issuer.replace(/\/$/, '');

type Laid = { issuer: string; layout: IssuerLayout };

/**
 * Addresses of an issuer's endpoints, including those of metadata in front of its path (RFC 8414 §3.1). Empty if the
 * address is invalid.
 */
export function answeredAt({ issuer, layout }: Laid): string[] {
  const base = formerIssuerBase(issuer);
  if (!URL.canParse(base)) return [];
  const { origin, pathname } = new URL(base);
  const below = ISSUER_PATHS.map((path) => base + pathIn(layout, path));
  return [...below, ...METADATA.map((name) => origin + name + pathname.replace(/\/$/, ''))];
}

/** An address that both issuers would use, for example `https://h/a/oauth/token`. Null if there is none. */
export function sharedAddress(issuer: Laid, other: Laid): string | null {
  const taken = new Set(answeredAt(other));
  return answeredAt(issuer).find((address) => taken.has(address)) ?? null;
}

/** Fault of a former issuer's address, or null. Tokens contain it as `iss`, so only one spelling is valid. */
function formerIssuerFault(issuer: string): FaultText | null {
  const url = URL.parse(issuer);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || issuer.length > 300)
    return { message: 'must be the address of an issuer, such as https://sso.example/realms/shop' };
  if (url.username !== '' || url.password !== '') return WITH_PASSWORD;
  if (/[?#%]/.test(issuer) || /\/\//.test(url.pathname))
    return { message: 'must not contain a query, a fragment, an escape or an empty path segment' };
  if (url.href !== issuer && url.href !== `${issuer}/`)
    return fault('must be written as {value}', { value: url.href });
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return NOT_HTTPS;
  return null;
}

const isEncrypted = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || isLoopbackHost(url?.hostname ?? '');
};

const formerIssuer = z.strictObject({
  issuer: checked(formerIssuerFault).describe('Exactly the `iss` of its tokens'),
  auth_method: authMethodId.describe('The sign-in method of the API for people who use it'),
  layout: z
    .enum(ISSUER_LAYOUTS)
    .default('same')
    .describe('The layout of its addresses: that of the previous service, or that of Gatehouse'),
  until: z.iso.date(dateSuchAs('2027-06-30')).describe('The last day on which it responds, in UTC'),
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

/** The former issuers of an API; null: none. `formerIssuerFaults` validates combinations. */
export const formerIssuers = z
  .array(formerIssuer)
  .max(100, noMoreThan(100))
  .transform((list) => (list.length === 0 ? null : list))
  .nullable()
  .default(null);

type WithFormers = {
  authMethods: readonly string[];
  issuerHosts: Readonly<Record<string, string>> | null;
  formerIssuers: readonly FormerIssuer[] | null;
};

/** The first moment after the last day of the issuer, in milliseconds since 1970. */
const endOf = ({ until }: FormerIssuer): number => Date.parse(until) + 86_400_000;

export const isPast = (pastIssuer: FormerIssuer, now: Date): boolean => endOf(pastIssuer) <= now.getTime();

/**
 * `end`: when the address stops working, in milliseconds since 1970. `jwks`: keys that are published together with
 * Gatehouse's keys.
 */
export type IssuerAddress = {
  url: string;
  layout: IssuerLayout;
  end: number;
  jwks: FormerIssuer['jwks'] | null;
  /** address of further keys; null: none */
  keysAt: OldAddress | null;
  /** address to which Gatehouse forwards refresh tokens of this issuer; null: none */
  asks: OldAddress | null;
};

/** Address of the former service, as long as it responds. */
export type OldAddress = { address: string; allowPrivateNetwork: boolean };

const oldAddress = (pastIssuer: FormerIssuer, address: string | undefined): OldAddress | null =>
  address === undefined ? null : { address, allowPrivateNetwork: pastIssuer.allow_private_network === true };

/** Further addresses of this method's issuer: its separate host, and former addresses. */
export function addressesOf(api: WithFormers, method: string): IssuerAddress[] {
  const host = issuerHostOf(api, method);
  const ownAddresses =
    host === null
      ? []
      : [{ url: host, layout: 'same', end: Infinity, jwks: null, keysAt: null, asks: null } as const];
  const formers = api.authMethods.includes(method) ? (api.formerIssuers ?? []) : [];
  return [
    ...ownAddresses,
    ...formers
      .filter((former) => former.auth_method === method)
      .map((pastIssuer) => ({
        url: pastIssuer.issuer,
        layout: pastIssuer.layout,
        end: endOf(pastIssuer),
        jwks: pastIssuer.jwks ?? null,
        keysAt: oldAddress(pastIssuer, pastIssuer.jwks_uri),
        asks: pastIssuer.refresh === 'ask' ? oldAddress(pastIssuer, pastIssuer.token_endpoint) : null,
      })),
  ];
}

/** Describes the conflict if another issuer shares an address with this issuer. Null if none does. */
function meetingOf(
  pastIssuer: Pick<FormerIssuer, 'issuer' | 'layout'>,
  others: readonly Pick<FormerIssuer, 'issuer' | 'layout'>[],
): FaultText | null {
  for (const other of others) {
    if (formerIssuerBase(pastIssuer.issuer) === formerIssuerBase(other.issuer))
      return fault('{issuer} is listed twice', { issuer: pastIssuer.issuer });
    const address = sharedAddress(pastIssuer, other);
    if (address !== null)
      return fault('{issuer} also uses the address {address}', { issuer: other.issuer, address });
  }
  return null;
}

/** Fault of an issuer that shares the address with the issuer of another API. */
export const sharedAddressFault = (shared: { issuer: string; api: string; address: string }): FaultText =>
  fault('{issuer} of the API {api} is answered at {address} too', shared);

/**
 * Returns faults: methods that the API does not list, addresses shared by two issuers, and an address at a host
 * of the service itself (`ownAddresses`: its origins).
 */
export function formerIssuerFaults(
  { authMethods, issuerHosts, formerIssuers: formers }: WithFormers,
  ownAddresses: readonly string[],
): ({ at: number } & FaultText)[] {
  const seen: Pick<FormerIssuer, 'issuer' | 'layout'>[] = [];
  const hosts = new Set(
    [...ownAddresses, ...Object.values(issuerHosts ?? {})].map((address) => URL.parse(address)?.host),
  );
  return (formers ?? []).flatMap(
    (
      { issuer, layout, auth_method: method, refresh, token_endpoint: tokens, jwks, jwks_uri: keysAt },
      at,
    ) => {
      const meeting = meetingOf({ issuer, layout }, seen);
      seen.push({ issuer, layout });
      if (!authMethods.includes(method)) return [{ at, ...methodFault(method) }];
      if ((refresh === undefined) !== (tokens === undefined))
        return [{ at, ...fault('refresh and token_endpoint must be set together', {}) }];
      if (refresh !== undefined && jwks === undefined && keysAt === undefined)
        return [{ at, ...fault('refresh requires jwks or jwks_uri, which verify the responses', {}) }];
      if (meeting !== null) return [{ at, ...meeting }];
      if (!hosts.has(URL.parse(issuer)?.host)) return [];
      return [
        {
          at,
          ...fault('{issuer} is at a host of this service, which already has its own issuers', { issuer }),
        },
      ];
    },
  );
}
