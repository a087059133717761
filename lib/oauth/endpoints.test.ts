// One table of addresses: both doors and the documentation must know exactly the same ones.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sections } from '#lib/reference/described.ts';
import { ISSUER_PATHS } from '#lib/registry/issuers.ts';
import { config } from '../../proxy.ts';
import { declarations, endpoints, hostPatterns } from './endpoints.ts';

const app = fileURLToPath(new URL('../../app', import.meta.url));
/** What a hosted form does, the pictures of our pages, and what crawlers ask for, are no interface. */
const INTERNAL =
  /^\/(login|new-password|confirm|set-up|consent|device|register|logout)\/submit$|^\/login\/passkey$|^\/continue$|^\/client-logo$|^\/logo\/:hash$|^\/robots\.txt$|^\/favicon\.ico$/;

const REST = '/[...path]';
/** These are pages, too, which ask whether it is an issuer's host first (app/_html/html-page.ts). */
const PAGES_AT_HOSTS = ['/logout', '/register'];

/** What Next finds by itself, as patterns. */
const routes = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|\/)(?:route|page)\.tsx?$/.test(file))
  .map((file) => `/${file.replace(/\/?(?:route|page)\.tsx?$/, '')}`.replace(/\/\([^)]+\)/g, ''));
const reaches = (route: string, pattern: string) =>
  new RegExp(
    `^${route
      .replace(/\/\[\[\.{3}\w+\]\]/g, '(?:/.*)?')
      .replace(/\[\.{3}\w+\]/g, '.+')
      .replace(/\[\w+\]/g, '[^/]+')}$`,
  ).test(pattern);

test('every address of the table is mounted behind the Next door: no route or page of Next takes it', () => {
  expect(routes).toContain(REST);
  const known = [...endpoints.map(({ pattern }) => pattern), ...hostPatterns].filter(
    (pattern) => !PAGES_AT_HOSTS.includes(pattern),
  );
  const taken = routes
    .filter((route) => route !== REST)
    .flatMap((route) =>
      known
        .filter((pattern) => reaches(route, pattern))
        .map((pattern) => `app${route} takes ${pattern}: rename one of them`),
    );
  expect(taken).toEqual([]);
});

test('an issuer’s own host has what is under an issuer, and Next’s proxy takes the console, and no address of the table', () => {
  expect(hostPatterns.toSorted()).toEqual(ISSUER_PATHS.toSorted());
  expect(hostPatterns.filter((pattern) => pattern.includes(':'))).toEqual([]);
  const passes = (path: string) => config.matcher.some((one) => new RegExp(`^${one}$`).test(path));
  for (const path of ['/account', '/admin', '/admin/apis/orders', '/developer/submitted'])
    expect(passes(path)).toBe(true);
  for (const path of ['/account/submit/sign-in', '/account/data/file', '/accounts', '/developer/check'])
    expect(passes(path), path).toBe(false);
  const known = [...endpoints.map(({ pattern }) => pattern), ...hostPatterns];
  expect(known.filter(passes)).toEqual([]);
});

const served = endpoints
  .filter(({ pattern }) => !INTERNAL.test(pattern))
  .flatMap(({ pattern, methods }) => methods.map((method) => `${method} ${pattern}`))
  .toSorted();

/** Sentences that say what is missing, and what is too much. */
const unlike = (there: readonly string[], add: string, take: string) => [
  ...served.filter((line) => !there.includes(line)).map((line) => `${line}: ${add}`),
  ...there.filter((line) => !served.includes(line)).map((line) => `${line}: ${take}`),
];
const NO_ROW = 'add its row to lib/oauth/endpoints.ts, or take this away';

test('every method of the table declares its errors, and none that is not there', () => {
  const add = 'add its declaration to lib/oauth/endpoints.ts';
  expect(unlike(Object.keys(declarations), add, NO_ROW)).toEqual([]);
  const silent = Object.entries(declarations).filter(([, { errors }]) => errors.length === 0);
  expect(silent.map(([line]) => `${line}: add what it refuses to its declaration, at least 405`)).toEqual([]);
});

test('every method of the table is documented, and none that is not there', () => {
  const described = sections
    .flatMap((section) => section.endpoints)
    .map(({ method, pattern }) => `${method} ${pattern}`)
    .filter((line) => !/ \/(documentation|openapi\.json)$/.test(line));
  expect(unlike(described, 'add its prose to lib/reference', NO_ROW)).toEqual([]);
});
