// A family that an exchange made ends with the family it came from, whoever is faster.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { givenFamilyRow } from '../../scripts/testing/families.ts';
import { currentSnapshot, exchangeToken, findLiveToken, revokeFamily } from './index.ts';
import { query } from './pool.ts';

const context = { requestId: 'test', ip: null };
let personId: string;

beforeAll(async () => {
  const run = (text: string, values: unknown[] = []) => query({ text, values });
  await run("insert into auth_methods (id, type, name) values ('local', 'local', 'Local')");
  await run(`insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl, refresh_family_ttl)
    values ('orders', 'Orders', 'https://api.example/orders', 600, 'opaque', 'ES256', 600, 600)`);
  await run("insert into combinations (auth_method_id, api_id) values ('local', 'orders')");
  await run(
    "insert into clients (client_id, name, confidential, application_type) values ('shop', 'Shop', true, 'web')",
  );
  await run(
    "insert into subscriptions (client_id, api_id, state, trusted) values ('shop', 'orders', 'approved', true)",
  );
  const [person] = await query<{ id: string }>({
    text: 'insert into people default values returning id',
    values: [],
  });
  personId = person?.id ?? '';
});

async function family(): Promise<string> {
  const run = (text: string, values: unknown[]) => query({ text, values });
  return givenFamilyRow(run, { personId, clientId: 'shop', apiId: 'orders', basis: 'trust' });
}

async function exchange(parentId: string | null, notAfter = Math.floor(Date.now() / 1000) + 300) {
  const [familyId, opaqueHash] = [randomUUID(), randomBytes(32)];
  const input = { clientId: 'shop', apiId: 'orders', authMethodId: 'local', personId, scopes: ['read'] };
  const expiresAt = await exchangeToken({
    ...input,
    ...context,
    familyId,
    opaqueHash,
    epochs: null,
    subject: parentId === null ? null : { familyId: parentId, jti: null, opaqueHash: null },
    exchangeDepth: 1,
    ceilings: null,
    notAfter,
    authTime: new Date(),
    act: { sub: 'somebody' },
  });
  return { familyId, opaqueHash, expiresAt };
}

const isAlive = async (opaqueHash: Uint8Array) => {
  const access = { opaqueHash, familyId: null, scopes: [], issuedAt: 0, expiresAt: 0 };
  const { version } = await currentSnapshot();
  return (await findLiveToken({ version, askedBy: null, refreshHash: null, access })) !== null;
};

test('what was exchanged ends with the family it came from, down the whole chain, and nothing else does', async () => {
  const parent = await family();
  const child = await exchange(parent);
  const grandchild = await exchange(child.familyId);
  const other = await exchange(await family());
  expect(await isAlive(grandchild.opaqueHash)).toBe(true);
  await revokeFamily(parent, 'test', 'token.revoked', context);
  expect(await isAlive(child.opaqueHash)).toBe(false);
  expect(await isAlive(grandchild.opaqueHash)).toBe(false);
  expect(await isAlive(other.opaqueHash)).toBe(true);
});

test('of a revocation and an exchange at once no token survives', async () => {
  for (let round = 0; round < 50; round += 1) {
    const parent = await family();
    const [exchanged] = await Promise.all([
      exchange(parent),
      revokeFamily(parent, 'test', 'token.revoked', context),
    ]);
    expect(await isAlive(exchanged.opaqueHash)).toBe(false);
    expect((await exchange(parent)).expiresAt).toBeNull();
  }
});

test('an exchange ends by the second that the subject token ends, and not after it has', async () => {
  const end = Math.floor(Date.now() / 1000) + 120;
  expect((await exchange(null, end)).expiresAt).toBe(end);
  expect((await exchange(null, end - 300)).expiresAt).toBeNull();
});
