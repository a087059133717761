// Handlers rely on a recent registry instead of asking for it. The statement that acts refuses where the registry has
// moved since; a refusal without a statement is only given by the current one. Either way the request is answered anew,
// and nothing had happened (docs/decisions/0017).
import { DirectoryMoved, hasMovedSince, markDirectory } from '#lib/store/index.ts';
import { TemporarilyUnavailable } from './errors.ts';

const ATTEMPTS = 5;

export async function upToDate<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const mark = markDirectory();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DirectoryMoved) && !(await hasMovedSince(mark))) throw error;
    }
  }
  throw new TemporarilyUnavailable('The registry is being changed right now. Try again in a moment.');
}
