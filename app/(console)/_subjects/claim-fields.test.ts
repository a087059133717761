import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { FormValues } from '../_kit/draft.ts';
import { Fields } from '../_kit/posted.ts';
import { ClaimFields, claimsOfForm } from './methods.tsx';

const read = (text: string) => claimsOfForm(new Fields([...new URLSearchParams(text)]));

it('a method form renders its claim map and parses it back', () => {
  const config = { claims: { groups: 'memberOf', department: 'ou' } };
  const page = renderToStaticMarkup(createElement(ClaimFields, { typed: new FormValues(null), config }));
  const inputs = [...page.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  const typed = inputs.flatMap((input) => {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    return name ? [[name, /value="([^"]*)"/.exec(input)?.[1] ?? '']] : [];
  });
  expect(read(String(new URLSearchParams(typed)))).toEqual(config.claims);
});

it('empty rows of a claim map are ignored, and rows without a claim name reach validation', () => {
  const row = (name: string, member: string) =>
    read(`config.claims.name=${name}&config.claims.description=${member}`);
  expect(row('', '')).toEqual({});
  expect(row('+a+', '')).toEqual({ a: '' });
  expect(Object.keys(row('__proto__', 'x'))).toEqual(['__proto__']);
});
