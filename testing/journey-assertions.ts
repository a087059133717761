// The part of a journey where services vouch for people: another one's word becomes tokens here, and a sign-in here another
// one's. By the store's functions, since a broker's signature says nothing about rows.
import { randomBytes, randomUUID } from 'node:crypto';
import { createAssertedFamily, currentSnapshot, vouchForSignIn } from '#lib/store/index.ts';
import type { Sql } from './sql.ts';

const context = { requestId: 'journey', ip: null };

export async function assertAndVouch(
  person: { id: string; epoch: string },
  clientId: string,
  asOwner: Sql,
  note: (step: string, outcome: string) => void,
): Promise<void> {
  await asOwner(
    `update subscriptions set machine = true where client_id = $1 and api_id = 'orders' and not machine`,
    [clientId],
  );
  const [family] = await asOwner<{ id: string }>(
    `select id from token_families
     where person_id = $1 and client_id = $2 and api_id = 'orders' and revoked_at is null and expires_at > now() and basis = 'password'
     order by created_at desc limit 1`,
    [person.id, clientId],
  );
  const { version, methods } = await currentSnapshot();
  const at = { version, clientId, apiId: 'orders', authMethodId: 'pw', issuerHost: null, ...context };
  const asserted = await createAssertedFamily({
    ...at,
    familyId: randomUUID(),
    personId: person.id,
    personEpoch: person.epoch,
    methodEpoch: methods.get('pw')?.epoch ?? '',
    scopes: ['read'],
    authTime: new Date(),
    opaqueHash: randomBytes(32),
    grantType: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    asksFactor: false,
  });
  note('asserted', asserted === null ? 'nothing' : 'a family');
  const signIn = { familyId: family?.id ?? randomUUID() };
  const audience = 'https://other.example';
  const vouched = await vouchForSignIn({ ...at, personId: person.id, signIn, audience });
  note('vouched', vouched === null ? 'nothing' : 'a sign-in');
}
