// Previews of every mail in every language. The functions that write the real mails create them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { faultsOfHtml } from '#testing/code/html-tree.ts';
import { MAIL_NAMES } from './messages.ts';
import { exampleMail, listMails } from './send.ts';

beforeAll(() => {
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
});

const lib = path.resolve('lib');
const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.') && !file.includes('generated'))
  .map((file) => readFileSync(path.join(lib, file), 'utf8'))
  .filter((text) => /(?:sendServiceMail|composeMail)\(/.test(text));

test('the code sends every mail of the table', () => {
  const sent = sources.join('\n');
  const unsent = MAIL_NAMES.filter((name) => {
    const family = /^(?:factor|subscription|address-code)(?=-)/.exec(name)?.[0];
    return !sent.includes(`'${name}'`) && !sent.includes(`\`${family}-\${`);
  });
  expect(unsent).toEqual([]);
});

test.each(LANGUAGES)('%s: every mail has an example, complete in text and HTML', (language) => {
  const words = wordsOf(language);
  expect(listMails(words).map(({ name }) => name)).toEqual(MAIL_NAMES);
  for (const { name, subject } of listMails(words)) {
    const mail = exampleMail(name, words);
    expect(mail.subject, name).toBe(`Gatehouse: ${subject}`);
    expect(mail.text, name).not.toMatch(/[{}]|undefined|\bnull\b|\[object/);
    expect(mail.text, name).toMatch(/\n-- \nGatehouse · /);
    expect(faultsOfHtml(mail.html), name).toEqual([]);
    expect(mail.html, name).toContain(`<html lang="${language}"`);
  }
});

/** Names that example mails must contain, because a user may have several things of this kind. */
const NAMED: [mails: RegExp, names: string[], subject: boolean][] = [
  [/^subscription-/, ['Shop', 'Orders'], true],
  [/^delegation-/, ['Assistant', 'Orders'], true],
  [/^factor-(?:passkey-|app-renamed)/, ['My phone'], false],
];

test.each(LANGUAGES)('%s: mails about one of several objects name the object', (language) => {
  const words = wordsOf(language);
  for (const [mails, names, inSubject] of NAMED) {
    const about = MAIL_NAMES.filter((name) => mails.test(name));
    expect(about.length).toBeGreaterThan(0);
    for (const name of about) {
      const { subject, text } = exampleMail(name, words);
      for (const one of names) {
        if (inSubject) expect(subject, name).toContain(one);
        expect(text, name).toContain(one);
      }
    }
  }
});
