// Data of presets, and combinations of keys that are rejected.
import { expect, it, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { PRESET_NAMES } from './broker/presets.ts';
import { tidOf } from './broker/tenants.ts';
import { answersElse, authMethodFaults } from './definition.ts';
import type { MethodConfig } from './kind.ts';
import { METHOD_KINDS } from './kinds.ts';
import { wholeConfig } from './questions.ts';

const TENANT = '72f988bf-0000-4000-8000-2d7cd011db47';
const OTHER = '11111111-2222-4333-8444-555555555555';
const ISS = (tid: string) => `https://login.microsoftonline.com/${tid}/v2.0`;
const kind = METHOD_KINDS.find(({ capabilities }) => capabilities.redirects);
const type = kind?.type ?? 'broker';
const whole = (config: MethodConfig) => wholeConfig({ type, config });

/** Target and subject claim of each preset. A change of either would change the identities of users. */
test.each<[MethodConfig, unknown, unknown, unknown]>([
  [{ preset: 'google' }, 'https://accounts.google.com', undefined, undefined],
  [
    { preset: 'microsoft', tenant: TENANT },
    `https://login.microsoftonline.com/${TENANT}/v2.0`,
    undefined,
    'oid',
  ],
  [
    { preset: 'microsoft', tenants: [TENANT] },
    `https://login.microsoftonline.com/${TENANT}/v2.0`,
    undefined,
    'oid',
  ],
  [
    { preset: 'microsoft', tenants: [TENANT, OTHER] },
    'https://login.microsoftonline.com/organizations/v2.0',
    undefined,
    'oid',
  ],
  [
    { preset: 'microsoft', tenants: [TENANT, '9188040d-6c67-4c5b-b112-36a304b66dad'] },
    'https://login.microsoftonline.com/common/v2.0',
    undefined,
    'oid',
  ],
  [{ preset: 'apple' }, 'https://appleid.apple.com', undefined, undefined],
  [{ preset: 'github' }, undefined, 'https://api.github.com/user', 'id'],
  [{ preset: 'github', base_url: 'https://git.example' }, undefined, 'https://git.example/api/v3/user', 'id'],
  [{ preset: 'gitlab' }, 'https://gitlab.com', undefined, undefined],
  [{ preset: 'gitlab', base_url: 'https://git.example/' }, 'https://git.example', undefined, undefined],
  [{ preset: 'facebook' }, undefined, 'https://graph.facebook.com/me?fields=id,name,email,picture', 'id'],
  [{ preset: 'linkedin' }, 'https://www.linkedin.com/oauth', undefined, undefined],
  [{ preset: 'discord' }, undefined, 'https://discord.com/api/users/@me', 'id'],
  [{ preset: 'x' }, undefined, 'https://api.x.com/2/users/me?user.fields=profile_image_url', 'data.id'],
  [{ preset: 'adfs', base_url: 'https://fs.a.example' }, 'https://fs.a.example/adfs', undefined, undefined],
])(
  'the preset settings %j lead to its provider, and its users keep their subjects',
  (config, issuer, userinfo, subject) => {
    expect(authMethodFaults({ type, client_id: 'x', ...config })).toEqual([]);
    const { issuer: leads, userinfo_endpoint, subject_claim } = whole(config);
    expect([leads, userinfo_endpoint, subject_claim]).toEqual([issuer, userinfo, subject]);
  },
);

it('explicit keys override the preset, including single map entries', () => {
  const config = whole({
    ...{ preset: 'github', scopes: ['read:user'], answer_issuer: 'https://x.example' },
    claims: { picture: 'gravatar', company: 'company' },
  });
  expect(config).toMatchObject({
    ...{ scopes: ['read:user'], answer_issuer: 'https://x.example' },
    claims: { picture: 'gravatar', company: 'company', preferred_username: 'login' },
  });
  expect(whole(config)).toEqual(config);
});

it('replacing explicit settings by an equal preset keeps the users', () => {
  const stays = (before: MethodConfig, after: MethodConfig) =>
    answersElse({ type, config: before }, { type, config: after });
  expect(stays({ issuer: 'https://accounts.google.com' }, { preset: 'google' })).toBe(false);
  expect(stays({ preset: 'google' }, { preset: 'google', domains: ['a.example'] })).toBe(false);
  expect(stays({ preset: 'google' }, { preset: 'gitlab' })).toBe(true);
  expect(stays({ preset: 'gitlab' }, { preset: 'gitlab', base_url: 'https://git.example' })).toBe(true);
});

const GOOGLE = { preset: 'google' };
const MICROSOFT = { preset: 'microsoft' };
const GITLAB = { preset: 'gitlab' };
test.each<[string, MethodConfig, string]>([
  ['a preset with issuer', { ...GOOGLE, issuer: 'https://accounts.google.com' }, 'issuer'],
  ['with an address', { ...GOOGLE, token_endpoint: 'https://a.example' }, 'token_endpoint'],
  ['nonce: false on google', { ...GOOGLE, nonce: false }, 'nonce'],
  ['pkce: false on microsoft', { ...MICROSOFT, tenant: TENANT, pkce: false }, 'pkce'],
  ['shared_callback where it sends no challenge', { preset: 'apple', shared_callback: true }, 'pkce'],
  ['no tenant', MICROSOFT, 'tenant'],
  ['common without tenants', { ...MICROSOFT, tenant: 'common' }, 'tenants'],
  ['any without common', { ...MICROSOFT, tenants: 'any' }, 'tenants'],
  ['a tenant beside tenants', { ...MICROSOFT, tenant: TENANT, tenants: [OTHER] }, 'tenants'],
  ['a tenant by its domain', { ...MICROSOFT, tenant: 'a.onmicrosoft.com' }, 'tenant'],
  ['tenants without the preset', { issuer: 'https://a.example', tenants: [TENANT] }, 'tenants'],
  ['domains of another', { ...GITLAB, domains: ['a.example'] }, 'domains'],
  ['base_url with a path', { ...GITLAB, base_url: 'https://git.example/gitlab' }, 'base_url'],
  ['base_url with a query', { ...GITLAB, base_url: 'https://git.example/?a' }, 'base_url'],
  ['base_url over http', { ...GITLAB, base_url: 'http://git.example' }, 'base_url'],
  ['base_url that is private', { ...GITLAB, base_url: 'https://10.0.0.1' }, 'base_url'],
  ['adfs without base_url', { preset: 'adfs' }, 'base_url'],
  ['shared_callback at linkedin', { preset: 'linkedin', shared_callback: true }, 'nonce'],
  ['base_url of google', { ...GOOGLE, base_url: 'https://git.example' }, 'base_url'],
])('a preset with %s is rejected', (_, config, key) => {
  expect(authMethodFaults({ type, client_id: 'x', ...config })[0]?.path).toEqual([key]);
});

test.each<[string, MethodConfig]>([
  ['tenants empty', { ...MICROSOFT, tenants: [] }],
  ['tenants that are no ids', { ...MICROSOFT, tenants: ['a.onmicrosoft.com'] }],
  ['another word than any', { ...MICROSOFT, tenants: 'all' }],
  ['domains empty', { ...GOOGLE, domains: [] }],
  ['a domain with an @', { ...GOOGLE, domains: ['@a.example'] }],
  ['a preset that is none', { preset: 'aol' }],
  ['a team that is none', { preset: 'apple', signed_secret: { team_id: 'x', key_id: 'FGHIJ67890' } }],
  ['half a signed_secret', { preset: 'apple', signed_secret: { team_id: 'ABCDE12345' } }],
])('a preset setting of the wrong shape is rejected: %s', (_, config) => {
  expect(kind?.config.safeParse({ client_id: 'x', ...config }).success).toBe(false);
});

test.each<[string, MethodConfig, MethodConfig, string | null]>([
  ['in the list', { tenants: [TENANT, OTHER] }, { tid: OTHER, iss: ISS(OTHER) }, OTHER],
  ['outside the list', { tenants: [TENANT] }, { tid: OTHER, iss: ISS(OTHER) }, null],
  ['any', { tenants: 'any' }, { tid: OTHER, iss: ISS(OTHER) }, OTHER],
  ['iss of another tenant', { tenants: 'any' }, { tid: OTHER, iss: ISS(TENANT) }, null],
  [
    'iss of another host',
    { tenants: 'any' },
    { tid: OTHER, iss: `https://evil.example/${OTHER}/v2.0` },
    null,
  ],
  ['no tid', { tenants: 'any' }, { iss: ISS(OTHER) }, null],
  ['a tid that is no GUID', { tenants: 'any' }, { tid: 'evil', iss: ISS('evil') }, null],
])('a token with this tenant is accepted or rejected: %s', (_, config, token, expected) => {
  expect(tidOf(config, token)).toBe(expected);
});

it('the end of a provider’s API version causes a warning from half a year in advance, and not earlier', () => {
  const at = (day: string) => {
    shiftClock(Date.parse(day) - Date.now());
    return kind?.remarks?.(whole({ preset: 'facebook' })).map(({ state }) => state);
  };
  expect(at('2028-01-28')).toEqual([]);
  expect(at('2028-01-30')).toEqual(['warning']);
  expect(at('2029-01-01')).toEqual(['warning']);
  shiftClock(0);
});

it('preset names match the contract', () => {
  expect(PRESET_NAMES).toEqual([
    ...['google', 'microsoft', 'apple', 'github', 'gitlab'],
    ...['facebook', 'linkedin', 'discord', 'x', 'adfs'],
  ]);
});
