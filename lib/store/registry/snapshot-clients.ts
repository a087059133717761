// The clients of a snapshot, so that a new snapshot costs what changed and not what there is: they lie in shards, and
// the next snapshot shares with the one before it every unchanged shard. A snapshot never changes.

const SHARDS = 1_024;

type Shard<Client> = ReadonlyMap<string, Client>;

export class SnapshotClients<Client extends { clientId: string }> {
  readonly #shards: readonly Shard<Client>[];
  readonly size: number;

  private constructor(shards: readonly Shard<Client>[]) {
    this.#shards = shards;
    this.size = shards.reduce((total, shard) => total + shard.size, 0);
  }

  static of<Client extends { clientId: string }>(clients: readonly Client[]): SnapshotClients<Client> {
    const none = new SnapshotClients<Client>(Array.from({ length: SHARDS }, () => new Map()));
    return none.with([], clients);
  }

  get(clientId: string): Client | undefined {
    return this.#shards[shardOf(clientId)]?.get(clientId);
  }

  *values(): Generator<Client> {
    for (const shard of this.#shards) yield* shard.values();
  }

  /** These clients as they are now; an id without a client is gone. */
  with(ids: Iterable<string>, clients: readonly Client[]): SnapshotClients<Client> {
    const shards = [...this.#shards];
    const touched = new Map<number, Map<string, Client>>();
    const own = (clientId: string) => {
      const at = shardOf(clientId);
      const copy = touched.get(at) ?? new Map(shards[at]);
      touched.set(at, copy);
      shards[at] = copy;
      return copy;
    };
    for (const id of ids) own(id).delete(id);
    for (const client of clients) own(client.clientId).set(client.clientId, client);
    return new SnapshotClients(shards);
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
