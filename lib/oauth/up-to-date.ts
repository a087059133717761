// Handlers rely on a recent registry instead of asking for it. The statement that acts refuses where the registry has
// moved since; a refusal that rests on the registry alone is only given by the current one. Either way the request is
// answered anew, and nothing had happened (docs/decisions/0016, 0023).
import { catchUp, hasMovedSince, markSnapshot, RegistryChanged } from '#lib/store/index.ts';
import { UnidentifiedRequest } from './authorize/request.ts';
import {
  InvalidScope,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnknownIssuer,
  UnsupportedGrantType,
} from './errors.ts';

/** What a request relies on may change a hundred times a second, and still there is room for an answer. */
const GIVE_UP_MS = 3_000;
const RESTING_ON_IT = [
  UnknownIssuer,
  UnidentifiedRequest,
  UnauthorizedClient,
  UnsupportedGrantType,
  InvalidScope,
];

export async function upToDate<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + GIVE_UP_MS;
  while (performance.now() < end) {
    const mark = markSnapshot();
    try {
      return await work();
    } catch (error) {
      const moved =
        error instanceof RegistryChanged ||
        (RESTING_ON_IT.some((kind) => error instanceof kind) && (await hasMovedSince(mark)));
      if (!moved) throw error;
    }
    // the registry before may go on serving others meanwhile, but not what has just been found changed
    await catchUp(end - performance.now());
  }
  throw new TemporarilyUnavailable('The registry is being changed right now. Try again in a moment.');
}
