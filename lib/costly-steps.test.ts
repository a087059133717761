// The costly steps: hashing a password, an outgoing call, decoding a picture, rendering a document. Each file that takes one has its
// row, with who can cause it. For callers who are not signed in, a limit is counted before the step, or its result is cached.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const COSTLY =
  /(?<![.'\w])(?:hashPassword|verifyPassword|verifyNobody|outboundFetch|isBreached|breachFaults|passwordFaults|newPasswordFaults|withNewPassword|drawLogo|openApiDocument|renderToStaticMarkup)\(|\bverifyPassword\b(?=[;,} ])/;

/** `word` is in `file`: the limit that is counted, or what keeps the result. */
type Limit = { file: string; word: string };
type Row =
  /** the step itself, or a part of it; its callers are in this table */
  | { by: 'part' }
  /** who has a session, a role or the host */
  | { by: 'signed-in' | 'operator' }
  /** what the service does by itself, at its own pace */
  | { by: 'service' }
  | { by: 'anybody'; limit: Limit };

const part: Row = { by: 'part' };
const operator: Row = { by: 'operator' };
const signedIn: Row = { by: 'signed-in' };
const service: Row = { by: 'service' };
const anybody = (file: string, word: string): Row => ({ by: 'anybody', limit: { file, word } });

const TABLE: Record<string, Row> = {
  'lib/kit/index.ts': part,
  'lib/kit/password-hash.ts': part,
  'lib/auth-methods/local.ts': part,
  'lib/auth-methods/external.ts': part,
  'lib/oauth/hosted/sign-in.ts': anybody('lib/oauth/hosted/sign-in.ts', 'passwordLimits('),
  'lib/oauth/grants/password.ts': anybody('lib/oauth/grants/password.ts', 'passwordLimits('),
  'lib/management/sign-in.ts': anybody('lib/management/sign-in.ts', 'passwordLimits('),
  'lib/management/new-password.ts': anybody('lib/management/new-password.ts', 'callerLimits(NEW_PASSWORDS'),
  'lib/management/registration.ts': anybody('lib/management/new-password.ts', 'callerLimits(NEW_PASSWORDS'),
  'lib/management/mail-links.ts': anybody('lib/management/new-password.ts', 'callerLimits(NEW_PASSWORDS'),
  'lib/management/password-policy.ts': part,
  'lib/management/known-passwords.ts': part,
  'lib/management/account.ts': signedIn,
  'lib/management/people.ts': operator,
  'lib/config/apply.ts': operator,
  'lib/auth-methods/broker-discovery.ts': anybody('lib/oauth/pending-sign-in.ts', 'callerLimits(STARTS'),
  'lib/oauth/client-documents/fetch-document.ts': anybody(
    'lib/oauth/client-documents/read-document.ts',
    'governed(',
  ),
  'lib/oauth/client-documents/logo.ts': anybody('lib/oauth/client-documents/logo.ts', 'governed('),
  'lib/tokens/client-keys.ts': anybody('lib/tokens/client-keys.ts', 'COOLDOWN_MS'),
  'lib/management/sector-list.ts': signedIn,
  'lib/management/doctor-methods.ts': operator,
  'cli/doctor-mcp/calls.ts': operator,
  'lib/management/doctor-hosts.ts': operator,
  'lib/management/doctor-pages.ts': operator,
  'lib/oauth/openid/back-channel.ts': service,
  'lib/audit/webhook.ts': service,
  'lib/outbound/fetch.ts': part,
  'lib/pictures/draw.ts': part,
  'lib/management/brand.ts': signedIn,
  'lib/config/brands.ts': operator,
  'lib/openapi/document.ts': part,
  'lib/reference/openapi.ts': anybody('app/openapi.json/route.ts', 'kept('),
  'lib/management-api/openapi.ts': anybody('lib/management-api/index.ts', 'kept('),
  'app/_html/render.ts': anybody('app/documentation/route.tsx', 'keptBy'),
};

const sources = ['lib', 'app', 'cli']
  .flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => path.join(room, name)),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.includes('/generated/'));
const textOf = (file: string) => readFileSync(file, 'utf8');
/** Without comments: they may name a step. */
const codeOf = (file: string) => textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const found = sources.filter((file) => COSTLY.test(codeOf(file))).toSorted((a, b) => (a < b ? -1 : 1));

test('each file with a costly step is in the table, and each row has a file', () => {
  expect(found).toEqual(Object.keys(TABLE).toSorted((a, b) => (a < b ? -1 : 1)));
});

test.each(Object.entries(TABLE))('%s: a step that anybody can cause has its limit or is kept', (_, row) => {
  if (row.by === 'anybody') expect(codeOf(row.limit.file)).toContain(row.limit.word);
});
