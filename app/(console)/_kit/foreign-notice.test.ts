import { expect, test } from 'vitest';
import { withoutForeignNotice } from './page-start.tsx';

const shown = (site: string | null, done = 'role-granted') =>
  withoutForeignNotice(new Headers(site === null ? {} : { 'sec-fetch-site': site }), {
    done,
    q: 'a',
  });

test.each(['cross-site', 'same-site', 'none'])('a cross-site link (%s) shows no false notice', (site) => {
  expect(shown(site)).toEqual({ q: 'a' });
});

test('the notice “a credential was removed from the address” also appears after a typed address', () => {
  expect(shown('none', 'credential-refused')).toEqual({ done: 'credential-refused', q: 'a' });
});

test.each(['same-origin', null])('a console form (%s) shows its result notice', (site) => {
  expect(shown(site)).toEqual({ done: 'role-granted', q: 'a' });
});
