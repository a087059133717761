// Concurrent revocations share a statement. Each request revokes tokens of its own client only, and no deadlock occurs.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { endSignIns } from '../endings.ts';
import { query } from '../pool.ts';
import { inTransaction } from '../prisma.ts';
import { revokeAccessToken, revokeByRefreshToken } from './access-tokens.ts';

const run = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>({ text, values });
const personId = await givenBasis(run, { clients: ['shop', 'other'] });

type Given = { clientId: string; familyId: string; tokenHash: Buffer };

async function givenRefreshToken(clientId: string): Promise<Given> {
  const familyId = await givenFamilyRow(run, { personId, clientId, apiId: 'orders' });
  const tokenHash = sha256(randomUUID());
  await run(
    "insert into refresh_tokens (token_hash, family_id, expires_at) values ($1, $2, now() + interval '1 hour')",
    [tokenHash, familyId],
  );
  return { clientId, familyId, tokenHash };
}

const givenMany = (clientIds: string[], count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => givenRefreshToken(clientIds[i % clientIds.length] ?? '')),
  );

const endedFamilies = async () =>
  new Set(
    (await run<{ id: string }>('select id from token_families where revoked_at is not null')).map(
      ({ id }) => id,
    ),
  );

/** Returns the audit events about revoked token families for these request ids. */
const eventsOf = async (requestIds: string[]) =>
  run<{ requestId: string; familyId: string }>(
    `select request_id as "requestId", details->>'family' as "familyId" from audit_events
     where event = 'token.revoked' and request_id = any($1)`,
    [requestIds],
  );

test('concurrent token revocations revoke only token families of the calling client', async () => {
  const given = await givenMany(['shop', 'other'], 80);
  const asked = given.map(({ clientId, familyId, tokenHash }, i) => {
    const own = i % 4 < 2;
    const stranger = clientId === 'shop' ? 'other' : 'shop';
    return {
      familyId,
      own,
      tokenHash,
      clientId: own ? clientId : stranger,
      requestId: randomUUID(),
      ip: null,
    };
  });
  await Promise.all(asked.map(revokeByRefreshToken));
  const ended = await endedFamilies();
  expect(asked.map(({ familyId }) => ended.has(familyId))).toEqual(asked.map(({ own }) => own));
  const events = await eventsOf(asked.map(({ requestId }) => requestId));
  const expected = asked.filter(({ own }) => own);
  expect(new Map(events.map((one) => [one.requestId, one.familyId]))).toEqual(
    new Map(expected.map((one) => [one.requestId, one.familyId])),
  );
});

test('concurrent revocations of one token write one audit event', async () => {
  const { tokenHash } = await givenRefreshToken('shop');
  const asked = Array.from({ length: 20 }, () => ({
    clientId: 'shop',
    requestId: randomUUID(),
    ip: null,
    tokenHash,
  }));
  await Promise.all(asked.map(revokeByRefreshToken));
  expect(await eventsOf(asked.map(({ requestId }) => requestId))).toHaveLength(1);
});

test('a batch of revocations revokes JWT and opaque tokens of the calling client, including exchanged tokens', async () => {
  const families = await givenMany(['shop', 'other'], 40);
  const now = Math.floor(Date.now() / 1000);
  const asked = await Promise.all(
    families.map(async ({ familyId, clientId, tokenHash }, i) => {
      const opaqueHash = i % 8 < 4 ? tokenHash : null;
      const jti = opaqueHash ? undefined : `${familyId}.jti`;
      if (opaqueHash) {
        await run(
          "insert into opaque_tokens (token_hash, family_id, scopes, expires_at) values ($1, $2, '{read}', now() + interval '1 hour')",
          [opaqueHash, familyId],
        );
      }
      const child = await givenFamilyRow(run, { personId, clientId: 'shop', apiId: 'orders' });
      await run(
        'update token_families set parent_id = $2, subject_hash = $3, subject_jti = $4 where id = $1',
        [child, familyId, opaqueHash, jti ?? null],
      );
      const own = i % 4 < 2;
      const by = own ? clientId : clientId === 'shop' ? 'other' : 'shop';
      const access = {
        opaqueHash,
        familyId: opaqueHash ? null : familyId,
        scopes: [],
        issuedAt: now,
        expiresAt: now + 60,
      };
      return {
        own,
        child,
        jti,
        opaqueHash,
        clientId: by,
        requestId: randomUUID(),
        ip: null,
        access: { ...access, ...(jti && { jti }) },
      };
    }),
  );
  // each revocation runs twice
  await Promise.all([...asked, ...asked].map(revokeAccessToken));
  const dead = new Set([
    ...(
      await run<{ id: string }>(
        "select encode(token_hash, 'hex') as id from opaque_tokens where revoked_at is not null",
      )
    ).map(({ id }) => id),
    ...(await run<{ id: string }>('select jti as id from revoked_tokens')).map(({ id }) => id),
  ]);
  const own = asked.map((one) => one.own);
  expect(asked.map(({ jti, opaqueHash }) => dead.has(jti ?? opaqueHash?.toString('hex') ?? ''))).toEqual(own);
  const ended = await endedFamilies();
  expect(asked.map(({ child }) => ended.has(child))).toEqual(own);
  const events = await eventsOf(asked.map(({ requestId }) => requestId));
  // one event for the token, and one for the token family that was exchanged for it
  expect(events.map(({ requestId }) => requestId).toSorted()).toEqual(
    asked
      .filter((one) => one.own)
      .flatMap(({ requestId }) => [requestId, requestId])
      .toSorted(),
  );
  expect(events.map(({ familyId }) => familyId)).toEqual(
    expect.arrayContaining(asked.filter((one) => one.own).map(({ child }) => child)),
  );
});

test('revocation of a user’s tokens during a sign-out everywhere: neither fails, and every token is revoked', async () => {
  for (let round = 0; round < 10; round += 1) {
    const given = await givenMany(['shop'], 60);
    const asked = given.toReversed().map(({ tokenHash }) => ({
      clientId: 'shop',
      requestId: randomUUID(),
      ip: null,
      tokenHash,
    }));
    await Promise.all([
      inTransaction((db) => endSignIns(db, personId, 'test')),
      ...asked.map(revokeByRefreshToken),
    ]);
    const ended = await endedFamilies();
    expect(given.every(({ familyId }) => ended.has(familyId))).toBe(true);
  }
});
