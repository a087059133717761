// Client, API, invitation and users whose texts contain marks. A test of a page finds which texts the page shows, and
// in which language.

import type { InvitationRow, WaitingPersonRow } from '#lib/catalogue/people/definition.ts';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import type { AuthorizeRequest } from '#lib/oauth/authorize/request.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';

export const mark = (name: string) => `zq.${name}.qz`;
const inEach = (name: string) => Object.fromEntries(LANGUAGES.map((tag) => [tag, mark(`${name}.${tag}`)]));
const COLOURS = { accent: '#1f5f4a', accent_dark: '#7cc7a8' };

const HOST = mark('client.host');
export const client = {
  ...{ clientId: 'shop', origin: null, name: inEach('client.name'), redirectUris: [`https://${HOST}/cb`] },
  ...{ logoUri: `https://${mark('client.logo')}/`, brand: null },
  ...{ tosUri: `https://${mark('client.tos')}/`, policyUri: `https://${mark('client.policy')}/` },
  subscriptions: [{ apiId: 'orders', state: 'approved' }],
};
export const branded = { ...client, brand: { logo: mark('client.brand'), ...COLOURS } };
export const described = {
  ...{ ...client, origin: 'document', clientId: `https://${mark('client.from')}/c` },
  ...{ redirectUris: [`http://127.0.0.1:8976/${mark('unseen')}`], logoUri: null },
};
export const scopes = ['read', 'write'].map((name) => ({
  name,
  description: inEach(`scope.${name}`),
  required_acr: null,
}));
/** The API. Administrators write its texts, and an approver decides on them. */
export const API = { name: inEach('api.name'), contactUri: null, tosUri: null, policyUri: null, brand: null };
export const OPENID = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

export type Client = typeof client | typeof branded | typeof described;
export const requestOf = (of: Client) =>
  ({
    issuer: { url: 'https://id.example/auth/pw/api/orders', api: { id: 'orders', ...API, scopes } },
    ...{ client: of, redirectUri: of.redirectUris[0], consentScopes: [...OPENID, 'read', 'write'] },
  }) as unknown as AuthorizeRequest;

export const at = new Date('2026-01-02T03:04:05Z');
export const subscriptionOf = (of: Client) =>
  ({
    ...{
      clientId: of.clientId,
      clientName: 'x',
      clientNames: of.name,
      clientOrigin: of.origin,
      clientBrand: of.brand,
    },
    ...{
      clientLogoUri: of.logoUri,
      clientTosUri: of.tosUri,
      clientPolicyUri: of.policyUri,
      clientKind: 'native',
    },
    ...{
      redirectUris: of.redirectUris,
      apiScopes: scopes,
      scopes: of.origin === null ? [] : ['read'],
      message: mark('message'),
      askers: 1,
    },
    ...{ history: [], sinceApproval: null, requiredClaim: null, maxDays: null, createdAt: at, updatedAt: at },
    ...{
      clientAuthMethod: null,
      clientJwksUri: null,
      firstRequestId: null,
      clientChangedAt: null,
      api: 'orders',
    },
  }) as unknown as SubscriptionView;

export const listingOf = (of: Client) => {
  const { clientId, name, origin } = of;
  const logoUri = of.brand?.logo ?? of.logoUri;
  const given = { id: 'x', clientId, clientName: name, clientOrigin: origin, logoUri, api: 'orders', scopes };
  return {
    ...given,
    apiName: API.name,
    grantedAt: at,
    givenAt: at,
    lastUsedAt: null,
    until: at,
    devices: [],
  };
};
export const [email, name] = [
  `${mark('email')}@example.com`,
  `${mark('person.first')}${'n'.repeat(90)}${mark('person.last')}`,
];
export const invitation: InvitationRow = {
  ...{ id: 'x', email, authMethodId: mark('method'), name: mark('person.name'), invitedByEmail: null },
  ...{ createdAt: at, expiresAt: at },
};
export const waiting = {
  ...invitation,
  name,
  authMethodName: 'Local',
  clientId: null,
  apiId: null,
} as unknown as WaitingPersonRow;
