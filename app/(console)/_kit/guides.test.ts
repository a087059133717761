import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findGuide } from '#app/documentation/_guides/guides.tsx';
import { GUIDES, guideOfPage } from './frame.tsx';
import { REFUSED_PAGE } from './refused-page.ts';

test('every console page has a guide', () => {
  const parts = globSync('app/(console)/{account,developer,admin}/**/page.tsx').map(
    (file) => `/${file.split('/').slice(2, -1).slice(0, 2).join('/')}`,
  );
  expect(parts.length).toBeGreaterThan(40);
  // an error page links to the guide of the requested address
  const missing = [...new Set(parts)].filter((part) => part !== REFUSED_PAGE && !Object.hasOwn(GUIDES, part));
  expect(missing.map((part) => `add ${part} to app/(console)/_kit/frame.tsx`)).toEqual([]);
  expect(Object.keys(GUIDES).filter((part) => !parts.includes(part))).toEqual([]);
});

test('every guide and heading to which the console links exists', () => {
  const requests = guideOfPage('/developer/clients/shop/requests?show=failed').split('/').at(-1) ?? '';
  expect(requests).toContain('#');
  const dead = [...Object.values(GUIDES), requests].filter((address) => {
    const [id = '', anchor] = address.split('#');
    const guide = findGuide(id);
    return !guide || (anchor !== undefined && !guide.headings.some((heading) => heading.id === anchor));
  });
  expect(dead).toEqual([]);
});
