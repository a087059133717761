import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Fields } from '../_forms/fields.ts';
import { FormValues } from '../_visit/form-values.ts';
import { ClaimFields, claimsOfForm } from './claim-fields.tsx';

const read = (text: string) => {
  const typed = new Fields([...new URLSearchParams(text)]);
  return claimsOfForm((name) => typed.all(name));
};

it('the form of a method shows its map and reads the same one back', () => {
  const config = { claims: { groups: 'memberOf', department: 'ou' }, trust_email: true };
  const page = renderToStaticMarkup(createElement(ClaimFields, { typed: new FormValues(null), config }));
  const inputs = [...page.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  const typed = inputs.flatMap((input) => {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? (input.includes('checkbox') ? 'on' : '');
    return name ? [[name, value]] : [];
  });
  expect(read(String(new URLSearchParams(typed)))).toEqual(config);
});

it('empty rows are nothing, and a row without a member is for the operation to refuse', () => {
  expect(read('claimName=&claimMember=')).toEqual({ claims: {}, trust_email: false });
  expect(read('claimName=+a+&claimMember=')).toEqual({ claims: { a: '' }, trust_email: false });
  expect(Object.keys(read('claimName=__proto__&claimMember=x')['claims'] ?? {})).toEqual(['__proto__']);
});
