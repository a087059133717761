// The authorize request that an interaction interrupted, checked again: what was sealed may have been withdrawn since.
import { parseForm } from '#lib/http/params.ts';
import { recentSnapshot, watchedSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { findIssuer } from '../rules/issuer.ts';
import { withUnregisteredClient } from '../unregistered/resolve-client.ts';
import { onCurrentRegistry } from './current-registry.ts';
import { type Interaction, ownReturnOf } from './interaction.ts';
import { type AuthorizeRequest, identify, validate } from './request.ts';

/** UnknownIssuer, UnidentifiedRequest, UnregisteredClientRefused, or an OAuthError */
export async function interruptedRequest(
  interaction: Interaction,
  snapshot: Snapshot,
): Promise<AuthorizeRequest> {
  const params = parseForm(interaction.query);
  const issuer = findIssuer(snapshot, interaction);
  const known = await withUnregisteredClient(issuer, params.values.get('client_id'), {
    address: null,
    requestId: '',
  });
  return validate(identify(known, params, ownReturnOf(interaction)), params);
}

/**
 * The interrupted request for a page, which no statement confirms: one process must not show what another one has just
 * seen change.
 */
export const shownRequest = (interaction: Interaction): Promise<AuthorizeRequest> =>
  onRegistryOf(interaction, async (request) => request, watchedSnapshot);

/** Runs `work` with the interrupted request, again where what it relies on has changed. */
export function onRegistryOf<T>(
  interaction: Interaction,
  work: (request: AuthorizeRequest) => Promise<T>,
  read = recentSnapshot,
): Promise<T> {
  const clientId = async () => parseForm(interaction.query).values.get('client_id') ?? null;
  return onCurrentRegistry({ read, clientId }, async (snapshot) =>
    work(await interruptedRequest(interaction, snapshot)),
  );
}
