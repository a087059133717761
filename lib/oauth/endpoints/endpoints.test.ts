// One table of addresses: both doors and the documentation must know exactly the same ones.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { config } from '../../../proxy.ts';
import { sections } from '../../reference/index.ts';
import { declarations } from '../declarations/declarations.ts';
import { hostPatterns } from './dispatch.ts';
import { endpoints } from './endpoints.ts';

const app = fileURLToPath(new URL('../../../app', import.meta.url));
/** Addresses that are Next's alone: no rule of the protocol stands behind them; and the rest of /auth/, which is 404. */
const OTHERS = /^\/(openapi\.json|api\/|metrics$|account|developer|admin|auth\/\[\.\.\.path\]$)/;
/** What a hosted form does, and the pictures of our pages, are no interface. */
const INTERNAL =
  /^\/(login|confirm|set-up|consent|register|logout)\/submit$|^\/login\/passkey$|^\/continue$|^\/client-logo$|^\/logo\/:hash$/;

const mounted = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('/route.ts'))
  .map((file) => `/${file.slice(0, -'/route.ts'.length)}`)
  .map((route) => route.replace(/\/\([^)]+\)/g, '').replace(/\[(\w+)\]/g, ':$1'))
  .filter((route) => !OTHERS.test(route));

test('every address of the table is mounted behind the Next door, and none besides', () => {
  // these two are pages, too, which ask whether it is an issuer's host first (app/_html/html-page.ts)
  const atHosts = hostPatterns.filter((pattern) => !['/logout', '/register'].includes(pattern));
  const known = [...endpoints.map(({ pattern }) => pattern), ...atHosts];
  expect(mounted.toSorted()).toEqual(known.toSorted());
});

test('an issuer’s own host has what is under an issuer, and Next’s proxy leaves it alone', () => {
  expect(hostPatterns).toEqual(
    expect.arrayContaining(['/authorize', '/jwks', '/logout', '/token', '/.well-known/openid-configuration']),
  );
  expect(hostPatterns.filter((pattern) => pattern.includes(':'))).toEqual([]);
  const passes = new RegExp(`^${config.matcher[0]}$`);
  expect(passes.test('/admin')).toBe(true);
  expect(hostPatterns.filter((pattern) => passes.test(pattern))).toEqual([]);
});

const served = endpoints
  .filter(({ pattern }) => !INTERNAL.test(pattern))
  .flatMap(({ pattern, methods }) => methods.map((method) => `${method} ${pattern}`))
  .toSorted();

test('every method of the table is declared, and none that is not there', () => {
  expect(Object.keys(declarations).toSorted()).toEqual(served);
});

test('every method of the table is documented, and none that is not there', () => {
  const described = sections
    .flatMap((section) => section.endpoints)
    .map(({ method, pattern }) => `${method} ${pattern}`)
    .filter((line) => !/ \/(documentation|openapi\.json)$/.test(line));
  expect(described.toSorted()).toEqual(served);
});
