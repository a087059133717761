// Requests with a header that is too large, or without their body, sent through a real socket: people get
// instructions, programs get JSON.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { malformedRequest } from '#lib/oauth/refusals.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { until } from '#testing/net/until.ts';
import { createNodeDoor, type NodeDoor } from './node-door.ts';

const STYLE = readFileSync('public/gatehouse.css', 'utf8');

function openDoor(deadlines: object = {}): NodeDoor {
  return createNodeDoor({
    handle: async (request) => {
      await request.body();
      return { status: 200, headers: {} };
    },
    otherwise: async () => {},
    onFault: () => {},
    onMalformed: (status, request) => malformedRequest(status, request, STYLE),
    deadlines,
  });
}
const usual = openDoor();
const hasty = openDoor({ headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 10 });

beforeAll(async () => {
  loadSettings({ DATABASE_URL: 'postgresql://h/d', GATEHOUSE_SECRET: 'x'.repeat(43) });
  for (const { server } of [usual, hasty])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => Promise.all([usual.drain(1_000), hasty.drain(1_000)]));

/** Returns the response to these packets. Each packet is sent after the server has read the previous packet. */
async function exchange({ server }: NodeDoor, ...packets: string[]): Promise<{ head: string; body: string }> {
  const accepted = Promise.withResolvers<net.Socket>();
  const answered = Promise.withResolvers<string>();
  server.once('connection', accepted.resolve);
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').setNoDelay();
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('close', () => answered.resolve(text)).on('error', answered.reject);
  const theirs = await accepted.promise;
  for (const packet of packets) {
    const before = theirs.bytesRead;
    socket.write(packet);
    await until(async () => theirs.destroyed || theirs.bytesRead - before >= packet.length);
  }
  const [head = '', ...rest] = (await answered.promise).split('\r\n\r\n');
  return { head, body: rest.join('\r\n\r\n') };
}

const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const FOREIGN = Array.from({ length: 4 }, (_, app) => `app${app}=${'x'.repeat(3_000)}`).join('; ');
const linesOf = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
const TARGET = `/auth/pw/api/orders/authorize?state=${'s'.repeat(5_000)}`;
/** A request with an address of 5 KB, and 12 KB of cookies that other applications of the domain have set. */
const large = (fields: Record<string, string>, more = '') =>
  `GET ${TARGET}${more} HTTP/1.1\r\n${linesOf({ Host: 'h', ...fields, Cookie: FOREIGN })}\r\n`;

describe('RFC 6585 §5: a header that is too large', () => {
  test.each(LANGUAGES)(
    'for an oversized header, a browser receives a page in its language: %s',
    async (language) => {
      const { head, body } = await exchange(usual, large({ Accept: PAGE, 'Accept-Language': language }));
      expect(head).toMatch(/^HTTP\/1\.1 431 /);
      expect(head).toMatch(/^content-type: text\/html; charset=utf-8$/m);
      expect(head).toMatch(/^connection: close$/m);
      expect(head).toMatch(/^cache-control: no-store$/m);
      const { t } = wordsOf(language);
      expect(body).toContain(`<html lang="${language}"`);
      expect(body).toContain(t('errors.too_much'));
      expect(body).toContain(t('errors.too_much_lead'));
      expect(body).toContain(/^x-request-id: (.+)$/m.exec(head)?.[1]);
      expect(body).toContain('16384 bytes');
      expect(body).not.toContain('xxx');
    },
  );

  test('the page about oversized cookies embeds its style sheet, because a separate request would repeat the cookies', async () => {
    const { head, body } = await exchange(usual, large({ Accept: PAGE }));
    expect(body).toContain(`<style>${STYLE}</style>`);
    expect(head).toMatch(/^content-security-policy: .*style-src 'self' 'sha256-/m);
  });

  test('ui_locales and the language cookie take precedence over Accept-Language', async () => {
    const asked = await exchange(
      usual,
      large({ Accept: PAGE, 'Accept-Language': 'fr' }, '&ui_locales=nosuch%20it'),
    );
    expect(asked.body).toContain('<html lang="it"');
    const chosen = `${linesOf({ Accept: PAGE, 'X-Filler': 'x'.repeat(17_000), Cookie: 'gatehouse-language=ja.1' })}\r\n`;
    const { body } = await exchange(usual, `GET / HTTP/1.1\r\nHost: h\r\n${chosen}`);
    expect(body).toContain('<html lang="ja"');
  });

  test('a browser receives the error page even if the last packet contains only cookies and the end of the header', async () => {
    const all = large({ Accept: PAGE, 'Accept-Language': 'de' });
    const { head, body } = await exchange(usual, all.slice(0, 9_000), all.slice(9_000));
    expect(head).toMatch(/^content-type: text\/html/m);
    expect(body).toContain('<html lang="en"');
  });

  test.each<[caller: string, packets: string[]]>([
    ['asks for JSON', [large({ Accept: 'application/json' })]],
    ['asks for JSON before HTML', [large({ Accept: 'application/json, text/html;q=0.5' })]],
    ['asks for anything', [large({ Accept: '*/*' })]],
    ['asks for nothing', [large({})]],
    [
      'sends a long token in two packets',
      [
        `GET / HTTP/1.1\r\n${linesOf({ Host: 'h', Accept: '*/*' })}Authorization: Bearer ${'e'.repeat(9_000)}`,
        `${'y'.repeat(9_000)}\r\n\r\n`,
      ],
    ],
    ['names HTML in another field', [large({ 'X-Accept': PAGE })]],
  ])('for an oversized header, a program that %s receives JSON', async (_, packets) => {
    const { head, body } = await exchange(usual, ...packets);
    expect(head).toMatch(/^HTTP\/1\.1 431 /);
    expect(head).toMatch(/^content-type: application\/json$/m);
    expect(JSON.parse(body)).toEqual({
      error: 'invalid_request',
      error_description:
        'The header is too large: at most 16384 bytes, including the address and the cookies.',
      request_id: /^x-request-id: (.+)$/m.exec(head)?.[1],
    });
  });
});

describe('RFC 9110 §15.5.9: a body that does not arrive in time', () => {
  const posted = (fields: Record<string, string>) =>
    `POST /login/submit HTTP/1.1\r\n${linesOf({ Host: 'h', ...fields, 'Content-Length': '500' })}\r\nhalf`;

  /** Makes the time limit expire as soon as the header was read. */
  const late = (fields: Record<string, string>) => {
    usual.server.once('request', ({ socket }) => {
      const error = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      usual.server.emit('clientError', error, socket);
    });
    return exchange(usual, posted(fields));
  };

  test('a browser whose body does not arrive in time receives a page in its language', async () => {
    const { head, body } = await late({ Accept: PAGE, 'Accept-Language': 'pl' });
    expect(head).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toContain(wordsOf('pl').t('errors.slow_lead'));
  });

  test('programs, and requests with incomplete headers, receive JSON when they time out', async () => {
    const { body } = await late({ Accept: 'application/json' });
    expect(JSON.parse(body)).toMatchObject({ error_description: 'The request took too long.' });
    const none = await exchange(hasty, 'GET / HTTP/1.1\r\nAccept: text/html\r\n');
    expect(none.head).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(none.body)).toMatchObject({ error: 'invalid_request' });
  });
});
