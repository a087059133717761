// The clients of a snapshot, so that a new snapshot costs what changed and not what there is: they lie in shards, and
// the next snapshot shares with the one before it every shard that nobody touched. A snapshot never changes.
import type { DirectoryClient } from './directory-rows.ts';

const SHARDS = 1_024;

type Shard = ReadonlyMap<string, DirectoryClient>;

export class DirectoryClients {
  readonly #shards: readonly Shard[];
  readonly size: number;

  private constructor(shards: readonly Shard[]) {
    this.#shards = shards;
    this.size = shards.reduce((total, shard) => total + shard.size, 0);
  }

  static readonly none = new DirectoryClients(Array.from({ length: SHARDS }, () => new Map()));

  get(clientId: string): DirectoryClient | undefined {
    return this.#shards[shardOf(clientId)]?.get(clientId);
  }

  /** These clients as they are now; an id without a client is gone. */
  with(ids: Iterable<string>, clients: readonly DirectoryClient[]): DirectoryClients {
    const shards = [...this.#shards];
    const touched = new Map<number, Map<string, DirectoryClient>>();
    const own = (clientId: string) => {
      const at = shardOf(clientId);
      const copy = touched.get(at) ?? new Map(shards[at]);
      touched.set(at, copy);
      shards[at] = copy;
      return copy;
    };
    for (const id of ids) own(id).delete(id);
    for (const client of clients) own(client.clientId).set(client.clientId, client);
    return new DirectoryClients(shards);
  }
}

/** FNV-1a. */
function shardOf(clientId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < clientId.length; at += 1) {
    hash = Math.imul(hash ^ clientId.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
