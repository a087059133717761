// What may be an e-mail address here. Each refused one was delivered to the mailbox beside it by a mail program that reads lists.
import { expect, test } from 'vitest';
import { emailAddress } from './index.ts';

const parsed = (text: string) => emailAddress.safeParse(text).data;

test.each([
  'ada@example.com',
  'Ada.Lovelace+shop@Sub.Example.COM',
  "o'brien@example.com",
  `"o'brien"@example.com`,
  'jörg@bücher.example',
  'x@xn--bcher-kva.example',
  'ada@straße.example',
  '用户@例子.example',
  'a@localhost',
  'under_score@mail_1.example.com',
])('%s is an address, in lower case', (address) => {
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
])('%s is refused, with one fault: %j', (_, address) => {
  const { success, error } = emailAddress.safeParse(address);
  expect([success, error?.issues.length]).toEqual([false, 1]);
});
