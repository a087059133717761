// Checks that the statements of SECURITY.md match the code.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { BODY_LIMIT_BYTES } from '#lib/http/message.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { ISSUER_PATHS } from '#lib/registry/issuers.ts';
import { OPERATIONS } from './operations.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const said = read('SECURITY.md').replaceAll(/\s+/g, ' ');

/** Returns the delivered code that matches the pattern, without tests. */
const codeIn = (pattern: string) =>
  globSync(pattern, { cwd: root }).filter((file) => !file.includes('.test.'));
/** Counts the matches in each file; omits files without matches. */
const countsIn = (files: string, pattern: RegExp): Record<string, number> =>
  Object.fromEntries(
    codeIn(files)
      .map((file) => [file, read(file).match(pattern)?.length ?? 0] as const)
      .filter(([, count]) => count > 0),
  );
const numberIn = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))?.[1]);

test('the lifetimes of mail links in the documents equal those in the code', () => {
  const reset = numberIn('lib/catalogue/people/operations.ts', /RESET_LINK_MINUTES = (\d+);/);
  const invitation = numberIn('lib/catalogue/people/invitations.ts', /INVITATION_DAYS = (\d+);/);
  const hours = numberIn('lib/management/mail-links.ts', /VERIFY_SECONDS = (\d+) \* 3600;/);
  const registration = numberIn('lib/mail/messages.ts', /REGISTRATION_MINUTES = (\d+);/);
  expect(said).toContain(
    `A link for a new password lasts ${reset} minutes, a link to confirm an address ${hours} hours, and an invitation ${invitation} days.`,
  );
  expect(said).toContain(`The code or link of a registration lasts ${registration} minutes`);
});

test('the limits and windows in the documents equal those in the code', () => {
  const guesses = numberIn('lib/auth-methods/attempts.ts', /OF_KNOWN_DEVICES = (\d+);/);
  expect(said).toContain(`browsers of an account have ${guesses} attempts in 15 minutes`);
  const race = numberIn('lib/store/hot/refresh-tokens.ts', /used_at > now\(\) - interval '(\d+) seconds'/);
  expect(said).toContain(
    `If the successor is unused, reuse of a refresh token within ${race} s does not revoke the family.`,
  );
  const least = numberIn('lib/config/checks.ts', /key: 'client_secret'.*leastLength: (\d+)/);
  expect(said).toContain(`\`apply\` warns below ${least} characters`);
  const recent = numberIn('lib/sessions/page-state.ts', /RECENT_SECONDS = (\d+) \* 60;/);
  expect(said).toContain(`require a sign-in less than ${recent} minutes old`);
});

test('documented operations always require a recent sign-in', () => {
  for (const name of ['approvePerson', 'grantRole', 'setPassword', 'rotateSigningKeys'])
    expect(OPERATIONS[name]?.fresh, name).toBe('always');
  // approvals check the sign-in separately
  expect(read('lib/catalogue/subscriptions/operations.ts')).toContain(
    'if (letsIn(action)) requireRecent(actor);',
  );
});

test('only the callers that the documents list, and the doctor, can connect to private addresses', () => {
  const allowed = codeIn('lib/**/*.ts').flatMap((file) =>
    [...read(file).matchAll(/allowPrivateNetwork(?::| =) ([^,;}\n]+)/g)].map(([, from = '']) => from.trim()),
  );
  expect(new Set(allowed)).toEqual(
    new Set([
      'boolean',
      'values.allow_private_network',
      'pastIssuer.allow_private_network === true',
      'config.allow_private_network',
      'directory.allowPrivateNetwork',
      "config['allow_private_network'] === true",
      'settings().clientDocumentsPrivateNetwork',
      'webhook.allowPrivateNetwork',
      'values.AUDIT_WEBHOOK_PRIVATE_NETWORK',
      // a PASSWORD_RANGE_URL may name a service on this machine, but no other private address
      'local',
      // `gatehouse doctor` calls addresses of this service
      'true',
    ]),
  );
  for (const name of ['CLIENT_DOCUMENTS_PRIVATE_NETWORK', 'AUDIT_WEBHOOK_PRIVATE_NETWORK'])
    expect(said).toContain(`\`${name}\``);
});

