// Refresh tokens in the tables of Kong become lines of tokens.jsonl.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readTokenLine } from '../../../lib/catalogue/people/person-line.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { CHOICES, KEYS, KONG, KONG_CHOICES, WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert } from './import-files.ts';

type Values = Record<string, unknown>;
const [CREDENTIAL, TOKEN] = [KONG['kong/oauth2_credentials.jsonl'], KONG['kong/oauth2_tokens.jsonl']];
const jsonLines = (rows: readonly Values[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function imported(tokens: readonly Values[], choices: Values = KONG_CHOICES, more: Values = {}) {
  const lines: string[] = [];
  const all: Values = {
    ...{ ...WICKED, ...more },
    'kong/oauth2_credentials.jsonl': jsonLines([CREDENTIAL, { id: 'c2', client_id: 'of-nothing' }]),
    'kong/oauth2_tokens.jsonl': jsonLines(tokens),
  };
  const files = Object.entries(all).map(([name, value]) =>
    sourceFile(name, typeof value === 'string' ? value : JSON.stringify(value), 200),
  );
  const chosen = new Map<string, unknown>(Object.entries({ ...CHOICES, ...choices }));
  const from = { source: 'wicked' as const, files, choices: chosen, env: KEYS };
  const { report } = await convert(
    from,
    async () => {},
    async (line) => void lines.push(line),
  );
  const rows = report.rows.filter(({ path }) => path.startsWith('oauth2_tokens'));
  const told = rows.map(({ outcome, path, reason, count }) => `${outcome}: ${path}: ${reason} (${count})`);
  return { report, told, lines, tokens: lines.map((line) => JSON.parse(line)) };
}

const [, SUBJECT = ''] = /users\/(\w{40})/.exec(Object.keys(WICKED).join(' ')) ?? [];
const LINE = {
  sha256: createHash('sha256').update(TOKEN.refresh_token).digest('hex'),
  ...{ client_id: 'abc123', api: 'petstore-oauth', auth_method: 'google', subject: SUBJECT },
  ...{ scopes: ['pets:read'], expires_at: '2099-01-16T03:04:05.000Z' },
};

it('an imported refresh token is stored as SHA-256, and the report contains neither refresh nor access token', async () => {
  const { report, tokens, told, lines } = await imported([TOKEN]);
  expect(tokens).toEqual([LINE]);
  expect(readTokenLine(lines[0] ?? '')).toMatchObject({ token: { subject: SUBJECT } });
  expect(report).toMatchObject({ tokens: 1, counts: { decide: 0 } });
  expect(told).toContain('changed: oauth2_tokens[0].refresh_token: only its SHA-256 is written (1)');
  expect(told).toContain('left out: oauth2_tokens[0].access_token: access tokens are valid only at Kong (1)');
  expect(told.filter((row) => row.startsWith('not looked at'))).toEqual([]);
  expect(JSON.stringify([report, lines])).not.toMatch(/-of-kong-|the-client-secret/);
});

it('the report counts unsupported tokens by reason', async () => {
  const { refresh_token: refresh, authenticated_userid: person, ...bare } = TOKEN;
  const { told, tokens, report } = await imported([
    { ...bare, refresh_token: null, authenticated_userid: person },
    { ...bare, authenticated_userid: person },
    { ...bare, refresh_token: refresh },
    { ...TOKEN, ttl: '2020-01-16T03:04:05+00:00' },
    { ...TOKEN, credential_id: 'c2' },
    { ...TOKEN, credential_id: 'c3' },
    { ...TOKEN, authenticated_userid: 'f'.repeat(40) },
    { ...TOKEN, scope: null },
    { ...TOKEN, scope: 'other' },
  ]);
  expect(tokens).toEqual([]);
  expect(told.toSorted()).toEqual([
    'left out: oauth2_tokens[2]: a machine token: the machine requests a new one (1)',
    'left out: oauth2_tokens[3]: it has expired (1)',
    'left out: oauth2_tokens[6]: its person is not imported (1)',
    'left out: oauth2_tokens[]: it has no refresh token (2)',
    'left out: oauth2_tokens[]: it has no scope of its API, and Gatehouse requires one (2)',
    'left out: oauth2_tokens[]: its client is not imported (2)',
  ]);
  expect(JSON.stringify(report)).not.toContain('-of-kong-');
});

it('namespaces and unknown scopes of tokens are dropped, and a missing expiry is derived from the API', async () => {
  const apis = WICKED['static/apis/apis.json'].apis.map((api) =>
    'settings' in api ? { ...api, settings: { ...api.settings, refresh_token_ttl: '4000000000' } } : api,
  );
  const token = {
    ...TOKEN,
    authenticated_userid: `sub=${SUBJECT};namespaces=a,b`,
    ...{ scope: 'pets:read other', ttl: null, created_at: '2020-01-02T03:04:05' },
  };
  const { tokens, told } = await imported([token], KONG_CHOICES, { 'static/apis/apis.json': { apis } });
  const end = new Date(Date.UTC(2020, 0, 2, 3, 4, 5) + 4_000_000_000_000).toISOString();
  expect(tokens).toEqual([{ ...LINE, expires_at: end }]);
  expect(told).toContain('changed: oauth2_tokens[0].authenticated_userid: namespaces are not imported (1)');
  expect(told).toContain('changed: oauth2_tokens[0].scope: without scopes that the API does not have (1)');
});

it('data that Kong lacks require a decision of the operator', async () => {
  const endless = { ...TOKEN, ttl: null };
  const decides = ({ told }: { told: string[] }) => told.filter((row) => row.startsWith('decide'));
  const open = await imported([TOKEN, endless], {});
  expect(open.tokens).toEqual([]);
  expect(decides(open)).toEqual([
    'decide: oauth2_tokens[0].authenticated_userid: Kong does not store the sign-in method of the person, choose one: local, google (1)',
    'decide: oauth2_tokens[1].ttl: the token never expires at Kong: choose its expiry in Gatehouse, such as 2027-06-30T00:00:00Z (1)',
  ]);
  const chosen = { ...KONG_CHOICES, 'oauth2_tokens[].ttl': '2098-06-30' };
  const made = await imported([endless], chosen);
  expect([made.tokens, decides(made)]).toEqual([[{ ...LINE, expires_at: '2098-06-30T00:00:00.000Z' }], []]);
  const none = await imported([endless, TOKEN], {
    'oauth2_tokens[].ttl': 'leave out',
    'oauth2_tokens[].authenticated_userid': 'leave out',
  });
  expect([none.tokens, decides(none)]).toEqual([[], []]);
  // a user with a single method needs no choice
  const path = `dynamic/users/${SUBJECT}.json`;
  const { password: _, ...withoutPassword } = (WICKED as Values)[path] as Values;
  const known = await imported([TOKEN], {}, { [path]: withoutPassword });
  expect([known.tokens, decides(known)]).toEqual([[LINE], []]);
});
