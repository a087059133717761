// Inspection of a token: its content, signing key and validity, and the actors who can inspect it. Nothing is stored.
import { randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { signAccessToken } from '#lib/tokens/access-token.ts';
import { mint } from '#lib/tokens/formats.ts';
import { givenFamilyRow } from '#testing/data/families.ts';
import { givenClient, givenEmptyRegistry, givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { inspectToken, isSecretText } from './find.ts';
import { OPERATOR } from './policy.ts';

let dev: Person;
let other: Person;
let approver: Person;
let familyId: string;

beforeEach(async () => {
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
  other = await givenPerson('other', 'developer');
  approver = await givenPerson('approver', 'approver');
  await sql('update apis set approvers = $1', [[approver.email]]);
  await givenClient(dev);
  await requestSubscription(dev, { clientId: 'shop', api: 'orders' });
  await sql(`update subscriptions set state = 'approved', trusted = true`);
  familyId = await givenFamilyRow(sql, {
    personId: dev.id,
    clientId: 'shop',
    apiId: 'orders',
    basis: 'trust',
  });
});

async function jwt(): Promise<string> {
  const snapshot = await currentSnapshot();
  const api = snapshot.apis.get('orders');
  if (!api) throw new Error('no API');
  const claims = { issuer: 'http://localhost/auth/local/api/orders', clientId: 'shop', scopes: ['read'] };
  return signAccessToken({ ...claims, api, familyId, sub: dev.id, authTime: new Date() }, snapshot);
}

it('the inspection of a JWT shows claims, key and validity to the client’s owner, the API’s approvers and administrators', async () => {
  const token = await jwt();
  for (const actor of [dev, approver, OPERATOR]) {
    const found = await inspectToken(actor, { token: ` Bearer ${token}\n` });
    expect(found).toMatchObject({ kind: 'jwt', signature: 'ours', lives: true, hasExpired: false });
    expect(found.claims).toMatchObject({ client_id: 'shop', sub: dev.id, aud: 'https://orders.example' });
    expect(found.kid).toMatch(/./);
    expect(JSON.stringify(found)).not.toContain(token.split('.')[2]);
  }
});

it('an unrelated developer sees claims but not validity', async () => {
  expect(await inspectToken(other, { token: await jwt() })).toMatchObject({ signature: 'ours', lives: null });
});

it('the inspection reports a revoked token as invalid', async () => {
  const token = await jwt();
  await sql('update token_families set revoked_at = now()');
  expect(await inspectToken(dev, { token })).toMatchObject({ signature: 'ours', lives: false });
  expect(await inspectToken(other, { token })).toMatchObject({ lives: null });
});

it('the inspection distrusts altered tokens and foreign tokens', async () => {
  const token = await jwt();
  const [head, , tail] = token.split('.');
  const body = Buffer.from(JSON.stringify({ sub: 'me', client_id: 'shop', exp: 9_999_999_999 })).toString(
    'base64url',
  );
  expect(await inspectToken(dev, { token: `${head}.${body}.${tail}` })).toMatchObject({
    signature: 'wrong',
    lives: null,
  });
  const { privateKey } = await generateKeyPair('ES256');
  const foreign = await new SignJWT({ exp: 1 })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey);
  expect(await inspectToken(dev, { token: foreign })).toMatchObject({
    signature: 'unknown-key',
    lives: null,
    hasExpired: true,
  });
});

it('the inspection introspects an opaque token, and reports it as unknown to an unrelated developer', async () => {
  const { value, hash } = mint('access');
  await sql(
    `insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
    values ($1, $2, '{read}', now() + interval '1 minute')`,
    [hash, familyId],
  );
  for (const actor of [dev, approver, OPERATOR])
    expect(await inspectToken(actor, { token: value })).toMatchObject({
      kind: 'opaque',
      lives: true,
      claims: { client_id: 'shop', scope: 'read' },
    });
  const nothing = await inspectToken(other, { token: mint('access').value });
  expect(await inspectToken(other, { token: value })).toEqual(nothing);
  expect(nothing).toMatchObject({ kind: 'opaque', lives: null, claims: {} });
});

it.each([
  mint('code').value,
  mint('clientSecret').value,
  mint('session').value,
  mint('mail').value,
  'eyJ.x.y',
])('the inspection recognizes a credential that is not a token, and does not look it up', async (token) => {
  expect(isSecretText(token)).toBe(true);
  expect(await inspectToken(dev, { token })).toMatchObject({ kind: 'other', claims: {} });
});

it('the inspection does not treat names, ids and addresses as secrets', () => {
  for (const text of [
    'shop',
    'dev@example.com',
    randomUUID(),
    'https://shop.example/cb',
    'gatehouse',
    'shop orders',
    'DPoP rollout',
    'Basic plan',
    'password: reset',
  ])
    expect(isSecretText(text), text).toBe(false);
});

it('an inspected token never appears in the audit log', async () => {
  const token = await jwt();
  await inspectToken(dev, { token });
  const nobody = await givenPerson('nobody');
  await expect(inspectToken(nobody, { token })).rejects.toMatchObject({ kind: 'forbidden' });
  const rows = await sql<{ text: string }>('select e::text as text from audit_events e');
  expect(rows.map(({ text }) => text).join('\n')).not.toContain(token.slice(-20));
});

it('limit: 100 token inspections per user in 15 minutes', async () => {
  await sql('delete from attempts');
  const ask = (actor: Person | typeof OPERATOR) => inspectToken(actor, { token: 'none of ours' });
  const first = await Promise.allSettled(Array.from({ length: 101 }, () => ask(dev)));
  expect(first.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await expect(ask(dev)).rejects.toMatchObject({ kind: 'slow-down', retryAfterSeconds: expect.any(Number) });
  expect(await ask(other)).toMatchObject({ kind: 'other' });
  expect(await ask(OPERATOR)).toMatchObject({ kind: 'other' });
});
