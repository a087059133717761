// Handwritten realm in the format of `kc.sh export --users different_files`, based on Keycloak's representations:
// supported and unsupported parts.
export const REALM = {
  id: '5f0e4a7c-0000-4000-8000-000000000001',
  realm: 'shop',
  displayName: 'Shop',
  accessTokenLifespan: 300,
  ssoSessionIdleTimeout: 1800,
  ssoSessionMaxLifespan: 36_000,
  registrationAllowed: true,
  bruteForceProtected: true,
  passwordPolicy: 'length(12)',
  defaultRole: { id: 'x', name: 'default-roles-shop', composite: true },
  roles: {
    realm: [
      {
        id: 'r1',
        name: 'staff',
        description: 'Works here',
        composite: false,
        clientRole: false,
        attributes: {},
      },
      {
        ...{ id: 'r2', name: 'manager', composite: true, clientRole: false },
        composites: { realm: ['staff'], client: { 'orders-api': ['editor'] } },
      },
      {
        ...{ id: 'r3', name: 'default-roles-shop', composite: true },
        composites: { realm: ['offline_access'], client: { account: ['view-profile'] } },
      },
      { id: 'r4', name: 'offline_access', composite: false },
      { id: 'r5', name: 'Größen', composite: false },
    ],
    client: {
      'orders-api': [{ id: 'r6', name: 'editor', composite: false, clientRole: true, containerId: 'c2' }],
      account: [{ id: 'r7', name: 'view-profile', composite: false, clientRole: true }],
    },
  },
  groups: [
    {
      ...{
        id: 'g1',
        name: 'warehouse',
        path: '/warehouse',
        attributes: {},
        realmRoles: ['staff'],
        clientRoles: {},
      },
      subGroups: [
        {
          ...{ id: 'g2', name: 'night', path: '/warehouse/night', realmRoles: [], subGroups: [] },
          clientRoles: { 'orders-api': ['editor'] },
        },
      ],
    },
  ],
  clientScopes: [
    { id: 's1', name: 'profile', protocol: 'openid-connect', protocolMappers: [] },
    {
      ...{ id: 's2', name: 'orders:read', description: 'See your orders', protocol: 'openid-connect' },
      attributes: { 'include.in.token.scope': 'true', 'display.on.consent.screen': 'true' },
      protocolMappers: [
        {
          ...{ id: 'm1', name: 'aud', protocol: 'openid-connect', protocolMapper: 'oidc-audience-mapper' },
          config: { 'included.client.audience': 'orders-api', 'access.token.claim': 'true' },
        },
      ],
    },
  ],
  clients: [
    { id: 'c1', clientId: 'account', publicClient: true },
    {
      ...{
        id: 'c2',
        clientId: 'orders-api',
        name: 'Orders',
        bearerOnly: true,
        secret: 'introspect-me-3f9a8b7c6d5e',
      },
      ...{
        adminUrl: 'https://orders.example/api',
        protocol: 'openid-connect',
        redirectUris: [],
        webOrigins: [],
      },
    },
    {
      ...{
        id: 'c3',
        clientId: 'shop-web',
        name: 'Shop',
        enabled: true,
        publicClient: false,
        bearerOnly: false,
      },
      ...{ clientAuthenticatorType: 'client-secret', secret: 'b8f6c0a1-d2e3-4f45-9678-9abcdef01234' },
      ...{
        rootUrl: 'https://shop.example',
        redirectUris: ['/callback', 'https://shop.example/*'],
        webOrigins: ['+'],
      },
      ...{
        standardFlowEnabled: true,
        implicitFlowEnabled: false,
        serviceAccountsEnabled: true,
        consentRequired: false,
      },
      ...{
        protocol: 'openid-connect',
        fullScopeAllowed: true,
        defaultClientScopes: ['profile', 'orders:read'],
      },
      attributes: {
        'post.logout.redirect.uris': 'https://shop.example/bye##+',
        'backchannel.logout.url': 'https://shop.example/out',
      },
      protocolMappers: [
        {
          ...{ id: 'm2', name: 'pairwise', protocol: 'openid-connect' },
          ...{ protocolMapper: 'oidc-sha256-pairwise-sub-mapper', config: { pairwiseSubAlgorithmSalt: 'x' } },
        },
      ],
    },
    {
      ...{ id: 'c4', clientId: 'https://legacy.example/sp', publicClient: true, protocol: 'openid-connect' },
      ...{ redirectUris: ['com.example.legacy:/cb'], defaultClientScopes: ['profile'] },
    },
    { id: 'c5', clientId: 'intranet', protocol: 'saml' },
  ],
  identityProviders: [
    {
      ...{ alias: 'github', providerId: 'github', internalId: 'i1', enabled: true, trustEmail: false },
      config: {
        clientId: 'Iv1.0123456789abcdef',
        clientSecret: 'github-secret-0123456789',
        syncMode: 'IMPORT',
      },
    },
    {
      ...{ alias: 'partner', displayName: 'Partner', providerId: 'oidc', enabled: true, trustEmail: true },
      config: {
        issuer: 'https://login.partner.example',
        clientId: 'shop',
        clientSecret: 'partner-secret-0123456789',
        defaultScope: 'openid email',
      },
    },
    { alias: 'campus', providerId: 'saml', enabled: true, config: { entityId: 'x' } },
  ],
  components: {
    'org.keycloak.keys.KeyProvider': [{ id: 'k1', name: 'rsa', config: { privateKey: ['MIIE'] } }],
    'org.keycloak.storage.UserStorageProvider': [
      { id: 'd1', name: 'Corp LDAP', config: { bindCredential: ['x'] } },
    ],
  },
  smtpServer: { host: 'mail.example' },
};

