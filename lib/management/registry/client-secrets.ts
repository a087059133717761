// Client secrets: two may be valid at a time, so that a rotation needs no outage. Each is returned once.
import { utcMinute } from '#lib/kit/utc.ts';
import { english } from '#lib/language/message.ts';
import { takesSecret } from '#lib/registry/clients/client-keys.ts';
import { isUuid } from '#lib/store/database/list.ts';
import {
  addClientSecret,
  deleteSecret,
  expireClientSecrets,
  selectSecrets,
} from '#lib/store/registry/client-secrets.ts';
import { selectSubscriptionsOf } from '#lib/store/registry/subscriptions.ts';
import { mint } from '#lib/tokens/formats.ts';
import { approvedPairs, consequencesOf, type Foreseen } from '../core/consequences.ts';
import { type Context, operation } from '../core/operation.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';
import { reachClient, requireRecentWhereRelied } from './client-access.ts';

const MAX_OVERLAP_SECONDS = 30 * 24 * 3600;
const MAX_SECRETS = 2;

/** The new secret, once. Old ones end now, or the newest of them lives on for `overlapSeconds`. */
export const rotateClientSecret = operation(
  'rotateClientSecret',
  async (
    context,
    input: { clientId: string; overlapSeconds?: number | undefined },
  ): Promise<{ secret: string }> => {
    const { actor, db } = context;
    const { overlapSeconds = 0 } = input;
    if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
      throw new Refused('client.overlap', { most: MAX_OVERLAP_SECONDS });
    }
    const clientId = await reachSecretHolder(context, input.clientId);
    await expireClientSecrets(db, clientId, overlapSeconds);
    const secret = mint('clientSecret');
    await addClientSecret(db, clientId, secret.hash);
    await record(actor, { event: 'client.secret_rotated', clientId, details: { overlapSeconds } }, db);
    return { secret: secret.value };
  },
);

/** A second secret; both work until one is dropped. */
export const addSecret = operation(
  'addSecret',
  async (context, input: { clientId: string }): Promise<{ id: string; secret: string }> => {
    const { actor, db } = context;
    const clientId = await reachSecretHolder(context, input.clientId);
    if ((await selectSecrets(db, clientId)).length >= MAX_SECRETS) {
      throw new Refused('client.too_many_secrets', { client: clientId });
    }
    const secret = mint('clientSecret');
    const { id } = await addClientSecret(db, clientId, secret.hash);
    await record(actor, { event: 'client.secret_added', clientId, details: { secretId: id } }, db);
    return { id, secret: secret.value };
  },
);

/** What stops working with it. */
export const previewSecretEnd = operation(
  'previewSecretEnd',
  async (context, input: { clientId: string; secretId: string }): Promise<Foreseen> => {
    const { clientId } = await reachClient(context, input.clientId, 'see');
    const secrets = await selectSecrets(context.db, clientId);
    const secret = secrets.find(({ id }) => id === input.secretId);
    if (!secret) throw new Refused('client.secret_gone');
    const apis = approvedPairs(await selectSubscriptionsOf(context.db, { clientId })).length;
    return {
      ...consequencesOf(false, [
        [
          english(
            'It is the only secret: the application gets no token for its {apis, plural, one {# API} other {# APIs}} until you add another one.',
            { apis },
          ),
          secrets.length === 1,
        ],
        [english('Requests that use it fail at once.'), true],
      ]),
      counted: [
        secret.lastUsedAt === null
          ? english('It was never used.')
          : english('It was last used at {time}.', { time: utcMinute(secret.lastUsedAt) }),
      ],
    };
  },
);

/** Ends one at once, the last one too; without a secret the client cannot authenticate. */
export const dropSecret = operation(
  'dropSecret',
  async (context, input: { clientId: string; secretId: string }): Promise<void> => {
    const { actor, db } = context;
    const { secretId } = input;
    const { clientId } = await reachClient(context, input.clientId, 'manage');
    const gone = isUuid(secretId) && (await deleteSecret(db, clientId, secretId));
    if (!gone) throw new Refused('client.secret_gone');
    await record(actor, { event: 'client.secret_dropped', clientId, details: { secretId } }, db);
  },
);

/** The id of a client that has secrets, and that the actor may give a new one. */
async function reachSecretHolder(context: Context, id: string): Promise<string> {
  const client = await reachClient(context, id, 'manage');
  const { clientId, kind } = client;
  if (!takesSecret(client)) {
    const code = kind === 'confidential' ? 'client.keys_only' : 'client.public';
    throw new Refused(code, { client: clientId });
  }
  await requireRecentWhereRelied(context, client);
  return clientId;
}
