// The table of endpoints, the route files of app/ and the documentation list the same addresses.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { normalizeAppPath } from 'next/dist/shared/lib/router/utils/app-paths.js';
import { getRouteMatcher } from 'next/dist/shared/lib/router/utils/route-matcher.js';
import { getRouteRegex } from 'next/dist/shared/lib/router/utils/route-regex.js';
import { sortSortableRoutes } from 'next/dist/shared/lib/router/utils/sortable-routes.js';
import { describe, expect, test } from 'vitest';
import { sections } from '#lib/reference/described.ts';
import { ISSUER_PATHS } from '#lib/registry/issuers.ts';
import { config } from '../../proxy.ts';
import { declarations, endpoints, handleRow, hostPatterns } from './endpoints.ts';
import { handleHealth, handleReady } from './site-files.ts';

const app = fileURLToPath(new URL('../../app', import.meta.url));
/** Addresses that are no interface: forms of hosted pages, pictures of pages, and files that crawlers request. */
const INTERNAL =
  /^\/(login|new-password|confirm|set-up|consent|device|register|logout)\/submit$|^\/login\/passkey$|^\/continue$|^\/client-logo$|^\/logo\/:hash$|^\/robots\.txt$|^\/favicon\.ico$/;

const UNLISTED = '/[...path]';
/**
 * Pages that also exist at the hosts of issuers: they first check whether the host is an issuer's
 * (app/_html/html-page.ts).
 */
const PAGES_AT_HOSTS = ['/logout', '/register'];

/** Route files and pages of app/, with the path that Next gives them. */
const routes = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|\/)(?:route|page)\.tsx?$/.test(file))
  .map((file) => ({
    file,
    path: normalizeAppPath(`/${file.replace(/\.tsx?$/, '')}`),
    text: readFileSync(`${app}/${file}`, 'utf8'),
  }));
const ofProtocol = routes.filter(({ text }) => text.includes('protocolRoute('));
const patternOf = ({ path }: { path: string }) => path.replaceAll(/\[(\w+)\]/g, ':$1');
const fileOf = (pattern: string) => routes.filter((route) => patternOf(route) === pattern)[0]?.file;

/** The route file or page to which Next resolves a path, by Next's order and regular expressions. */
const inOrder = sortSortableRoutes(routes.map(({ path }) => ({ page: path, sourcePage: path }))).map(
  ({ page }) => ({ page, matches: getRouteMatcher(getRouteRegex(page)) }),
);
const resolve = (path: string) => {
  const page = inOrder.find(({ matches }) => matches(path))?.page;
  return routes.find((route) => route.path === page)?.file;
};

describe('route files of app/', () => {
  test('each row of the endpoint table has one route file, and each route file has one row', () => {
    const rows = endpoints.map(({ pattern }) => pattern).toSorted();
    expect(new Set(rows).size).toBe(rows.length);
    expect(ofProtocol.map(patternOf).toSorted()).toEqual(rows);
    expect(routes.map(({ path }) => path)).toContain(UNLISTED);
  });

  // the import of a file with a wrong handler throws
  test.each(ofProtocol)(
    '$file names the address pattern and the handlers of its row, and exports all methods',
    async (route) => {
      const [, named] = /protocolRoute\(\s*'([^']+)'/.exec(route.text) ?? [];
      expect(named).toBe(patternOf(route));
      const exported = (await import(`${app}/${route.file}`)) as Record<string, unknown>;
      const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
      expect(Object.keys(exported).toSorted()).toEqual([...methods, 'dynamic']);
      expect(exported['dynamic']).toBe('force-dynamic');
    },
  );

  test('handleRow throws an error for an unknown pattern, a missing handler and a wrong handler', () => {
    expect(handleRow('/health', { GET: handleHealth })).toBeTypeOf('function');
    for (const [pattern, handlers] of [
      ['/nothing', { GET: handleHealth }],
      ['/health', {}],
      ['/health', { GET: handleReady }],
      ['/health', { GET: handleHealth, POST: handleHealth }],
    ] as const)
      expect(() => handleRow(pattern, handlers)).toThrow('has other handlers');
  });

  test.each(endpoints)('Next resolves $pattern to its route file', ({ pattern }) => {
    // ids that equal static names at the same place in a path
    for (const id of ['x', 'callback', 'token', 'api', 'well-known', 'x.json', 'submit']) {
      const path = pattern.replaceAll(/:\w+/g, id);
      expect(resolve(path), path).toBe(fileOf(pattern));
    }
  });

  test('Next resolves an unknown address at an issuer’s host to the route for unknown addresses', () => {
    for (const path of [...hostPatterns, '/realms/a/protocol/openid-connect/token', '/nothing', '/auth/pw'])
      if (!PAGES_AT_HOSTS.includes(path)) expect(resolve(path), path).toBe('[...path]/route.ts');
  });
});

test('an issuer’s host serves the paths below the issuer, and Next’s proxy handles only console pages', () => {
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

/** Returns sentences about missing lines, and about lines without an endpoint. */
const unlike = (there: readonly string[], add: string, take: string) => [
  ...served.filter((line) => !there.includes(line)).map((line) => `${line}: ${add}`),
  ...there.filter((line) => !served.includes(line)).map((line) => `${line}: ${take}`),
];
const NO_ROW = 'add its row to lib/oauth/endpoints.ts, or take this away';

test('the endpoint table and the declarations list the same methods, and each method has errors', () => {
  const add = 'add its declaration to lib/oauth/endpoints.ts';
  expect(unlike(Object.keys(declarations), add, NO_ROW)).toEqual([]);
  const silent = Object.entries(declarations).filter(([, { errors }]) => errors.length === 0);
  expect(silent.map(([line]) => `${line}: add what it refuses to its declaration, at least 405`)).toEqual([]);
});

test('the endpoint table and the documentation list the same methods', () => {
  const described = sections
    .flatMap((section) => section.endpoints)
    .map(({ method, pattern }) => `${method} ${pattern}`)
    .filter((line) => !/ \/(documentation|openapi\.json)$/.test(line));
  expect(unlike(described, 'add its prose to lib/reference', NO_ROW)).toEqual([]);
});
