// Handlers rely on a recent registry instead of asking for it. The statement that acts refuses where the registry has
// moved since; a refusal that rests on the registry alone is only given by the current one. Either way the request is
// answered anew, and nothing had happened (docs/decisions/0017).
import { DirectoryMoved, hasMovedSince, markDirectory } from '#lib/store/index.ts';
import { UnidentifiedRequest } from './authorize/request.ts';
import {
  InvalidScope,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnknownIssuer,
  UnsupportedGrantType,
} from './errors.ts';

/** A registry that changes a hundred times a second still leaves room for an answer. */
const GIVE_UP_MS = 3_000;
const RESTING_ON_IT = [
  UnknownIssuer,
  UnidentifiedRequest,
  UnauthorizedClient,
  UnsupportedGrantType,
  InvalidScope,
];

export async function upToDate<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  while (performance.now() - started < GIVE_UP_MS) {
    const mark = markDirectory();
    try {
      return await work();
    } catch (error) {
      if (error instanceof DirectoryMoved) continue;
      if (!RESTING_ON_IT.some((kind) => error instanceof kind) || !(await hasMovedSince(mark))) throw error;
    }
  }
  throw new TemporarilyUnavailable('The registry is being changed right now. Try again in a moment.');
}