export const ADA = '3b1f2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d';

export const PEOPLE = {
  realm: 'shop',
  users: [
    {
      ...{ id: ADA, createdTimestamp: 1_600_000_000_000, username: 'ada', enabled: true, totp: true },
      ...{ emailVerified: true, firstName: 'Ada', lastName: 'Lovelace', email: 'Ada@example.com' },
      attributes: { locale: ['en'], department: ['engines'], phones: ['1', '2'] },
      credentials: [
        {
          ...{ id: 'x1', type: 'password', userLabel: 'mine', createdDate: 1_600_000_000_000 },
          secretData:
            '{"value":"3q2+7w3erb7v3q2+796tvu/erb7v3q2+796tvu/erb4=","salt":"c2FsdHNhbHRzYWx0c2FsdA==","additionalParameters":{}}',
          credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
        },
        {
          ...{ id: 'x2', type: 'otp', userLabel: 'phone' },
          secretData: '{"value":"12345678901234567890"}',
          credentialData: '{"subType":"totp","digits":6,"counter":0,"period":30,"algorithm":"HmacSHA1"}',
        },
        { id: 'x3', type: 'webauthn', secretData: '{}', credentialData: '{"aaguid":"x"}' },
      ],
      requiredActions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'],
      federatedIdentities: [
        { identityProvider: 'github', userId: '4711', userName: 'ada' },
        { identityProvider: 'campus', userId: 'a', userName: 'a' },
      ],
      ...{
        realmRoles: ['default-roles-shop', 'manager'],
        clientRoles: { account: ['view-profile'] },
        groups: [],
      },
      clientConsents: [
        {
          ...{ clientId: 'shop-web', grantedClientScopes: ['profile', 'orders:read'] },
          ...{ createdDate: 1_600_000_000_000, lastUpdatedDate: 1_600_000_000_000 },
        },
      ],
      ...{ notBefore: 0, disableableCredentialTypes: [] },
    },
    {
      ...{
        id: '3b1f2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5e',
        username: 'bob@example.com',
        email: 'bob@example.com',
      },
      ...{
        enabled: false,
        emailVerified: false,
        groups: ['/warehouse/night'],
        realmRoles: ['default-roles-shop'],
      },
      credentials: [
        {
          type: 'password',
          secretData: '{"value":"a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5","salt":"c2FsdHNhbHQ="}',
          credentialData:
            '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["24"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
        },
      ],
      ...{ federationLink: 'd1' },
    },
    { id: 'x', username: 'service-account-shop-web', serviceAccountClientId: 'shop-web', enabled: true },
  ],
};

export const CHOICES = {
  'clients[2].redirectUris[1]': ['https://shop.example/a', 'https://shop.example/b'],
  'clients[3].clientId': 'legacy',
  realm: 'https://shop.example/api',
};
