// Where the addresses of an issuer are below it: ours, and those that other services have, at which we answer for them
// until a date.

/** As ours, or as that service has them. */
export const ISSUER_LAYOUTS = ['same', 'keycloak', 'auth0', 'hydra', 'wicked'] as const;
export type IssuerLayout = (typeof ISSUER_LAYOUTS)[number];

type Names = Readonly<Record<string, string>>;

/** Theirs, by ours; what is not named is where it is here. */
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
  // Ory Hydra 2, public API; introspection was at its administrative one
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

/** `path`: of an address of ours below the issuer, such as `/token`. */
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

/** Without the slash that some write at the end of an issuer: two addresses that differ in it are one. */
export const formerIssuerBase = (issuer: string): string => issuer.replace(/\/$/, '');

type Laid = { issuer: string; layout: IssuerLayout };

/**
 * Where an issuer is answered; metadata are also at their name before its path (RFC 8414 §3.1). None of what is no
 * address.
 */
export function answeredAt({ issuer, layout }: Laid): string[] {
  const base = formerIssuerBase(issuer);
  if (!URL.canParse(base)) return [];
  const { origin, pathname } = new URL(base);
  const below = ISSUER_PATHS.map((path) => base + pathIn(layout, path));
  return [...below, ...METADATA.map((name) => origin + name + pathname.replace(/\/$/, ''))];
}

/** An address at which both would be answered, such as `https://h/a/oauth/token`; null: there is none. */
export function sharedAddress(one: Laid, other: Laid): string | null {
  const taken = new Set(answeredAt(other));
  return answeredAt(one).find((address) => taken.has(address)) ?? null;
}
