// Texts that an API or client can replace ("slots"). Each slot belongs to a message of the service with the same
// values. A slot of a mail is its subject or its first paragraph.
import { IntlMessageFormat } from 'intl-messageformat';
import { beforeAll, expect, test } from 'vitest';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import { type OwnLine, withOwnTexts, wordsOf } from '#lib/language/words.ts';
import { TEXT_SLOT_NAMES, TEXT_SLOTS, type TextSlotName } from '#lib/registry/own-texts.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { isMailName, MAIL_NAMES, mailOf } from './messages.ts';
import { writtenMail } from './send.ts';

beforeAll(() => {
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
});

const LINES: Record<OwnLine, true> = {
  sign_in_lead: true,
  sign_in_help: true,
  registration_lead: true,
  mail_closing: true,
};

const textOf = (language: (typeof LANGUAGES)[number], key: string): string | undefined => {
  const [group = '', name = ''] = key.split('.');
  return (CATALOGUE[language] as Record<string, Record<string, string>>)[group]?.[name];
};

const valuesIn = (text: string, language: string) =>
  new Set(
    new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
      .getAst()
      .flatMap((part) => ('value' in part && part.type !== 0 ? [part.value] : [])),
  );

test.each(LANGUAGES)(
  '%s: each custom-text slot maps to a message with equal values and fits the length limit',
  (language) => {
    for (const name of TEXT_SLOT_NAMES) {
      const { replaces, values, longest } = TEXT_SLOTS[name];
      if (replaces === null) continue;
      const text = textOf(language, replaces) ?? '';
      expect(text, name).not.toBe('');
      expect(valuesIn(text, language), name).toEqual(new Set(values));
      // owners can save the default text of the service unchanged
      expect(text.length, name).toBeLessThanOrEqual(longest);
    }
  },
);

test('a custom-text slot without a default message belongs to a line that pages or mails can show', () => {
  const lines = TEXT_SLOT_NAMES.filter((name) => TEXT_SLOTS[name].replaces === null);
  expect(new Set(lines)).toEqual(new Set(Object.keys(LINES)));
  const keys = TEXT_SLOT_NAMES.flatMap((name) => TEXT_SLOTS[name].replaces ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

test('consent, second factor, sign-out and error pages contain no slots for custom texts', () => {
  const keys = TEXT_SLOT_NAMES.flatMap((name) => TEXT_SLOTS[name].replaces ?? []);
  expect(
    keys.filter((key) => /^(?:consent|factor|sign_out|error|frame|passkey|new_password)\./.test(key)),
  ).toEqual([]);
  const guarded = [
    'app/(hosted)/consent',
    'app/(hosted)/confirm',
    'app/(hosted)/set-up',
    'app/(hosted)/logout',
  ];
  const said = guarded
    .flatMap((folder) =>
      sourcesIn(folder)
        .filter(({ file }) => !isTest(file))
        .map(({ text }) => text),
    )
    .join('\n');
  expect(said).toContain('consent.heading');
  expect(keys.filter((key) => said.includes(`'${key}'`))).toEqual([]);
});

test('only visitor mails have custom-text slots, for subject and first paragraph', () => {
  const words = wordsOf('en');
  const asIf = new Map(TEXT_SLOT_NAMES.flatMap((name) => mark(name)));
  const own = withOwnTexts(words, {
    messages: asIf,
    lines: new Map([['mail_closing', 'Yours, <b>Shop</b>']]),
  });
  const dress = () => ({ brand: null, words: own });
  for (const name of MAIL_NAMES) {
    const { to, example } = mailOf(name);
    const { subject, text, html } = writtenMail(
      name,
      words,
      example() as never,
      to === 'visitor' ? dress : undefined,
    );
    const [first = ''] = text.split('\n');
    const isOwn = to === 'visitor';
    expect([subject.startsWith('Gatehouse: own '), first.startsWith('own ')], name).toEqual([isOwn, isOwn]);
    expect(text.includes('\n\nYours, <b>Shop</b>\n\n-- \n'), name).toBe(isOwn);
    expect(html.includes('Yours, &lt;b&gt;Shop&lt;/b&gt;'), name).toBe(isOwn);
    expect(text, name).not.toMatch(/[{}]/);
  }
  const places = new Set(TEXT_SLOT_NAMES.map((name): string => TEXT_SLOTS[name].at).filter(isMailName));
  expect(places).toEqual(new Set(MAIL_NAMES.filter((name) => mailOf(name).to === 'visitor')));
});

function mark(name: TextSlotName): [string, string][] {
  const { replaces, values } = TEXT_SLOTS[name];
  return replaces === null ? [] : [[replaces, `own it's ${values.map((one) => `{${one}}`).join(" '")}`]];
}

test('a custom text is plain: apostrophes, ICU syntax and tags remain, and a missing language uses the default text', () => {
  const messages = new Map([
    ['mail.reset', "L'essai '{minutes}' # <b>|</b>"],
    ['sign_in.new_here', "C'est '{ici"],
  ]);
  const { t, told, parts, line } = withOwnTexts(wordsOf('fr'), { messages, lines: new Map() });
  expect(t('mail.reset', { minutes: 30 })).toBe("L'essai '30' # <b>|</b>");
  expect(told({ code: 'mail.reset', values: { minutes: 30 } })).toBe("L'essai '30' # <b>|</b>");
  expect(parts('mail.reset', { minutes: 30 }).join('')).toBe("L'essai '30' # <b>|</b>");
  expect(t('sign_in.heading')).toBe(wordsOf('fr').t('sign_in.heading'));
  expect(line('sign_in_lead')).toBeNull();
  expect(withOwnTexts(wordsOf('fr'), null)).toBe(wordsOf('fr'));
});
