// Configuration and data of wicked, written by hand according to its sample configuration. Secrets were encrypted
// with `openssl enc -aes-256-ctr -md md5 -nosalt -pass pass:KEY`, preceded by 40 random digits.
export const KEYS = { PORTAL_CONFIG_KEY: 'config-key' };
const ADA = '0123456789abcdef0123456789abcdef01234567';

export const WICKED = {
  'static/globals.json': {
    ...{ version: 21, title: 'Portal', validatedUserGroup: 'dev' },
    network: {
      schema: '$PORTAL_NETWORK_SCHEMA',
      apiHost: '$PORTAL_NETWORK_APIHOST',
      portalUrl: '$PORTAL_PORTAL_URL',
    },
    initialUsers: [{ id: '1', email: 'admin@foo.example', password: '$PORTAL_INITIALUSERS0_PASSWORD' }],
  },
  'static/env/default.json': {
    PORTAL_NETWORK_SCHEMA: { value: 'https' },
    PORTAL_NETWORK_APIHOST: { value: 'api.${PORTAL_NETWORK_ZONE}' },
    PORTAL_NETWORK_ZONE: { value: 'portal.example' },
    PORTAL_INITIALUSERS0_PASSWORD: { value: 'wicked' },
    PORTAL_API_AESKEY: {
      value:
        'cc089c36ec791fff1031d824c27a06dba4680b00e2e597b767ce889ae853a74c9d6368ff5eb1ae275569d85b624e4d6dea7e76abc8ee',
      encrypted: true,
    },
    PORTAL_GOOGLE_SECRET: { value: 'g' },
    UNUSED: { value: 'x' },
  },
  'static/env/box.json': { PORTAL_NETWORK_ZONE: { value: 'box.example' } },
  'static/apis/apis.json': {
    apis: [
      { id: 'petstore', name: 'Petstore', auth: 'key-auth', plans: ['basic'] },
      {
        ...{ id: 'petstore-oauth', name: 'Petstore OAuth', desc: 'Pets', auth: 'oauth2', tags: ['Sample'] },
        ...{
          requiredGroup: 'dev',
          plans: ['basic'],
          authMethods: ['default:local', 'default:google', 'default:saml'],
        },
        settings: {
          ...{ token_expiration: '3600', enable_client_credentials: true, enable_implicit_grant: true },
          ...{
            mandatory_scope: true,
            scopes: {
              'pets:read': { description: 'See pets' },
              'pets:write': { description: 'Change pets' },
            },
          },
        },
      },
    ],
    _links: { self: { href: '/apis' } },
  },
  'static/apis/petstore-oauth/config.json': {
    api: { upstream_url: 'http://pets:8080', uris: ['/petstore'], strip_uri: true },
    plugins: [{ name: 'rate-limiting' }],
  },
  'static/groups/groups.json': {
    groups: [
      { id: 'admin', name: 'Administrator', alt_ids: [], adminGroup: true },
      { id: 'dev', name: 'Developer', alt_ids: ['CN=Devs'] },
      { id: 'approver', name: 'Approver', approverGroup: true },
    ],
  },
  'static/auth-servers/default.json': {
    id: 'default-auth',
    desc: 'Default',
    authMethods: [
      {
        enabled: true,
        name: 'local',
        type: 'local',
        friendlyShort: 'Username and Password',
        config: { trustUsers: true },
      },
      {
        enabled: true,
        name: 'google',
        type: 'google',
        friendlyShort: 'Google',
        config: { clientId: 'google-id', clientSecret: '$PORTAL_GOOGLE_SECRET' },
      },
      {
        ...{ enabled: true, name: 'adfs', type: 'adfs', friendlyShort: 'Corp' },
        config: {
          ...{
            clientId: 'adfs-id',
            clientSecret: 'adfs-secret-0123456789',
            groupField: 'group',
            trustUsers: true,
          },
          endpoints: {
            authorizeEndpoint: 'https://fs.example/adfs/oauth2/authorize',
            tokenEndpoint: 'https://fs.example/adfs/oauth2/token',
          },
        },
      },
      { enabled: true, name: 'saml', type: 'saml', config: { trustUsers: true } },
    ],
    config: { api: { name: 'default-auth' } },
  },
  'static/plans/plans.json': { plans: [] },
  'dynamic/users/_index.json': [{ id: ADA }],
  [`dynamic/users/${ADA}.json`]: {
    ...{
      id: ADA,
      customId: 'google:1234567890',
      email: 'ada@example.com',
      validated: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
    },
    ...{ password: `$2a$10$${'a'.repeat(53)}`, groups: ['admin', 'dev'], mustChangePassword: false },
  },
  'dynamic/applications/shop.json': {
    ...{ id: 'shop', name: 'Shop', redirectUri: 'https://shop.example/*', confidential: true },
    ownerList: [{ userId: ADA, email: 'ada@example.com', role: 'owner' }],
  },
  'dynamic/subscriptions/shop.json': [
    {
      ...{
        application: 'shop',
        api: 'petstore-oauth',
        plan: 'basic',
        auth: 'oauth2',
        approved: true,
        trusted: false,
      },
      ...{
        clientId: 'abc123',
        clientSecret:
          '!d4ad25f25498e837419f452a6c1e424f9c4de9052b200b8cc3d9fb139002bfdb022ff7571763d16223f4bfc17cf5cd6d863de5599ac6ff5a106ff19abe4b9345193d0812',
        allowedScopesMode: 'none',
        allowedScopes: [],
      },
    },
    { application: 'shop', api: 'petstore', plan: 'basic', auth: 'key-auth', apikey: 'x', approved: true },
  ],
  'dynamic/grants/1.json': {
    ...{ userId: ADA, apiId: 'petstore-oauth', applicationId: 'shop' },
    grants: [{ scope: 'pets:read', grantedDate: '2020-01-02T03:04:05.000Z' }],
  },
};

/** Rows of Kong's PostgreSQL database, as `psql -At -c 'select row_to_json(t) from oauth2_tokens t'` prints them. */
export const KONG = {
  'kong/oauth2_credentials.jsonl': {
    ...{ id: 'c1', created_at: '2020-01-01T00:00:00+00:00', name: 'shop-petstore-oauth', consumer_id: 'k1' },
    ...{ client_id: 'abc123', client_secret: 'the-client-secret-0123456789', hash_secret: false, tags: null },
    redirect_uris: ['https://shop.example/callback'],
  },
  'kong/oauth2_tokens.jsonl': {
    ...{ id: 't1', created_at: '2020-01-02T03:04:05+00:00', credential_id: 'c1', service_id: 's1' },
    ...{
      access_token: 'an-access-token-of-kong-01234567',
      refresh_token: 'a-refresh-token-of-kong-01234567',
    },
    ...{ token_type: 'bearer', expires_in: 3600, authenticated_userid: ADA, scope: 'pets:read' },
    ttl: '2099-01-16T03:04:05+00:00',
  },
};
export const KONG_CHOICES = { 'oauth2_tokens[].authenticated_userid': 'google' };

export const CHOICES = {
  env: 'box',
  'applications[0].redirectUri': 'https://shop.example/callback',
  'subscriptions[0][0].allowedScopesMode': ['pets:read'],
};
