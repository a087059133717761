// The socket's peer for what the Node door hands on to Next, whose handlers see no socket. One store for the whole
// process: Next holds a copy of this module of its own.
import { AsyncLocalStorage } from 'node:async_hooks';

const KEY = Symbol.for('gatehouse.peer');
type Shared = { [KEY]?: AsyncLocalStorage<string | undefined> };

function storage(): AsyncLocalStorage<string | undefined> {
  const shared = globalThis as Shared;
  shared[KEY] ??= new AsyncLocalStorage();
  return shared[KEY];
}

export function withPeer<T>(address: string | undefined, run: () => T): T {
  return storage().run(address, run);
}

/** Undefined where nobody knows it. */
export function peerOfThisRequest(): string | undefined {
  return storage().getStore();
}
