// Maximum size of Gatehouse's cookies in a header. Node accepts 16 KiB, including the address and the cookies of
// other applications on the domain.
import { randomBytes } from 'node:crypto';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { withCookie } from '#lib/http/cookies.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { keepLanguage, keepTheme } from './choices.ts';
import { rememberDevice } from './known-device.ts';
import { storeInBrowser } from './page-state.ts';
import { keepInterrupted, openTransaction } from './transaction.ts';
import { trustBrowser } from './trusted-browser.ts';

loadSettings({
  DATABASE_URL: 'postgresql://h/d',
  GATEHOUSE_SECRET: 'x'.repeat(43),
  BASE_URL: 'https://login.example',
});

test('Gatehouse’s cookies use less than half of a header, for any number of people, tabs and sign-ins', () => {
  let cookie = '';
  const keep = (setCookie: string) => {
    cookie = withCookie(cookie, setCookie);
  };
  for (let person = 0; person < 40; person += 1) {
    const personId = `00000000-0000-4000-8000-0000000000${person + 10}`;
    keep(openTransaction(cookie).cookie);
    keep(keepLanguage('pt-BR'));
    keep(keepTheme('light'));
    keep(keepInterrupted('x'.repeat(3_000 - person)));
    keep(rememberDevice(cookie, [`person${person}@example.com`], { personId, personEpoch: personId }));
    const typed = { text: randomBytes(300 + person).toString('base64url') };
    keep(storeInBrowser({ kind: 'draft' }, typed, cookie)?.cookie ?? '');
    keep(trustBrowser(cookie, personId, 'local')?.cookie ?? '');
  }
  expect(cookie.split('; ')).toHaveLength(7);
  expect(cookie.length).toBeLessThan(maxHeaderSize / 2);
});
