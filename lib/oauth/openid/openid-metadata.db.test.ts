// The metadata of issuers of each kind of method, over requests to the protocol's core.
import { beforeAll, expect, test } from 'vitest';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

beforeAll(givenFixtures);

for (const method of ['pw', 'ext', 'brk']) {
  test(`RFC 8414 §3.2: no list in the metadata of an issuer of ${method} is empty`, async () => {
    const metadata = jsonOf(await ask(`/auth/${method}/api/orders/.well-known/openid-configuration`));
    const lists = Object.entries(metadata).filter(([, value]) => Array.isArray(value));
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter(([, value]) => (value as unknown[]).length === 0)).toEqual([]);
    expect('acr_values_supported' in metadata).toBe(method !== 'brk');
  });
}
