import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PublishedApi } from '#lib/oauth/index.ts';
import { snippetsFor } from './index.ts';

const base = 'http://localhost:3000/auth/local/api/orders';
const issuer = {
  issuer: base,
  authorizationEndpoint: `${base}/authorize`,
  tokenEndpoint: `${base}/token`,
  jwksUri: `${base}/jwks`,
} as PublishedApi['issuers'][number];
const api = {
  id: 'orders',
  url: 'https://api.example/orders',
  scopes: [{ name: 'orders:read', description: '' }],
} as unknown as PublishedApi;
const kinds = ['confidential', 'browser', 'native'] as const;

describe.each(kinds)('code for a %s client', (kind) => {
  const client = { clientId: 'shop', kind, redirectUris: ['https://shop.example/cb'] };
  const snippets = snippetsFor({ client, api, issuer, scopes: [] });

  it('is JavaScript where it says so', () => {
    for (const { label, code } of snippets.filter((one) => one.label.startsWith('JavaScript'))) {
      expect(() => stripTypeScriptTypes(code), label).not.toThrow();
    }
  });

  it('has the real values filled in, and no secret unless the client has one', () => {
    for (const { label, code } of snippets) {
      expect(code, label).toContain('shop');
      expect(code, label).toContain(base);
      expect(/secret/i.test(code), label).toBe(kind === 'confidential');
    }
  });
});

it('Spring’s is YAML with the addresses of the combination', () => {
  const client = {
    clientId: 'shop',
    kind: 'confidential' as const,
    redirectUris: ['https://shop.example/cb'],
  };
  const spring = snippetsFor({ client, api, issuer, scopes: ['orders:read'] }).find((one) =>
    one.label.includes('Spring'),
  );
  const settings = parse(spring?.code ?? '').spring.security.oauth2.client;
  expect(settings.provider.gatehouse['token-uri']).toBe(`${base}/token`);
  expect(settings.registration.gatehouse.scope).toEqual(['orders:read']);
});
