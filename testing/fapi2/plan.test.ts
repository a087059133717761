// The two files of `npm run fapi2-plan` fit each other. lib/oauth/fapi.db.test.ts applies such a registry.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importJWK } from 'jose';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { makePlan, Plan } from './plan.ts';

type Registry = Awaited<ReturnType<typeof makePlan>>['registry'];

test('npm run fapi2-plan: the suite uses the clients, keys and addresses of the registry file', async () => {
  const out = mkdtempSync(path.join(os.tmpdir(), 'fapi2-plan-'));
  try {
    const asked = ['--service', 'https://auth.example/', '--suite', 'https://suite.example', '--out', out];
    execFileSync(process.execPath, ['scripts/fapi2-plan.ts', ...asked]);
    const read = (name: string) => readFileSync(path.join(out, name), 'utf8');
    const plan = JSON.parse(read('plan.json')) as Plan;
    const registry = parse(read('registry.yaml')) as Registry;
    expect(statSync(path.join(out, 'plan.json')).mode & 0o077).toBe(0);

    const [api] = registry.apis;
    const [method] = registry.auth_methods;
    const issuer = `https://auth.example/auth/${method?.id}/api/${api?.id}`;
    expect(plan.server.discoveryUrl).toBe(`${issuer}/.well-known/openid-configuration`);
    expect(plan.resource.resourceUrl).toBe(`${issuer}/userinfo`);
    expect([api?.profile, api?.auth_methods]).toEqual(['fapi-2.0', [method?.id]]);

    const parties = [plan.client, plan.client2];
    expect(registry.clients.map(({ client_id }) => client_id)).toEqual(
      parties.map(({ client_id }) => client_id),
    );
    const callback = `https://suite.example/test/a/${plan.alias}/callback`;
    for (const [at, { client_id, scope, jwks, dpop_signing_alg }] of parties.entries()) {
      const client = registry.clients[at];
      const [key = {}] = jwks.keys;
      // the registry contains the public half of the plan's key
      const known = client?.jwks.keys[0] ?? {};
      expect(key).toMatchObject(known);
      expect(((await importJWK(known)) as CryptoKey).type).toBe('public');
      expect(((await importJWK(key)) as CryptoKey).type).toBe('private');
      expect(['PS256', 'ES256', 'EdDSA']).toContain(key.alg);
      expect(['PS256', 'ES256', 'EdDSA']).toContain(dpop_signing_alg);
      expect(client?.redirect_uris).toEqual([callback, `${callback}?dummy1=lorem&dummy2=ipsum`]);
      expect(client?.token_endpoint_auth_method).toBe('private_key_jwt');
      expect(registry.subscriptions).toContainEqual({ client_id, api: api?.id });
      const own = scope.split(' ').filter((name) => !['openid', 'profile', 'email'].includes(name));
      expect(api?.scopes.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    }
    expect(read('registry.yaml')).not.toContain('  d: ');
  } finally {
    rmSync(out, { recursive: true });
  }
});
