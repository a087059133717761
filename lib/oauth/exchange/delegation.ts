// An exchange that a person allowed: they let this client act for them at this API until a date (docs/decisions/0021).
// The client authenticates, and names itself as the actor by a token that was given to it (RFC 8693 §2.1).
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { findDelegatedScopes } from '#lib/store/tokens/exchange.ts';
import type { ProvedClient } from '../clients/authenticated-client.ts';
import { UnauthorizedClient } from '../errors/errors.ts';
import type { Presented } from './presented.ts';

const NOT_LET =
  'This client has no approved trusted subscription to the target API, and the person does not let it act there with this actor_token.';

type Asked = {
  client: ProvedClient;
  api: SnapshotApi;
  subject: Presented;
  /** the client that the actor token was given to; null: none of ours */
  actorClientId: string | null;
};

/**
 * The scopes that the person lets the client use at the API, or UnauthorizedClient. A broker's ID token is not the
 * person's word here.
 */
export async function requireDelegation({ client, api, subject, actorClientId }: Asked): Promise<string[]> {
  const itself = actorClientId === client.clientId;
  const scopes =
    itself && subject.own ? await findDelegatedScopes(subject.personId, client.clientId, api.id) : null;
  if (scopes) return scopes;
  throw new UnauthorizedClient(NOT_LET, { reason: 'not-trusted' });
}
