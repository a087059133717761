// OpenID Connect metadata of clients in the file: how it reaches the database, the snapshot and the export.
import { expect, it } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const file = (fields: string) => `clients:
  - client_id: shop
    confidential: true
    client_secret: a-secret-of-the-shop
    redirect_uris: ["https://shop.example/cb", "app.immich:///oauth-callback"]
    private_use_schemes: true
${fields}`;
const FIELDS = `    dpop_bound_access_tokens: true
    refresh_token_rotation: never
    require_pushed_authorization_requests: true
    post_logout_redirect_uris:
      - https://shop.example/bye
    backchannel_logout_uri: https://shop.example/bcl?tenant=7
    backchannel_logout_session_required: true
    id_token_signed_response_alg: ES256
    id_token_claims: true
    subject_type: pairwise
    sector_identifier_uri: https://sector.example/list.json
    default_acr_values:
      - phr
    require_auth_time: true
    id_jag_audiences:
      - https://login.chat.example f53f191f
`;
const apply = (source: string) => applyConfiguration(source, { env: {} });

it('sign-out addresses, algorithm and subject type of the file are stored without a network call, and an export can be applied again', async () => {
  await apply(file(FIELDS));
  expect((await currentSnapshot()).clients.get('shop')).toMatchObject({
    redirectUris: ['https://shop.example/cb', 'app.immich:///oauth-callback'],
    privateUseSchemes: true,
    requirePushedAuthorizationRequests: true,
    dpopBoundAccessTokens: true,
    refreshTokenRotation: 'never',
    postLogoutRedirectUris: ['https://shop.example/bye'],
    backchannelLogoutUri: 'https://shop.example/bcl?tenant=7',
    backchannelLogoutSessionRequired: true,
    idTokenSignedResponseAlg: 'ES256',
    idTokenClaims: true,
    subjectType: 'pairwise',
    sectorIdentifierUri: 'https://sector.example/list.json',
    defaultAcrValues: ['phr'],
    requireAuthTime: true,
    idJagAudiences: ['https://login.chat.example f53f191f'],
  });
  const exported = await exportConfiguration();
  expect(exported).toContain(FIELDS);
  expect(await apply(exported)).toEqual([]);
});

it.each([
  ['post_logout_redirect_uris: ["https://a.example/#x"]', 'clients[0].post_logout_redirect_uris[0]'],
  ['backchannel_logout_uri: "http://a.example/bcl"', 'clients[0].backchannel_logout_uri'],
  ['id_token_signed_response_alg: none', 'clients[0].id_token_signed_response_alg'],
  ['id_token_claims: "yes"', 'clients[0].id_token_claims'],
  ['require_pushed_authorization_requests: 1', 'clients[0].require_pushed_authorization_requests'],
  ['subject_type: both', 'clients[0].subject_type'],
  ['refresh_token_rotation: sometimes', 'clients[0].refresh_token_rotation'],
  ['id_jag_audiences: ["login.chat.example"]', 'clients[0].id_jag_audiences[0]'],
  ['sector_identifier_uri: "http://a.example/list"', 'clients[0].sector_identifier_uri'],
])('apply rejects %s with a path, and changes nothing', async (field, place) => {
  await expect(apply(file(`    ${field}\n`))).rejects.toThrow(place);
});

it('apply names the missing setting if a confidential client has a private-use scheme', async () => {
  await expect(apply(file('').replace('private_use_schemes: true', ''))).rejects.toThrow(
    /clients\[0\]\.redirect_uris\[1\].*private_use_schemes/s,
  );
});

it('apply rejects unrotated refresh tokens for a public client', async () => {
  const source = `clients: [{client_id: page, application_type: browser, redirect_uris: ["https://a.example/cb"], refresh_token_rotation: never}]`;
  await expect(apply(source)).rejects.toThrow(/clients\[0\]\.refresh_token_rotation.*public client rotate/s);
});

it('apply rejects pairwise subjects for redirect URIs of several hosts if sector_identifier_uri is missing', async () => {
  const source = file('    subject_type: pairwise\n').replace(
    'app.immich:///oauth-callback',
    'https://b.example/cb',
  );
  await expect(apply(source)).rejects.toThrow(/clients\[0\]\.sector_identifier_uri.*is missing/s);
});
