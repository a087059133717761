// The account page identifies an agent by the host of its document instead of the name that the agent chose.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ConsentRow } from '#lib/catalogue/people/definition.ts';
import { wordsOf } from '#lib/language/words.ts';
import { Consents } from './panels.tsx';

const CONSENT = {
  id: 'one',
  clientId: 'shop',
  clientName: 'Your Bank',
  logoUri: null,
  clientOrigin: null,
  api: 'orders',
  apiName: 'Orders',
  scopes: [],
  grantedAt: new Date(0),
  lastUsedAt: null,
  devices: [],
} satisfies ConsentRow;
const withdraw = { action: '/account/submit/consent-withdraw', token: '', message: null, faults: {} };
const shown = (over: Partial<ConsentRow>) =>
  renderToStaticMarkup(
    createElement(Consents, { consents: [{ ...CONSENT, ...over }], withdraw, words: wordsOf('en') }),
  );

it('the consents page lists agents separately', () => {
  const page = (clientOrigin: ConsentRow['clientOrigin']) => shown({ clientOrigin });
  expect(page('registration')).toMatch(/<h2[^>]*>Agents<.*Revoke/s);
  expect(page('registration')).toContain('No application may act for you');
  expect(page(null)).toMatch(/<h2[^>]*>Applications with access<.*Revoke/s);
});

it('an agent shows its host or that it registered itself, and other clients show no such label', () => {
  const clientId = 'https://agent.example/client.json';
  expect(shown({ clientId, clientOrigin: 'document' })).toContain('An agent from agent.example');
  const registered = shown({ clientId: 'registered-x', clientOrigin: 'registration' });
  expect(registered).toContain('An agent that registered itself');
  expect(shown({})).not.toContain('agent');
});
