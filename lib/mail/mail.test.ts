// Mails as text and as HTML. Texts from others are hostile in these tests.
import { expect, test } from 'vitest';
import { deliverMail } from '#lib/kit/mail.ts';
import { wordsOf } from '#lib/language/words.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { faultsOfHtml } from '#testing/code/html-tree.ts';
import { mailServer } from '#testing/net/mail-server.ts';
import { htmlOfMail, type MailContent, namedIn, textOfMail } from './mail.ts';
import { mailTransport } from './send.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&</p><script>';
const around = { brand: { name: 'Blue Harbour' }, host: 'login.example' };

const mail = (words: string): MailContent => ({
  subject: words,
  parts: [
    words,
    { text: words, code: words },
    { text: words, quote: `${words}\nsecond line` },
    { text: words, href: `https://a.example/?a=1&b=${words}`, button: words },
    { href: 'https://a.example/only' },
    { text: words, links: [`https://a.example/${words}`] },
  ],
});

test('the text form of a mail contains every part, separated by blank lines', () => {
  expect(
    textOfMail(
      {
        subject: 'left out',
        parts: [
          'One.',
          { text: 'Your code is 1.', code: '1' },
          { text: 'They say:', quote: 'please' },
          { text: 'Go here:', href: 'https://a.example/', button: 'left out' },
          { href: 'https://b.example/' },
          { text: 'These:', links: ['https://c.example/', 'https://d.example/'] },
        ],
      },
      around,
    ),
  ).toBe(
    'One.\n\nYour code is 1.\n\nThey say:\n> please\n\nGo here:\nhttps://a.example/\n\nhttps://b.example/\n\n' +
      'These:\nhttps://c.example/\nhttps://d.example/\n\n-- \nBlue Harbour · login.example',
  );
});

test('the text form of a mail quotes each line of third-party text, so that it cannot imitate service text', () => {
  const quote = 'Hello.\r\n\nLook at it and decide:\nhttps://evil.example/\n-- \nBlue Harbour';
  const text = textOfMail({ subject: '', parts: [{ text: 'They say:', quote }] }, around);
  expect(text.split(/\r?\n/)).toEqual([
    ...['They say:', '> Hello.', '> ', '> Look at it and decide:', '> https://evil.example/', '> -- '],
    ...['> Blue Harbour', '', '-- ', 'Blue Harbour · login.example'],
  ]);
});

test.each(LANGUAGES)(
  '%s: the HTML of a mail is well formed, in its language and direction, for any third-party text',
  (language) => {
    const words = wordsOf(language);
    const html = htmlOfMail(mail(HOSTILE), words, { ...around, brand: { name: HOSTILE, accent: HOSTILE } });
    expect(faultsOfHtml(html)).toEqual([]);
    expect(html).not.toMatch(/<(?:img|script)/);
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(html).not.toContain('onerror=alert(1)>');
  },
);

test('the HTML checker detects invalid HTML', () => {
  for (const wrong of ['<p>', '<p></b>', '<p a=b></p>', '<img src="x">', 'a > b <br>', '<p onclick="x"></p>'])
    expect(faultsOfHtml(`<!doctype html>\n${wrong}`), wrong).not.toEqual([]);
});

test('an HTML mail shows each link as a button and as the full address', () => {
  const href = 'https://a.example/register?link=abc&after=x';
  const html = htmlOfMail(
    { subject: 's', parts: [{ text: 'Go:', href, button: 'Go on' }] },
    wordsOf('en'),
    around,
  );
  const escaped = href.replace('&', '&amp;');
  expect(html).toMatch(/<a href="[^"]+" style="[^"]*background-color:#1f5f4a;color:#ffffff[^"]*">Go on<\/a>/);
  expect(html).toContain(`>${escaped}</a>`);
  expect(html.split(`href="${escaped}"`)).toHaveLength(3);
});

test('a brand sets a mail’s colour and name', () => {
  const brand = { name: 'Blue Harbour', accent: '#0B3D91' };
  const html = htmlOfMail(mail('x'), wordsOf('en'), { ...around, brand });
  expect(html).toContain('background-color:#0B3D91');
  expect(html.split('<bdi>Blue Harbour</bdi>')).toHaveLength(3);
});

test('third-party names in mails are one line with isolated text direction', () => {
  expect(namedIn({ direction: 'ltr' }, 'Orders')).toBe('Orders');
  expect(namedIn({ direction: 'ltr' }, 'a\r\nb\u202Ec')).toBe('a bc');
  expect(namedIn({ direction: 'ltr' }, 'متجر')).toBe('\u2068متجر\u2069');
  expect(namedIn({ direction: 'rtl' }, 'Orders')).toBe('\u2068Orders\u2069');
});

test.each([
  ['https://login.example', 'no-reply@login.example'],
  ['https://192.0.2.7', 'no-reply@[192.0.2.7]'],
  ['https://[2001:db8::1]', 'no-reply@[ipv6:2001:db8::1]'],
])(
  'RFC 5321 §4.1.3: for a service at %s, the sender address uses the host or address of the service',
  async (baseUrl, sender) => {
    const server = await mailServer();
    try {
      const own = { DATABASE_URL: 'postgres://u:p@db/g', GATEHOUSE_SECRET: 'A'.repeat(43) };
      loadSettings({ ...own, BASE_URL: baseUrl, SMTP_URL: server.smtpUrl.replace(/from=[^&]*&/, '') });
      await deliverMail({ to: 'ada@example.com', subject: 'x', text: 'x' }, mailTransport());
    } finally {
      await server.close();
    }
    expect(server.taken).toBe(1);
    expect(server.received.join('').toLowerCase()).toContain(`mail from:<${sender}>`);
  },
);
