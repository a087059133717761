// "Revoke all" of a client: its counts, the tokens that it revokes, and the actors who can run it. endings.db.test.ts
// tests that it also affects requests in progress.
import { beforeEach, expect, it } from 'vitest';
import { OPERATOR } from '#lib/management/policy.ts';
import { findLiveMachineToken, giveMachineToken } from '#lib/store/hot/access-tokens.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  AUTH_METHOD,
  authorize,
  type Given,
  givenSession,
  givenSubscribedShop,
  hash,
  isLiving,
  redeem,
} from '#testing/data/issuing.ts';
import { givenPerson, type Person, refusal, SHOP, sql } from '#testing/data/registry.ts';
import { previewClientRevocation, readClient, revokeClient } from './operations.ts';

type NewMachineToken = Parameters<typeof giveMachineToken>[0];
const CLIENT = { clientId: SHOP.clientId };
let alice: Person;

beforeEach(async () => {
  alice = await givenSubscribedShop();
});

async function machineToken(): Promise<NewMachineToken> {
  const { version } = await currentSnapshot();
  const of = { clientId: 'shop', apiId: 'orders', authMethodId: AUTH_METHOD, issuerHost: null };
  return { version, ...of, tokenHash: hash(), scopes: ['read'], requestId: 'test', ip: null };
}
const isLive = async ({ tokenHash }: NewMachineToken) => {
  const { version } = await currentSnapshot();
  return (await findLiveMachineToken({ version, tokenHash, askedBy: null })) !== null;
};

it('revoking a client revokes and counts token families, machine tokens, consents and delegations, and the client stays enabled', async () => {
  await sql(`update clients set confidential = true where client_id = 'shop'`);
  await sql(`update subscriptions set machine = true, state = 'approved'`);
  const bob = await givenPerson('bob');
  const session = await givenSession(alice);
  const [first, second] = [await redeemed(session), await redeemed(session)];
  const codeInFlight = (await authorize(session, 'consent')) as Buffer;
  await sql(
    `insert into delegations (person_id, client_id, api_id, scopes, until) values ($1, 'shop', 'orders', '{read}', now() + interval '1 day')`,
    [bob.id],
  );
  const own = await machineToken();
  expect(await giveMachineToken(own)).toBe('given');

  const all = { tokens: 3, consents: 1, delegations: 1, people: 2 };
  expect(await previewClientRevocation(OPERATOR, CLIENT)).toEqual(all);
  expect(await revokeClient(OPERATOR, CLIENT)).toEqual(all);
  expect([await isLiving(first), await isLiving(second), await isLive(own)]).toEqual([false, false, false]);
  expect(await redeem(codeInFlight)).toBeNull();
  expect(await authorize(session, 'consent')).toBeNull();
  expect(await previewClientRevocation(OPERATOR, CLIENT)).toEqual({
    tokens: 0,
    consents: 0,
    delegations: 0,
    people: 0,
  });
  const [event] = await sql<{ details: unknown }>(
    `select details from audit_events where event = 'client.revoked' and client_id = 'shop'`,
  );
  expect(event?.details).toEqual(all);
  expect((await readClient(OPERATOR, CLIENT)).disabled).toBe(false);
  // tokens that are issued after the revocation are valid
  const again = await givenSession(alice);
  expect(await isLiving(await redeemed(again))).toBe(true);
});

async function redeemed(session: Buffer): Promise<Given> {
  return (await redeem((await authorize(session, 'consent')) as Buffer)) as Given;
}

it('if a client is revoked during machine requests, earlier tokens are revoked and counted, and later tokens are valid', async () => {
  await sql(`update clients set confidential = true where client_id = 'shop'`);
  await sql(`update subscriptions set machine = true, state = 'approved'`);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const given: NewMachineToken[] = [];
    let over = false;
    const asking = Array.from({ length: 8 }, async () => {
      while (!over) {
        const token = await machineToken();
        if ((await giveMachineToken(token).catch(() => 'changed')) === 'given') given.push(token);
      }
    });
    while (given.length < 8) await new Promise((soon) => setTimeout(soon, 1));
    const before = [...given];
    await revokeClient(OPERATOR, CLIENT);
    over = true;
    await Promise.all(asking);
    const { tokens } = await previewClientRevocation(OPERATOR, CLIENT);
    const living = await Promise.all(given.map(isLive));
    expect(living.slice(0, before.length)).toEqual(before.map(() => false));
    // the count can include the token of a request that was in progress and whose token was revoked when the
    // request ended
    expect(living.filter(Boolean).length).toBeLessThanOrEqual(tokens);
    await revokeClient(OPERATOR, CLIENT);
    expect((await Promise.all(given.map(isLive))).some(Boolean)).toBe(false);
  }
});

it('a user cannot revoke the access of another owner’s client', async () => {
  const other = await givenPerson('other', 'developer');
  expect((await refusal(revokeClient(other, CLIENT)))?.kind).toBe('not-found');
  expect((await refusal(previewClientRevocation(other, CLIENT)))?.kind).toBe('not-found');
});
