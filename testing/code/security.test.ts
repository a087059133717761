// What SECURITY.md says of the code, compared with the code.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const said = read('SECURITY.md').replaceAll(/\s+/g, ' ');

/** Code that is shipped, without its tests. */
const codeIn = (pattern: string) =>
  globSync(pattern, { cwd: root }).filter((file) => !file.includes('.test.'));
const numberIn = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))?.[1]);

test('links of mails last as long as the code says', () => {
  const reset = numberIn('lib/management/people/reset-link.ts', /RESET_LINK_MINUTES = (\d+);/);
  const invitation = numberIn('lib/management/people/invitations.ts', /INVITATION_DAYS = (\d+);/);
  const hours = numberIn('lib/management/people/mail-links.ts', /VERIFY_SECONDS = (\d+) \* 3600;/);
  const registration = numberIn('lib/mail/registration-mails.ts', /REGISTRATION_MINUTES = (\d+);/);
  expect(said).toContain(
    `A link to a new password lasts ${reset} minutes, an invitation ${invitation} days. A link to confirm an address lasts ${hours} hours.`,
  );
  expect(said).toContain(`The code or link of a registration lasts ${registration} minutes`);
});

test('limits and windows are those of the code', () => {
  const guesses = numberIn('lib/auth-methods/attempts.ts', /OF_KNOWN_DEVICES = (\d+);/);
  expect(said).toContain(`browsers of an account have ${guesses} attempts in 15 minutes`);
  const race = numberIn('lib/store/tokens/refresh-tokens.ts', /used_at > now\(\) - interval '(\d+) seconds'/);
  expect(said).toContain(`within ${race} s while the successor is unused`);
  const least = numberIn('lib/config/file/secret-fields.ts', /key: 'client_secret'.*leastLength: (\d+)/);
  expect(said).toContain(`\`apply\` warns below ${least} characters`);
  const recent = numberIn('lib/sessions/proved-sign-in.ts', /RECENT_SECONDS = (\d+) \* 60;/);
  expect(said).toContain(`take a sign-in of the last ${recent} minutes`);
});

test('each operation that is said to take a fresh sign-in takes one always', () => {
  const table = read('lib/management/core/operations.ts');
  for (const name of ['approvePerson', 'grantRole', 'setPassword', 'rotateSigningKeys'])
    expect(table, name).toMatch(new RegExp(`\\b${name}: \\w+\\('[a-z.-]+', 'always'\\)`));
  // a decision that lets in asks itself
  expect(read('lib/management/subscriptions/decisions.ts')).toContain(
    'if (letsIn(action)) requireRecent(actor);',
  );
});

test('private addresses are called where it says so, and by the doctor', () => {
  const allowed = codeIn('lib/**/*.ts').flatMap((file) =>
    [...read(file).matchAll(/allowPrivateNetwork(?::| =) ([^,;}\n]+)/g)].map(([, from = '']) => from.trim()),
  );
  expect(new Set(allowed)).toEqual(
    new Set([
      'boolean',
      'values.allow_private_network',
      'one.allow_private_network === true',
      'config.allow_private_network',
      'directory.allowPrivateNetwork',
      "config['allow_private_network'] === true",
      'settings().clientDocumentsPrivateNetwork',
      'webhook.allowPrivateNetwork',
      'values.AUDIT_WEBHOOK_PRIVATE_NETWORK',
      // PASSWORD_RANGE_URL of a service that runs on this machine only
      'local',
      // `gatehouse doctor` calls the addresses of this service
      'true',
    ]),
  );
  for (const name of ['CLIENT_DOCUMENTS_PRIVATE_NETWORK', 'AUDIT_WEBHOOK_PRIVATE_NETWORK'])
    expect(said).toContain(`\`${name}\``);
});

test('only passkeys and the playground say that they need a script; other previews have a button instead', () => {
  const asking = codeIn('app/**/*.tsx').filter((file) => read(file).includes('<noscript>'));
  expect(new Set(asking)).toEqual(
    new Set([
      'app/(console)/_objects/brand-panel.tsx',
      'app/(console)/_objects/texts-panel.tsx',
      'app/(console)/developer/playground/page.tsx',
      'app/(hosted)/set-up/route.tsx',
      'app/_components/second-factor.tsx',
    ]),
  );
});

test('the sign-in cookie is read where it says so', () => {
  const readers = codeIn('lib/oauth/**/*.ts').filter((file) => /\breadSessionHash\(/.test(read(file)));
  // a new reader is a new sentence there
  expect(new Set(readers)).toEqual(
    new Set([
      'lib/oauth/authorize/handler.ts',
      'lib/oauth/hosted/consent.ts',
      'lib/oauth/hosted/device.ts',
      'lib/oauth/hosted/device-view.ts',
      'lib/oauth/hosted/logout.ts',
      'lib/oauth/hosted/second-factor.ts',
      'lib/oauth/hosted/views.ts',
      'lib/oauth/endpoints/sign-out.ts',
    ]),
  );
});
