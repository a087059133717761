import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { defaultsOf, field, formFields } from '#lib/registry/definition.ts';
import { everyField } from './methods.tsx';
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

it('a protection that is switched off is shown, alone or in a group of checkboxes', () => {
  const rules = new Map(factsWith({ requireRedirectUri: false })).get('Rules');
  expect(rules).toBe('Requests must name their redirect address: Off');
  const broker = { of: { pkce: false }, defaults: { nonce: true, pkce: true } };
  const proofs = (values: object) =>
    renderToStaticMarkup(createElement(DefinedFacts, { fields: everyField('broker'), ...broker, ...values }));
  expect(proofs({})).toContain('Send a code challenge (PKCE): Off');
  expect(proofs({})).not.toContain('Send a nonce');
  expect(proofs({ of: { pkce: true, nonce: true } })).not.toContain('Off');
  const alone = formFields(z.strictObject({ checked: field(z.boolean().default(true), 'Checked') }));
  const factOf = (checked: boolean) =>
    renderToStaticMarkup(
      createElement(DefinedFacts, { fields: alone, of: { checked }, defaults: { checked: true } }),
    );
  expect(factOf(false)).toContain('<dt>Checked</dt><dd>Off</dd>');
  expect(factOf(true)).toBe('');
});

it('an emptied setting is shown if its default is not empty', () => {
  const texts = formFields(z.strictObject({ scopes: field(z.array(z.string()).default(['a']), 'Scopes') }));
  const factOf = (scopes: string[]) =>
    renderToStaticMarkup(
      createElement(DefinedFacts, { fields: texts, of: { scopes }, defaults: { scopes: ['a'] } }),
    );
  expect(factOf([])).toContain('<dt>Scopes</dt><dd>none</dd>');
  expect(factOf(['a'])).toBe('');
});

it('ids of other objects are links, also in the groups of each role', () => {
  const facts = new Map(factsWith({ groups: ['staff', 'a b'], roles: { editor: [] } }));
  expect(facts.get('Groups')).toBe(
    '<a href="/admin/groups/staff">staff</a>, <a href="/admin/groups/a%20b">a b</a>',
  );
  expect(facts.get('Roles: editor')).toBe('no group');
});
