import { expect, test } from 'vitest';
import { whyForeignPost } from './navigation.ts';

const OWN = 'https://login.example';

test.each<[origin: string | undefined, site: string | undefined]>([
  [OWN, undefined],
  [OWN, 'same-origin'],
  // a browser sends this from Gatehouse's own page under `Referrer-Policy: no-referrer` (Fetch §3.2)
  ['null', 'same-origin'],
])('a form with Origin %s and Sec-Fetch-Site %s is from a Gatehouse page', (origin, site) => {
  expect(whyForeignPost({ headers: { origin, 'sec-fetch-site': site } }, OWN)).toBeNull();
});

test.each<[origin: string | undefined, site: string | undefined, why: RegExp]>([
  [
    'null',
    undefined,
    /^Origin is null and .*Referrer-Policy: no-referrer\? See docs\/operate\/deploy-node\.md$/,
  ],
  ['null', 'cross-site', /^Sec-Fetch-Site is cross-site$/],
  ['null', 'same-site', /^Sec-Fetch-Site is same-site$/],
  ['null', 'none', /^Sec-Fetch-Site is none$/],
  ['null', '', /^Sec-Fetch-Site is $/],
  ['null', 'same-origin, same-origin', /^Sec-Fetch-Site is /],
  ['null', 'Same-Origin', /^Sec-Fetch-Site is /],
  ['null, null', 'same-origin', /^Origin is null, null, not /],
  ['NULL', 'same-origin', /^Origin is NULL, not /],
  [undefined, undefined, /^Origin is missing$/],
  [undefined, 'same-origin', /^Origin is missing$/],
  ['', 'same-origin', /^Origin is , not /],
  ['https://evil.example', undefined, /^Origin is https:\/\/evil\.example, not https:\/\/login\.example$/],
  ['https://evil.example', 'same-origin', /^Origin is https:\/\/evil\.example, not /],
  [`${OWN}.evil.example`, undefined, /^Origin is /],
  [`${OWN}, ${OWN}`, undefined, /^Origin is /],
  [OWN, 'cross-site', /^Sec-Fetch-Site is cross-site$/],
  [OWN, 'same-site', /^Sec-Fetch-Site is same-site$/],
])(
  'a form with Origin %s and Sec-Fetch-Site %s is from another site, and the reason names the deciding header',
  (origin, site, why) => {
    expect(whyForeignPost({ headers: { origin, 'sec-fetch-site': site } }, OWN)).toMatch(why);
  },
);

test('the reason of a rejection is shorter than 400 characters, for any header', () => {
  for (const headers of [{ origin: 'x'.repeat(9_000) }, { origin: OWN, 'sec-fetch-site': 'x'.repeat(9_000) }])
    expect(whyForeignPost({ headers }, OWN)?.length).toBeLessThan(400);
});
