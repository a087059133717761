// A request relies on a snapshot of the registry, and its answer holds for the current one. The statement that acts
// confirms the snapshot; a refusal without a statement is confirmed here, before it is given. Where what the
// request relied on has changed, nothing has happened, and the request is answered again (docs/decisions/0004).
import { catchUp, hasChanged, RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { InvalidDpopProof, UseDpopNonce } from '../errors/dpop-errors.ts';
import {
  InvalidClient,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  OAuthError,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnknownIssuer,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';
import { AuthorizeRefused } from './response.ts';

/** From the first change on, a request is answered again for this long while what it relies on keeps changing. */
const GIVE_UP_MS = 3_000;
const REFUSALS = [
  UnregisteredClientRefused,
  AuthorizeRefused,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
  UseDpopNonce,
];

/**
 * Before an answer without a statement or a refusal, such as "no token of ours": RegistryChanged where a key that
 * another process made, or this client (null: none), is newer than the snapshot. `since`: when the request came
 * (performance.now()).
 */
export async function requireCurrent(
  snapshot: Snapshot,
  clientId: string | null,
  since: number,
): Promise<void> {
  if (await hasChanged(snapshot, clientId, since)) throw new RegistryChanged('the registry has changed');
}

type RegistryUse = {
  /**
   * `recentSnapshot` where the statement that acts confirms it; `currentSnapshot`, which asks first, where none does
   */
  read: () => Promise<Snapshot>;
  /** the client whose part of the registry this refusal rests on; null: none */
  clientId: (error: unknown) => Promise<string | null>;
};

export async function onCurrentRegistry<T>(
  { read, clientId }: RegistryUse,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  // a password may have waited for its check longer than that before anything changed
  let end = Number.POSITIVE_INFINITY;
  while (performance.now() < end) {
    const since = performance.now();
    const snapshot = await read();
    try {
      return await work(snapshot);
    } catch (error) {
      if (error instanceof OAuthError && error.counted) throw error;
      const again =
        error instanceof RegistryChanged ||
        (REFUSALS.some((kind) => error instanceof kind) &&
          (await hasChanged(snapshot, await clientId(error), since)));
      if (!again) throw error;
    }
    end = Math.min(end, performance.now() + GIVE_UP_MS);
    await catchUp(end - performance.now());
  }
  throw new TemporarilyUnavailable('The registry is being changed right now. Try again in a moment.');
}
