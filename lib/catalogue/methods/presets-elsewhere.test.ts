// Compares presets with @auth/core, a widely used library. A difference after a release is an error in one of the
// two, or is listed below with its reason.
import Apple from '@auth/core/providers/apple';
import Discord from '@auth/core/providers/discord';
import Facebook from '@auth/core/providers/facebook';
import GitHub from '@auth/core/providers/github';
import GitLab from '@auth/core/providers/gitlab';
import Google from '@auth/core/providers/google';
import LinkedIn from '@auth/core/providers/linkedin';
import Microsoft from '@auth/core/providers/microsoft-entra-id';
import Twitter from '@auth/core/providers/twitter';
import { expect, it, test } from 'vitest';
import { PRESET_NAMES, type PresetName } from './broker/presets.ts';
import { wholeConfig } from './questions.ts';

type Address = string | { url?: string; params?: Record<string, string> } | undefined;
/** The fields of @auth/core that are compared. Providers omit most of them. */
type Theirs = {
  issuer?: string;
  authorization?: Address;
  token?: Address;
  userinfo?: Address;
  checks?: string[];
  client?: { token_endpoint_auth_method?: string };
  options?: { issuer?: string };
};
type Row = {
  config: Record<string, unknown>;
  theirs: (options: { clientId: string }) => unknown;
  /** scopes that only Gatehouse requests, or that only @auth/core requests */
  scopes?: { ours?: string[]; theirs?: string[] };
  /** keys that only Gatehouse's preset has */
  ours?: Record<string, unknown>;
};

/** The default scopes of @auth/core. */
const USUAL = 'openid profile email';
const SERVER = 'https://git.example';
const ROWS: [PresetName, Row][] = [
  ['google', { config: {}, theirs: Google }],
  [
    'microsoft',
    {
      config: { tenant: 'common', tenants: 'any' },
      theirs: Microsoft,
      // @auth/core needs this scope for the picture from Microsoft Graph
      scopes: { theirs: ['User.Read'] },
    },
  ],
  [
    'apple',
    {
      config: {},
      theirs: Apple,
      // the provider returns an ID token for any scope, but Gatehouse requests the standard scope
      scopes: { ours: ['openid'] },
    },
  ],
  [
    'github',
    {
      config: {},
      theirs: GitHub,
      ours: { emails_endpoint: 'https://api.github.com/user/emails?per_page=100' },
    },
  ],
  [
    'github',
    {
      config: { base_url: SERVER },
      theirs: (options) => GitHub({ ...options, enterprise: { baseUrl: SERVER } }),
      ours: { emails_endpoint: `${SERVER}/api/v3/user/emails?per_page=100` },
    },
  ],
  [
    'facebook',
    {
      config: {},
      theirs: Facebook,
      // the version that @auth/core uses ended in May 2026
      ours: {
        authorization: 'https://www.facebook.com/v25.0/dialog/oauth',
        token: 'https://graph.facebook.com/v25.0/oauth/access_token',
      },
    },
  ],
  ['linkedin', { config: {}, theirs: LinkedIn }],
  ['discord', { config: {}, theirs: Discord }],
  [
    'x',
    {
      config: {},
      theirs: Twitter,
      // requested for refresh tokens, which Gatehouse does not use
      scopes: { theirs: ['offline.access'] },
      ours: { authentication: 'client_secret_basic' },
    },
  ],
];

const urlOf = (address: Address) => {
  const text = typeof address === 'string' ? address : address?.url;
  return text === undefined ? undefined : new URL(text);
};
const bare = (address: Address) => {
  const url = urlOf(address);
  return url && `${url.origin}${url.pathname}`;
};
function scopeOf(address: Address): string[] {
  const given = typeof address === 'string' ? undefined : address?.params?.['scope'];
  return (given ?? urlOf(address)?.searchParams.get('scope') ?? USUAL).split(' ');
}
const responseModeOf = (address: Address) =>
  typeof address === 'object' ? address.params?.['response_mode'] : undefined;

