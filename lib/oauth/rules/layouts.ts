// Where the addresses of an issuer are below it: ours, and those that other services have, at which we answer for them
// until a date.
import type { IssuerLayout } from '#lib/registry/index.ts';

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
