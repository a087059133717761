// An exchanged token family ends with its parent token family, whether the exchange or the revocation runs first.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { query } from '../pool.ts';
import { currentSnapshot } from '../snapshot.ts';
import { findLiveToken } from './access-tokens.ts';
import { exchangeToken } from './exchange.ts';
import { revokeFamily } from './refresh-tokens.ts';

const context = { requestId: 'test', ip: null };
const run = (text: string, values: unknown[] = []) => query({ text, values });
const personId = await givenBasis(run, { format: 'opaque', trusted: true });

const family = () => givenFamilyRow(run, { personId, clientId: 'shop', apiId: 'orders', basis: 'trust' });

async function exchange(parentId: string | null, notAfter = Math.floor(Date.now() / 1000) + 300) {
  const [familyId, opaqueHash] = [randomUUID(), randomBytes(32)];
  const input = { clientId: 'shop', apiId: 'orders', authMethodId: 'local', personId, scopes: ['read'] };
  const { version } = await currentSnapshot();
  const expiresAt = await exchangeToken({
    version,
    basis: 'exchange',
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
    strength: { acrLevel: null, amr: null },
    asksFactor: false,
  });
  return { familyId, opaqueHash, expiresAt };
}

const isAlive = async (opaqueHash: Uint8Array) => {
  const access = { opaqueHash, familyId: null, scopes: [], issuedAt: 0, expiresAt: 0 };
  const { version } = await currentSnapshot();
  return (await findLiveToken({ version, askedBy: null, refreshHash: null, access })) !== null;
};

test('when a token family is revoked, all families exchanged from it are revoked, and no other family', async () => {
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

test('concurrent revocation and exchange leave no active token', async () => {
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

test('an exchanged token expires with its subject token, and an expired subject token cannot be exchanged', async () => {
  const end = Math.floor(Date.now() / 1000) + 120;
  expect((await exchange(null, end)).expiresAt).toBe(end);
  expect((await exchange(null, end - 300)).expiresAt).toBeNull();
});
