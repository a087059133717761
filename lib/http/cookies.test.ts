// A name that differs by one byte loses the browser's `__Host-` protection, so parsing must not confuse such names.
import { expect, test } from 'vitest';
import { sourcesIn } from '#testing/code/sources.ts';
import { parseCookies, withCookie } from './cookies.ts';

const NAME = '__Host-gatehouse-sign-in';

test('RFC 6265 §5.2: only SP and HTAB around cookie names are removed', () => {
  expect(parseCookies(` \t${NAME} \t= \tv \t`)).toEqual(new Map([[NAME, 'v']]));
  const others = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter(
    (byte) => !/[ \t;=]/.test(byte),
  );
  // further characters that String.prototype.trim removes, in case a server decodes the header as UTF-8
  for (const byte of [...others, '\u1680', '\u2000', '\u2028', '\u3000', '\ufeff', 'Â\xa0', 'â\x80\x80'])
    for (const name of [`${byte}${NAME}`, `${NAME}${byte}`, ` ${byte} ${NAME}`]) {
      const read = parseCookies(`${name}=tossed; ${NAME}=own`);
      expect(read.get(NAME), JSON.stringify(name)).toBe('own');
      expect(parseCookies(`${name}=tossed`).has(NAME), JSON.stringify(name)).toBe(false);
    }
});

test('every cookie with a repeated name is dropped, in any position', () => {
  for (const header of [
    `${NAME}=tossed; ${NAME}=own`,
    `${NAME}=own;${NAME} =tossed`,
    `${NAME}=own; other=1; \t${NAME}=own`,
    `${NAME}=; ${NAME}=own`,
    `${NAME}=a; ${NAME}=b; ${NAME}=c`,
  ])
    expect(parseCookies(header).has(NAME), header).toBe(false);
  expect(parseCookies(`a=1; a=2; ${NAME}=own; ${NAME.toLowerCase()}=other`).get(NAME)).toBe('own');
  expect(parseCookies(`${NAME}; =${NAME}=tossed; ${NAME}=own`).get(NAME)).toBe('own');
});

test('cookies set by the response replace all cookies of the same name in the forwarded request', () => {
  const set = `${NAME}=new; Path=/; HttpOnly`;
  expect(withCookie(undefined, set)).toBe(`${NAME}=new`);
  expect(withCookie(`a=1; ${NAME}=old;${NAME} = older; b=2`, set)).toBe(`${NAME}=new; a=1; b=2`);
  expect(parseCookies(withCookie(`${NAME}=old`, set)).get(NAME)).toBe('new');
});

test('only one file reads cookies, and other files do not even use Next’s cookie functions', () => {
  const readers = sourcesIn('app', 'lib', 'proxy.ts', 'serve.ts')
    .filter(({ file }) => !/\.test\.tsx?$/.test(file) && file !== 'lib/http/cookies.ts')
    .filter(({ text }) =>
      /\bawait cookies\(|request\.cookies\b|import[^;]*\bcookies\b[^;]*next\/headers/.test(text),
    );
  expect(readers.map(({ file }) => file)).toEqual([]);
});
