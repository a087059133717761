// The part of an authorize request that is stored while the user is on Gatehouse pages.
import { beforeAll, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { ask, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

const CALLBACK = 'https://shop.example/cb';
/**
 * Maximum length of the stored request, because Node rejects a request with 431 if its address and headers
 * exceed 16 KiB.
 */
const SHORT = 12_000;

beforeAll(async () => {
  await givenFixtures();
  await givenTrustedClients(['shop']);
});

const authorize = async (more: Record<string, string>) => {
  const query = { client_id: 'shop', redirect_uri: CALLBACK, response_type: 'code', state: 's', ...more };
  return locationOf(await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`));
};

test('unread parameters do not lengthen the sign-in page address', async () => {
  const page = await authorize({ scope: 'openid' });
  const other = await authorize({ scope: 'openid', utm_content: 'x'.repeat(14_000) });
  expect(new URL(page).pathname).toBe(new URL(other).pathname);
  expect(other.length).toBe(page.length);
});

test.each<[characters: number, isKept: boolean]>([
  [7_900, true],
  [8_192, false],
  [14_000, false],
])(
  'a parameter of %i characters reaches the sign-in page: %s (if false, the application receives an error)',
  async (characters, isKept) => {
    const location = await authorize({ scope: 'openid', login_hint: 'x'.repeat(characters) });
    expect(location.length).toBeLessThan(SHORT);
    const { origin, searchParams } = new URL(location);
    expect(origin).toBe(isKept ? settings().baseUrl : 'https://shop.example');
    expect(searchParams.get('error')).toBe(isKept ? null : 'invalid_request');
    expect(searchParams.get('error_description')).toBe(isKept ? null : 'The request is too long.');
    expect(searchParams.get('state')).toBe(isKept ? null : 's');
  },
);
