// The socket's peer for what the Node door hands on to Next, whose handlers see no socket.
import { AsyncLocalStorage } from 'node:async_hooks';
import { processWide } from '#lib/kit/index.ts';

const slot = processWide<AsyncLocalStorage<string | undefined>>('peer');

function storage(): AsyncLocalStorage<string | undefined> {
  slot.value ??= new AsyncLocalStorage();
  return slot.value;
}

export function withPeer<T>(address: string | undefined, run: () => T): T {
  return storage().run(address, run);
}

/** Undefined where nobody knows it. */
export function peerOfThisRequest(): string | undefined {
  return storage().getStore();
}
