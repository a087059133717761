// Client secrets: two may live side by side, so that a rotation needs no outage. Each is answered once.
import {
  addClientSecret,
  type Db,
  deleteSecret,
  expireClientSecrets,
  selectSecrets,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { reachClient, requireRecentForPower } from './client-access.ts';
import { operation } from './operation.ts';
import { UUID_PART } from './page.ts';
import type { Actor } from './policy.ts';
import { editOwn } from './quotas.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

const MAX_OVERLAP_SECONDS = 30 * 24 * 3600;
const MAX_SECRETS = 2;

/** The new secret, once. Old ones end now, or the newest of them lives on for `overlapSeconds`. */
export const rotateClientSecret = operation(
  'rotateClientSecret',
  async (
    actor: Actor,
    input: { clientId: string; overlapSeconds?: number | undefined },
  ): Promise<{ secret: string }> => {
    const overlapSeconds = input.overlapSeconds ?? 0;
    if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
      throw new Refused(`the overlap is a whole number of seconds up to ${MAX_OVERLAP_SECONDS}`);
    }
    return editOwn(actor, async (db: Db) => {
      const { clientId } = await reachConfidential(db, actor, input.clientId);
      await expireClientSecrets(db, clientId, overlapSeconds);
      const secret = mint('clientSecret');
      await addClientSecret(db, clientId, secret.hash);
      const event = { clientId, details: { overlapSeconds } };
      await record(actor, { event: 'client.secret_rotated', ...event }, db);
      return { secret: secret.value };
    });
  },
);

/** A second one beside the first; each works until it is dropped. */
export const addSecret = operation(
  'addSecret',
  async (actor: Actor, input: { clientId: string }): Promise<{ id: string; secret: string }> =>
    editOwn(actor, async (db: Db) => {
      const { clientId } = await reachConfidential(db, actor, input.clientId);
      const before = await selectSecrets(db, clientId);
      if (before.length >= MAX_SECRETS) {
        throw new Refused(`${clientId} has two secrets: drop one first`, 'conflict');
      }
      const secret = mint('clientSecret');
      await addClientSecret(db, clientId, secret.hash);
      const known = new Set(before.map((one) => one.id));
      const added = (await selectSecrets(db, clientId)).find((one) => !known.has(one.id));
      if (!added) throw new Error('a secret that was just added is not there');
      const event = { clientId, details: { secretId: added.id } };
      await record(actor, { event: 'client.secret_added', ...event }, db);
      return { id: added.id, secret: secret.value };
    }),
);

/** Ends one at once. The last one too: without any, the client cannot authenticate. */
export const dropSecret = operation(
  'dropSecret',
  async (actor: Actor, input: { clientId: string; secretId: string }): Promise<void> =>
    editOwn(actor, async (db: Db) => {
      const { clientId } = await reachClient(db, actor, input.clientId, 'manage');
      const gone = UUID_PART.test(input.secretId) && (await deleteSecret(db, clientId, input.secretId));
      if (!gone) throw new Refused('this secret has ended already', 'not-found');
      const event = { clientId, details: { secretId: input.secretId } };
      await record(actor, { event: 'client.secret_dropped', ...event }, db);
    }),
);

/** For a new secret. */
async function reachConfidential(db: Db, actor: Actor, clientId: string) {
  const client = await reachClient(db, actor, clientId, 'manage');
  if (client.kind !== 'confidential') {
    throw new Refused(`${clientId} is a public client and has no secret`, 'conflict');
  }
  await requireRecentForPower(db, actor, client.clientId);
  return client;
}
