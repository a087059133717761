import { expect, test } from 'vitest';
import { withoutForeignNotice } from './page-start.tsx';

const shown = (site: string | null, done = 'role-granted') =>
  withoutForeignNotice(new Headers(site === null ? {} : { 'sec-fetch-site': site }), {
    done,
    q: 'a',
  });

test.each(['cross-site', 'same-site', 'none'])(
  'a link from elsewhere (%s) makes no page say what was not done',
  (site) => {
    expect(shown(site)).toEqual({ q: 'a' });
  },
);

test('an address that was typed with a credential keeps its notice', () => {
  expect(shown('none', 'credential-refused')).toEqual({ done: 'credential-refused', q: 'a' });
});

test.each(['same-origin', null])('after a form of ours (%s) the page says what it did', (site) => {
  expect(shown(site)).toEqual({ done: 'role-granted', q: 'a' });
});
