import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { defaultsOf, formFields } from '#lib/registry/definition.ts';
import { DefinedFacts } from './object-facts.tsx';

const defaults = defaultsOf(api);
const factsWith = (values: Record<string, unknown>) => {
  const html = renderToStaticMarkup(
    createElement(DefinedFacts, {
      fields: formFields(api),
      of: { ...defaults, id: 'orders', url: 'https://api.example/orders', ...values },
      defaults,
      links: { groups: '/admin/groups' },
    }),
  );
  return [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(
    ([, name, value]) => [name, value] as const,
  );
};
const BARE = factsWith({}).map(([name]) => name);

it('the facts of an object show its changed settings, and those that the definition always shows', () => {
  expect(BARE).toContain('Sign-in methods');
  expect(new Map(factsWith({})).get('Approvers')).toBe('All approvers and administrators');
  expect(BARE).not.toContain('Gateway cache (seconds)');
  expect(BARE).not.toContain('Name');
  expect(new Map(factsWith({ verifyCache: 10 })).get('Gateway cache (seconds)')).toBe('10');
});

it('a duration is shown in words, a choice by its label, and checkboxes of a group together', () => {
  const facts = new Map(factsWith({ accessTokenTtlSeconds: 7_200, dpop: 'required', requireScope: true }));
  expect(facts.get('Access token lifetime')).toBe('2 hours');
  expect(facts.get('Bound to keys (DPoP)')).toMatch(/^Always /);
  expect(facts.get('Rules')).toBe(
    'Requests must name their redirect address; Requests must name their scopes',
  );
});

it('ids of other objects are links, also in the groups of each role', () => {
  const facts = new Map(factsWith({ groups: ['staff', 'a b'], roles: { editor: [] } }));
  expect(facts.get('Groups')).toBe(
    '<a href="/admin/groups/staff">staff</a>, <a href="/admin/groups/a%20b">a b</a>',
  );
  expect(facts.get('Roles: editor')).toBe('no group');
});