test.each(ROWS)(
  '%s: addresses, scopes and special settings of the preset equal those of @auth/core',
  (preset, row) => {
    const { config, scopes = {}, ours: more = {} } = row;
    const theirs = row.theirs({ clientId: 'x' }) as Theirs;
    const { issuer, ...ours } = wholeConfig({ type: 'broker', config: { ...config, preset } });
    const plain = issuer === undefined;
    expect({
      issuer: ours['answer_issuer'] ?? issuer,
      authorization: ours['authorization_endpoint'],
      token: ours['token_endpoint'],
      userinfo: ours['userinfo_endpoint'],
      authentication: ours['token_endpoint_auth_method'],
      pkce: ours['pkce'] !== false,
      nonce: ours['nonce'] !== false,
      answer: ours['answer'],
      emails_endpoint: ours['emails_endpoint'],
    }).toEqual({
      issuer: theirs.issuer ?? theirs.options?.issuer,
      // addresses that are discovered are not compared
      authorization: plain ? bare(theirs.authorization) : undefined,
      token: plain ? bare(theirs.token) : undefined,
      userinfo: plain ? urlOf(theirs.userinfo)?.href : undefined,
      authentication: theirs.client?.token_endpoint_auth_method,
      // @auth/core uses PKCE unless the provider names other checks
      pkce: (theirs.checks ?? ['pkce']).includes('pkce'),
      nonce: plain || !theirs.checks || theirs.checks.includes('nonce'),
      answer: responseModeOf(theirs.authorization),
      ...more,
    });
    const asked = new Set([...(ours['scopes'] as string[]), ...(scopes.theirs ?? [])]);
    expect(asked).toEqual(new Set([...scopeOf(theirs.authorization), ...(scopes.ours ?? [])]));
  },
);

it('for gitlab, which is a plain OAuth 2.0 provider in @auth/core, only the host is compared', () => {
  for (const at of ['https://gitlab.com', SERVER]) {
    const config = { preset: 'gitlab', ...(at === SERVER && { base_url: at }) };
    const { issuer } = wholeConfig({ type: 'broker', config });
    const { authorization, token } = GitLab({ clientId: 'x', ...(at === SERVER && { baseUrl: at }) });
    expect([bare(authorization as Address), bare(token as Address)]).toEqual([
      `${issuer}/oauth/authorize`,
      `${issuer}/oauth/token`,
    ]);
  }
});

it('the subject claim of a preset equals that of @auth/core, except for Microsoft, whose sub differs per application', () => {
  const said = {
    ...{ sub: 'of sub', id: 'of id', oid: 'of oid', user: undefined, avatar: '' },
    ...{ picture: { data: {} }, data: { id: 'of data.id' } },
  };
  const named: [PresetName, { profile?: unknown }][] = [
    ['apple', Apple({ clientId: 'x' })],
    ['github', GitHub({ clientId: 'x' })],
    ['gitlab', GitLab({ clientId: 'x' })],
    ['facebook', Facebook({ clientId: 'x' })],
    ['discord', Discord({ clientId: 'x' })],
    ['x', Twitter({ clientId: 'x' })],
  ];
  for (const [preset, { profile }] of named) {
    const { subject_claim: claim = 'sub' } = wholeConfig({ type: 'broker', config: { preset } });
    const { id } = (profile as (of: object) => { id: string })(said);
    expect([preset, id]).toEqual([preset, `of ${claim}`]);
  }
  const microsoft = wholeConfig({ type: 'broker', config: { preset: 'microsoft', tenant: 'common' } });
  expect(microsoft['subject_claim']).toBe('oid');
});

it('every preset is compared with @auth/core, except AD FS, which @auth/core does not support', () => {
  expect(new Set([...ROWS.map(([name]) => name), 'gitlab', 'adfs'])).toEqual(new Set(PRESET_NAMES));
});
