// Valid and invalid email addresses. The mailbox next to each rejected address is the mailbox to which a mail program
// that parses lists delivered a mail for this address.
import { expect, test } from 'vitest';
import { canonicalEmail, canonicalSearch, shownEmail } from '#lib/kit/text.ts';
import { emailAddress } from './values.ts';

const parsed = (text: string) => emailAddress.safeParse(text).data;

test.each([
  'ada@example.com',
  'Ada.Lovelace+shop@Sub.Example.COM',
  "o'brien@example.com",
  `"o'brien"@example.com`,
  'jörg@example.com',
  'x@xn--bcher-kva.example',
  '用户@example.com',
  'a@localhost',
  'under_score@mail_1.example.com',
])('%s is accepted as an email address, in lower case', (address) => {
  expect(parsed(` ${address} `)).toBe(address.toLowerCase());
});

test.each([
  ['a list', 'ada@example.com,'],
  ['a list', 'a@x.co,b@x.co'],
  ['a list', 'ada@example.com;x1'],
  ['a list', 'x1,ada@example.com'],
  ['a name before it', '"Prize at evil.example" <ada@example.com>'],
  ['a name before it', 'x<ada@example.com>'],
  ['in angle brackets', '<ada@example.com>'],
  ['a scheme before it', 'mailto:ada@example.com'],
  ['a comment', 'ada@example.com(.corp.com)'],
  ['a list that ends like another domain', 'ada@example.com,.corp.com'],
  ['a group', 'friends:ada@example.com;'],
  ['an open quote', '"ada@example.com'],
  ['a quote inside', 'a"da@example.com'],
  ['an escape', 'ada\\@example.com'],
  ['another full stop', 'ada@example\u3002com'],
  ['wide letters', 'ada@\uff45xample.com'],
  ['a soft hyphen', 'ada@exam\u00adple.com'],
  ['a letter that turns the text', 'ada@\u202eexample.com'],
  ['nothing between two stops', 'ada@example..com'],
  ['a stop at its end', 'ada@example.com.'],
  ['an address in brackets', 'ada@[192.0.2.1]'],
  ['a line break', 'ada@example.com\r\nBcc: eve@example.com'],
  ['U+0000', 'ada\u0000@example.com'],
  ['two signs @', 'ada@eve@example.com'],
  ['no domain', 'ada@'],
  ['nobody', '@example.com'],
  ['too long', `${'a'.repeat(250)}@x.co`],
])('the email address %s is rejected with one fault: %j', (_, address) => {
  const { success, error } = emailAddress.safeParse(address);
  expect([success, error?.issues.length]).toEqual([false, 1]);
});

test.each([
  ['A-labels', 'ada@xn--bcher-kva.example'],
  ['U-labels', 'ada@bücher.example'],
  ['capitals', 'ADA@BÜCHER.example'],
  ['decomposed letters', 'ada@bu\u0308cher.example'],
])(
  'RFC 5890 §2.3.2.4: the domain of an email address is compared as A-labels, also if it is typed as %s',
  (_, address) => {
    expect(parsed(address)).toBe('ada@xn--bcher-kva.example');
    expect(canonicalEmail(address)).toBe('ada@xn--bcher-kva.example');
  },
);

test('local parts of email addresses are compared in NFC, and ß differs from ss', () => {
  expect(parsed('jo\u0308rg@example.com')).toBe('j\u00f6rg@example.com');
  expect(parsed('ada@faß.example')).toBe('ada@xn--fa-hia.example');
  expect(parsed('ada@fass.example')).toBe('ada@fass.example');
});

test('canonical email address forms are idempotent, even for text without address form', () => {
  for (const text of [
    'jo\u0308rg@BÜCHER.example',
    'İ@x.co',
    'Ada',
    'a@',
    '@',
    'a@exa\u00admple.com',
    'a@\uff45xample.com',
    'a@1',
  ])
    expect(canonicalEmail(canonicalEmail(text))).toBe(canonicalEmail(text));
  // a domain with an invisible character is not converted, so the address stays unchanged
  expect(canonicalEmail('a@exa\u00admple.com')).toBe('a@exa\u00admple.com');
});

test('users see Unicode domains in email addresses, and the search finds both spellings', () => {
  expect(shownEmail('ada@xn--bcher-kva.example')).toBe('ada@bücher.example');
  expect(shownEmail('ada@example.com')).toBe('ada@example.com');
  expect(canonicalSearch('bücher.example')).toBe('xn--bcher-kva.example');
  expect(canonicalSearch('@bücher.example')).toBe('@xn--bcher-kva.example');
});

test('an email address whose domain has too many characters as A-labels is rejected', () => {
  const labels = ['ü', 'ä', 'ö', 'é'].map((letter) => letter.repeat(44));
  const long = `${'a'.repeat(60)}@${labels.join('.')}.de`;
  expect([long.length < 254, parsed(long)]).toEqual([true, undefined]);
});
