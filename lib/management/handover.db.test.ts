// If a method changes to another broker, nothing that the old broker confirmed survives, even while people sign in.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAuthMethod, readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { findOrCreateIdentity } from '#lib/store/hot/person-facts.ts';
import { createFamily } from '#lib/store/hot/refresh-tokens.ts';
import { createSession } from '#lib/store/hot/sessions.ts';
import { currentSnapshot, RegistryChanged } from '#lib/store/snapshot.ts';
import {
  context,
  type Given,
  givenSubscribedShop,
  hash,
  isLiving,
  LOOPS,
  names,
  settled,
  TRIES,
} from '#testing/data/issuing.ts';
import { sql, UNDESCRIBED } from '#testing/data/registry.ts';
import { OPERATOR } from './policy.ts';

type Proof = { epoch: string; subject: string; personId: string; personEpoch: string };
type Begun = { epoch: string; session: Buffer | null; family: Given | null };

/**
 * The stored result of a sign-in at the broker with this subject. `null`: the method has changed to another broker in
 * the meantime.
 */
async function confirmed(subject: string): Promise<Proof | null> {
  const epoch = (await currentSnapshot()).methods.get('campus')?.epoch ?? '';
  const identity = { authMethodId: 'campus', methodEpoch: epoch, subject, ...UNDESCRIBED };
  const person = await findOrCreateIdentity(identity);
  return person && { epoch, subject, ...person };
}

/**
 * Starts a session with the result of the sign-in at the broker, and creates a token family for the same
 * result.
 */
async function begin({ epoch, personId, personEpoch }: Proof): Promise<Begun> {
  const session = hash();
  const person = {
    personId,
    personEpoch,
    methodEpoch: epoch,
    authMethodId: 'campus',
    issuerHost: null,
    attempts: [],
  };
  const rest = { kind: 'sign-in', authTime: null, maxSeconds: 600, replaces: null, userAgent: null } as const;
  const created = await createSession({ ...context, ...person, ...rest, idHash: session });
  const given = { familyId: randomUUID(), refreshHash: hash() };
  const { version } = await currentSnapshot();
  const family = { ...context, ...names, ...person, ...given, version, scopes: ['read'], opaqueHash: null };
  const made = await createFamily({ ...family, keepsStrength: false }).catch((error: unknown) => {
    if (error instanceof RegistryChanged) return null;
    throw error;
  });
  return { epoch, session: created ? session : null, family: made && made !== 'has-factor' ? given : null };
}

const BROKER = { issuer: 'https://login.example', client_id: 'gatehouse', scopes: ['openid'] };

async function handOver(port: number): Promise<string> {
  const { version } = await readAuthMethod(OPERATOR, { id: 'campus' });
  const config = { ...BROKER, issuer: `https://login.example:${port}` };
  await changeAuthMethod(OPERATOR, { id: 'campus', version, config });
  return (await currentSnapshot()).methods.get('campus')?.epoch ?? '';
}

describe('a method that is switched to another broker', () => {
  beforeEach(async () => {
    await givenSubscribedShop();
    await sql(`insert into auth_methods (id, type, name, config) values ('campus', 'broker', 'Campus', $1)`, [
      JSON.stringify(BROKER),
    ]);
    await sql(`insert into combinations (auth_method_id, api_id) values ('campus', 'orders')`);
    await sql(`update subscriptions set trusted = true, state = 'approved'`);
  });

  it('a sign-in confirmed by the previous broker creates no session', async () => {
    const proof = (await confirmed('ada')) as Proof;
    await handOver(8443);
    expect(await begin(proof)).toMatchObject({ session: null, family: null });
  });

  it(`no session, token or identity of the previous broker survives, in ${TRIES} tries while ${LOOPS} loops sign in`, async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const begun: Begun[] = [];
      let stopped = false;
      let at = 0;
      const loops = Array.from({ length: LOOPS }, async () => {
        while (!stopped) {
          const proof = await confirmed(`person ${at++ % 20}`);
          if (proof) begun.push(await begin(proof));
        }
      });
      while (begun.length < LOOPS) await Promise.race([Promise.all(loops), confirmed('waits')]);
      const epoch = await handOver(9_000 + attempt);
      stopped = true;
      await Promise.all(loops);
      const old = begun.filter((one) => one.epoch !== epoch);
      expect(old.length).toBeGreaterThan(0);
      const sessions = old.flatMap(({ session }) => (session ? [session] : []));
      const living = await sql('select from sessions where id_hash = any ($1) and ended_at is null', [
        sessions,
      ]);
      expect(living, `attempt ${attempt}: sessions`).toHaveLength(0);
      const families = old.flatMap(({ family }) => (family ? [family] : []));
      expect(
        await Promise.all(families.map((one) => settled(() => isLiving(one)))),
        `attempt ${attempt}`,
      ).not.toContain(true);
      // the identities that remain come from the new broker
      const identities = await sql<{ n: number }>(
        `select count(*)::int as n from external_identities i join people p on p.id = i.person_id
          where i.auth_method_id = 'campus' and p.created_at < (select updated_at from auth_methods where id = 'campus')`,
      );
      expect(identities[0]?.n, `attempt ${attempt}: identities`).toBe(0);
    }
  }, 240_000);
});
