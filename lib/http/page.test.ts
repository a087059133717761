import { describe, expect, it } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { html } from './message.ts';
import { escapeHtml, renderPage } from './page.ts';

loadSettings({ DATABASE_URL: 'postgres://none/x', GATEHOUSE_SECRET: 'x'.repeat(43) });

const nasty = `<img src=x onerror="alert(1)"> & it's`;
/** Renders the page, by default in English. */
const render = (of: Parameters<typeof renderPage>[0], words = wordsOf('en')) => renderPage(of, words);
const page = { title: { text: 'T' }, heading: 'errors.link', message: { text: 'Start again.' } } as const;

describe('the plain HTML page', () => {
  it('the plain HTML page escapes characters that end a text or an attribute', () => {
    expect(escapeHtml(nasty)).toBe('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; it&#39;s');
  });

  it('the plain HTML page escapes every value of the request, in every position', () => {
    const html = render({
      title: { text: nasty },
      heading: { text: nasty },
      message: { text: nasty },
      requestId: nasty,
      details: [[{ text: nasty }, nasty]],
      link: { href: nasty, label: { text: nasty } },
    });
    expect(html).not.toContain('<img');
    expect(html).not.toContain('onerror="');
    expect(html.match(/&lt;img/g)).toHaveLength(8);
  });

  it('the plain HTML page isolates the text direction of foreign values', () => {
    expect(render({ ...page, message: { text: '\u202Eevil' } })).toContain('<bdi>\u202Eevil</bdi>');
  });

  it('the plain HTML page shows the request id', () => {
    expect(render({ ...page, requestId: 'req_1' })).toContain('<code><bdi>req_1</bdi></code>');
  });

  it('the plain HTML page redirects automatically, with a visible link as fallback', () => {
    const html = render({ ...page, refresh: { href: '/continue?a=1&b="2' } });
    expect(html).toContain('<meta http-equiv="refresh" content="0; url=/continue?a=1&amp;b=&quot;2">');
    expect(html).toContain('<a class="button" href="/continue?a=1&amp;b=&quot;2">Continue</a>');
  });

  it('the plain HTML page contains no script and no inline style, as the strictest policy requires', () => {
    const html = render({ ...page, refresh: { href: '/' }, details: [[{ text: 'a' }, 'b']] });
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
  });

  it('the plain HTML page uses and declares the requested language', () => {
    const words = wordsOf('ar');
    const shown = render({ ...page, requestId: 'req_1', refresh: { href: '/' } }, words);
    expect(shown).toContain('<html lang="ar" dir="rtl">');
    expect(shown).toContain('<bdi>رابط تسجيل الدخول هذا لا يعمل</bdi>');
    expect(shown).toContain('<bdi>Start again.</bdi>');
    const { headers } = html(200, shown, { https: false, words });
    expect(headers).toMatchObject({ 'content-language': 'ar', vary: 'Accept-Language, Cookie' });
  });
});

it('the request id on the plain HTML page links to the console’s request search', () => {
  const page = {
    title: 'errors.link',
    heading: 'errors.link',
    message: 'errors.link',
    requestId: 'r-1',
  } as const;
  expect(render(page)).toContain('<dd><code>');
  expect(render({ ...page, findAt: 'https://login.example/developer/find?q=r-1' })).toContain(
    '<dd><a href="https://login.example/developer/find?q=r-1"><code>',
  );
});
