// What each endpoint takes and answers, by method and pattern of the table of endpoints. Forms of our own pages are no
// interface and have none. A test compares both tables.

import { authorizeDeclaration, authorizePostDeclaration } from '../authorize-request/declaration.ts';
import {
  brokerCodeDeclaration,
  brokerFormDeclaration,
  brokerRedirectDeclaration,
  ownBrokerFormDeclaration,
  ownBrokerRedirectDeclaration,
} from '../broker/broker-callback-declaration.ts';
import { deviceDeclaration } from '../device/ask-declaration.ts';
import type { Declaration } from '../errors/declaration.ts';
import { pushedDeclaration } from '../pushed-requests/declaration.ts';
import { registrationDeclaration } from '../registration/registration-declaration.ts';
import { signOutDeclaration, signOutPostDeclaration } from '../sign-out/sign-out-declaration.ts';
import { healthDeclaration, readyDeclaration } from './area-a-declaration.ts';
import { exchangeDeclaration } from './exchange-declaration.ts';
import { forwardAuthDeclaration } from './forward-auth-declaration.ts';
import { introspectionDeclaration } from './introspection-declaration.ts';
import { jwksDeclaration, metadataDeclaration } from './metadata-declaration.ts';
import { changePasswordDeclaration, passkeyEndpointsDeclaration } from './probed-addresses.ts';
import { relatedOriginsDeclaration } from './related-origins.ts';
import {
  managementMetadataDeclaration,
  resourceMetadataDeclaration,
} from './resource-metadata-declaration.ts';
import { revocationDeclaration } from './revocation-declaration.ts';
import { tokenDeclaration } from './token-declaration.ts';
import { userinfoDeclaration, userinfoPostDeclaration } from './userinfo-declaration.ts';

const ISSUER = '/auth/:authMethodId/api/:apiId';

export const declarations: Readonly<Record<string, Declaration>> = {
  [`GET ${ISSUER}/authorize`]: authorizeDeclaration,
  [`POST ${ISSUER}/authorize`]: authorizePostDeclaration,
  [`POST ${ISSUER}/par`]: pushedDeclaration,
  [`POST ${ISSUER}/token`]: tokenDeclaration,
  [`POST ${ISSUER}/device_authorization`]: deviceDeclaration,
  [`POST ${ISSUER}/revoke`]: revocationDeclaration,
  [`POST ${ISSUER}/introspect`]: introspectionDeclaration,
  [`GET ${ISSUER}/userinfo`]: userinfoDeclaration,
  [`POST ${ISSUER}/userinfo`]: userinfoPostDeclaration,
  [`GET ${ISSUER}/logout`]: signOutDeclaration,
  [`POST ${ISSUER}/logout`]: signOutPostDeclaration,
  [`POST ${ISSUER}/register`]: registrationDeclaration,
  [`GET ${ISSUER}/jwks`]: jwksDeclaration,
  [`GET ${ISSUER}/.well-known/oauth-authorization-server`]: metadataDeclaration,
  [`GET ${ISSUER}/.well-known/openid-configuration`]: metadataDeclaration,
  [`GET /.well-known/oauth-authorization-server${ISSUER}`]: metadataDeclaration,
  [`GET /.well-known/openid-configuration${ISSUER}`]: metadataDeclaration,
  'GET /.well-known/oauth-protected-resource/apis/:apiId': resourceMetadataDeclaration,
  'GET /.well-known/oauth-protected-resource/api/v1': managementMetadataDeclaration,
  'GET /verify/:apiId': forwardAuthDeclaration,
  'GET /.well-known/webauthn': relatedOriginsDeclaration,
  'GET /.well-known/change-password': changePasswordDeclaration,
  'GET /.well-known/passkey-endpoints': passkeyEndpointsDeclaration,
  'GET /health': healthDeclaration,
  'GET /ready': readyDeclaration,
  'GET /auth/callback/broker': brokerRedirectDeclaration,
  'POST /auth/callback/broker': brokerFormDeclaration,
  'POST /auth/callback/:authMethodId': ownBrokerFormDeclaration,
  'GET /auth/callback/broker/:code': brokerCodeDeclaration,
  'GET /auth/callback/:authMethodId': ownBrokerRedirectDeclaration,
  'POST /auth/token': exchangeDeclaration,
};
