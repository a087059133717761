// The terms form displays stored values and parses them back unchanged. Invalid values reach the operation, which
// rejects them.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Fields } from '../_kit/posted.ts';
import { TermsFields, termsIn } from './subscription-terms.tsx';

const read = (entries: string[][] | string) => termsIn(new Fields([...new URLSearchParams(entries)]));
const UNESCAPED: Record<string, string> = { '&quot;': '"', '&#x27;': "'", '&amp;': '&' };

it.each([
  {
    requiredClaim: { name: 'groups', values: ['finance', `it's "audit" & co`] },
    maxDays: 30,
    note: 'Ask\nAda',
  },
  {
    requiredClaim: { name: `it's"odd"`, values: Array.from({ length: 100 }, (_, at) => `g${at}`) },
    maxDays: null,
    note: null,
  },
  { requiredClaim: null, maxDays: null, note: null },
])('the form shows stored subscription terms and parses them back unchanged: %#', (of) => {
  const page = renderToStaticMarkup(createElement(TermsFields, { of, typed: null }));
  const note = /<textarea[^>]* name="note"[^>]*>\n?([^<]*)</.exec(page)?.[1] ?? '';
  const inputs = [...page.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
    const [name, value = ''] = ['name', 'value'].map(
      (one) => new RegExp(` ${one}="([^"]*)"`).exec(input)?.[1],
    );
    return name ? [[name, value.replaceAll(/&quot;|&#x27;|&amp;/g, (one) => UNESCAPED[one] ?? one)]] : [];
  });
  expect(read([...inputs, ['note', note]])).toEqual(of);
});

it('empty fields remove the required claim, incomplete input reaches validation, and missing fields change nothing', () => {
  expect(read('requiredClaim.name=+&requiredClaim.values=+')).toEqual({ requiredClaim: null });
  expect(read('requiredClaim.name=groups')).toEqual({ requiredClaim: { name: 'groups', values: [] } });
  expect(read('requiredClaim.name=&requiredClaim.values=x')).toEqual({
    requiredClaim: { name: '', values: ['x'] },
  });
  expect(read('maxDays=a+week')).toEqual({ maxDays: Number.NaN });
  expect(read('action=approve')).toEqual({});
});
