// Addresses that browsers, password managers and crawlers request from every site.
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';

beforeAll(() => givenFixtures());

test('W3C change-password §3: the well-known address redirects to the page that changes a password', async () => {
  const answer = await ask('/.well-known/change-password');
  expect(answer.status).toBe(302);
  expect(locationOf(answer)).toBe('http://localhost:3000/account/password');
});

test('W3C change-password §3: the well-known address returns 404 if no method stores passwords', async () => {
  await sql("update auth_methods set type = 'external' where type = 'local'");
  const answer = await ask('/.well-known/change-password');
  await sql("update auth_methods set type = 'local' where id = 'pw'");
  expect([answer.status, answer.headers['location'], jsonOf(answer)['error']]).toEqual([
    404,
    undefined,
    'not_found',
  ]);
  expect((await ask('/.well-known/change-password')).status).toBe(302);
});

test('W3C passkey-endpoints §3: the document names the pages to add and to manage passkeys', async () => {
  expect(jsonOf(await ask('/.well-known/passkey-endpoints'))).toEqual({
    enroll: 'http://localhost:3000/account/security/add',
    manage: 'http://localhost:3000/account/security',
  });
});

test('RFC 9309: robots.txt excludes crawlers, and favicon.ico redirects to the icon', async () => {
  const robots = await ask('/robots.txt');
  expect(robots.headers['content-type']).toMatch(/^text\/plain/);
  expect(String(robots.body)).toBe('User-agent: *\nDisallow: /\n');
  expect(locationOf(await ask('/favicon.ico'))).toBe('/icon.svg');
});
