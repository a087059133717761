// Services that link to their development page of mails.
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { MailboxHint } from './sign-in-parts.tsx';

const SETTINGS = { DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) };

function shown(more: Record<string, string>): string {
  loadSettings({ ...SETTINGS, ...more });
  return renderToStaticMarkup(MailboxHint({ words: wordsOf('de') }));
}

test('a local service without a mail server links to its mails', () => {
  expect(shown({ BASE_URL: 'http://localhost:3000' })).toContain('href="http://localhost:3000/account/mail"');
});

test.each([
  ['with a mail server', { BASE_URL: 'http://localhost:3000', SMTP_URL: 'smtp://mail.example' }],
  ['at a public address', { BASE_URL: 'https://login.example' }],
])('a service %s shows no link to its mails', (_, more) => {
  expect(shown(more)).toBe('');
});