test('only passkeys and the playground require scripts, and previews also have a button that works without scripts', () => {
  expect(countsIn('app/**/*.tsx', /<noscript>/g)).toEqual({
    'app/(console)/_subjects/brand-panel.tsx': 1,
    'app/(console)/_subjects/texts-panel.tsx': 1,
    'app/(console)/developer/playground/page.tsx': 1,
    'app/(hosted)/set-up/route.tsx': 1,
    'app/_components/sign-in-parts.tsx': 1,
  });
});

test('only documented files read the sign-in cookie', () => {
  // another file that reads the cookie would need a sentence in SECURITY.md
  expect(countsIn('lib/oauth/**/*.ts', /\breadSessionHash\(/g)).toEqual({
    'lib/oauth/authorize.ts': 1,
    'lib/oauth/pages/consent.ts': 2,
    'lib/oauth/pages/device.ts': 2,
    'lib/oauth/pages/second-step.ts': 1,
    'lib/oauth/sign-out.ts': 2,
  });
});

test('SECURITY.md names the security contact once, and other documents name none', () => {
  expect(read('SECURITY.md').match(/^Security contact: .+$/gm)).toHaveLength(1);
  const others = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((file) => file !== 'SECURITY.md');
  expect(others.filter((file) => /Report a vulnerability|Security contact:/.test(read(file)))).toEqual([]);
});

test('the documents name the same exceptions to refresh token rotation as the code', () => {
  const rule =
    /followsFapi2\(issuer\.api\) \|\| \(client\.refreshTokenRotation === 'never' && proof !== null\)/;
  expect(read('lib/oauth/grants/grant.ts')).toMatch(rule);
  expect(said).toMatch(
    /do not rotate: tokens for an API with `profile: fapi-2\.0`, and tokens that a confidential client with/,
  );
  const claims = [...globSync(['*.md', 'docs/**/*.md'], { cwd: root }), 'lib/oauth/token.ts'];
  const always =
    /at every use, for every client|Each works once; the answer brings|every refresh answers with a new one/;
  expect(claims.filter((file) => always.test(read(file)))).toEqual([]);
});

test('the documents list exactly the outgoing connections of the code', () => {
  const opens =
    /from 'undici'|import\('undici'\)|import\('nodemailer|exporter-trace-otlp-http|\b(?:net|tls)\.connect\(|from 'pg'/;
  const rooms = codeIn('lib/**/*.ts').filter((file) => !file.includes('generated') && opens.test(read(file)));
  expect(new Set(rooms.map((file) => file.split('/')[1]))).toEqual(
    // folders in the order of the list in SECURITY.md: HTTP and LDAP, SMTP, traces, the database, the embedded
    // database
    new Set(['outbound', 'kit', 'observability', 'store', 'embedded-database']),
  );
  for (const name of ['LDAP', 'the database', '`SMTP_URL`', '`OTEL_EXPORTER_OTLP_ENDPOINT`'])
    expect(said).toContain(name);
});

test('SECURITY.md names each profile that forbids the password grant and codes without PKCE', () => {
  const { profile } = api.shape;
  const names = JSON.stringify(z.toJSONSchema(profile, { unrepresentable: 'any', io: 'input' })).match(
    /[a-z]+-\d\.\d/g,
  );
  expect(new Set(names)).toEqual(new Set(['oauth-2.1', 'fapi-2.0']));
  for (const name of names ?? []) expect(said).toContain(`\`profile: ${name}\``);
});

test('docs/operate/deploy-node.md: the proxy’s body limit permits the largest upload', () => {
  const [, kilobytes] = /client_max_body_size (\d+)k;/.exec(read('docs/operate/deploy-node.md')) ?? [];
  expect(Number(kilobytes) * 1024).toBe(MAX_LOGO_BYTES + BODY_LIMIT_BYTES);
  expect(read('app/(console)/_kit/posted.ts')).toContain('UPLOAD_BYTES = MAX_LOGO_BYTES + BODY_LIMIT_BYTES');
});

test('docs/how-to/issuer-hosts.md: the page lists exactly the paths of an issuer host in the endpoint table', () => {
  const [, list = ''] =
    /and nothing else:\s([\s\S]*?)\.\s+Every\s+other address/.exec(read('docs/how-to/issuer-hosts.md')) ?? [];
  const named = [...list.matchAll(/`(\/[\w./-]+)`/g)].map(([, address = '']) => address);
  expect(named.toSorted()).toEqual([...ISSUER_PATHS].toSorted());
  for (const file of ['docs/how-to/machines.md', 'docs/how-to/bind-tokens-dpop.md'])
    expect(read(file)).toContain('`device_authorization`');
});
