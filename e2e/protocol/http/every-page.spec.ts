// Every HTML response has the security headers, at both servers and at any address (case CS-06).
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { missingDefences } from '../../support/clients/expectations.ts';
import { eachDoor } from '../../support/service/doors.ts';

/** Addresses to which no page links: addresses of Next, missing files, malformed paths. */
const ODD = `
  /_next /_next/ /_next/nosuch /_next/nosuch.js /_next/static /_next/static/nosuch.js
  /_next/static/chunks/nosuch.css /_next/static/chunks/%ZZ.js /_next/static/..%2f..%2fpackage.json
  /_next/data/x/index.json /_next/data/x/%C3%A9.json /_next/%C3%A9 /%C3%A9 /account/%C3%A9 /404/ /_not-found/ /apis/%C3%A9 /developer/data/file /account/submit /admin/submit/ /_next/image /_next/image?url=%2Ficon.svg&w=64&q=75
  /_next/image?url=http%3A%2F%2F127.0.0.1%3A1%2F&w=64&q=75 /_next/webpack-hmr /__nextjs_original-stack-frames
  /x.y /favicon.ico /robots.txt /gatehouse.css.map /gatehouse.css/x /icon.svg/x /nosuch.html /.env
  /.well-known/nosuch /.well-known/nosuch/auth/pw/api/orders /.well-known/openid-configuration
  /.well-known/openid-configuration/auth/pw /.well-known/openid-configuration/auth/pw/api/orders/x
  /confirm /confirm/submit /set-up /set-up/submit /set-up?interaction=x /account/submit/nosuch /account/submit/a/b /developer/submit/ /login/submit /login/submit/x
  /health/x /health/ /a/b.c /apis/x.y /login.html /login /login/x.y /consent?interaction=x /logout
  /account/x.y /account/mail /developer/check /account/data/file /admin/nosuch
  /api /api/nosuch /api/v1/nosuch /api/cron/nosuch
  /auth /auth/ /auth/callback /auth/callback/x /auth/callback/broker /auth/pw/api/orders
  /auth/pw/api/orders/nosuch /auth/pw/api/orders/authorize /auth/token/x
  /continue /continue/x /404 /500 /_error /_not-found /index.txt /index.rsc /__PAGE__.txt
  /%2e%2e/x /%C0%80 /%ZZ /apis/%ZZ /apis/% /admin/apis/%ZZ /apis/a%2Fb /apis/ /% /a%00b /%5c%5cexample.org //example.org/ /${'x'.repeat(4_000)} /?_rsc=1 /..
`
  .trim()
  .split(/\s+/);

const REQUESTS: [name: string, sent: { method?: string; headers?: Record<string, string> }][] = [
  ['GET', {}],
  ['HEAD', { method: 'HEAD' }],
  ['POST', { method: 'POST' }],
  ['DELETE', { method: 'DELETE' }],
  ['OPTIONS', { method: 'OPTIONS' }],
  ['GET of a router', { headers: { rsc: '1', 'next-router-prefetch': '1' } }],
  ['GET of a range', { headers: { range: 'bytes=9-1' } }],
];

eachDoor((door) => {
  for (const [name, sent] of REQUESTS) {
    test(`CS-06: every page at an unusual address has all security headers, at ${name}`, async () => {
      const bare: string[] = [];
      let pages = 0;
      for (const path of ODD) {
        const headers = { accept: 'text/html', ...sent.headers };
        const answer = await send(`${door.url}${path}`, { ...sent, headers });
        if (!isPage(answer)) continue;
        pages += 1;
        const missing = missingDefences(answer);
        if (missing.length > 0) bare.push(`${path.slice(0, 60)} ${answer.status}: ${missing.join(', ')}`);
      }
      expect(bare).toEqual([]);
      expect(pages).toBeGreaterThan(name === 'GET' ? 30 : 0);
    });
  }

  test('no request makes the service fetch and convert an image', async () => {
    for (const url of [
      '/icon.svg',
      'http://127.0.0.1:1/',
      'https://example.org/x.png',
      '//example.org/x.png',
    ]) {
      const query = `url=${encodeURIComponent(url)}&w=64&q=75`;
      for (const address of [`/_next/image?${query}`, `/_next/image/?${query}`])
        expect([400, 404], address).toContain((await send(`${door.url}${address}`)).status);
    }
  });
});

/** `true` if browsers would display a page, judged by Content-Type, otherwise by the first character. */
function isPage({ headers, text }: Answer): boolean {
  const type = headers['content-type'];
  return type === undefined ? text.trimStart().startsWith('<') : /html|xml/.test(type);
}
