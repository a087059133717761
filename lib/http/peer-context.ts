// The socket's peer for Next's handlers, which see no socket. Behind the Node door it is the caller, and limits count
// it. Where Next itself listens it may be the hosting platform, so it only tells whether the request comes from this
// machine.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, isLoopbackHost } from '#lib/kit/loopback.ts';
import { processWide } from '#lib/kit/process.ts';

type Peer = { address: string | undefined; ours: boolean };

const slot = processWide<AsyncLocalStorage<Peer>>('peer');
const door = processWide<true>('node-door');

function storage(): AsyncLocalStorage<Peer> {
  slot.value ??= new AsyncLocalStorage();
  return slot.value;
}

export function withPeer<T>(address: string | undefined, run: () => T): T {
  return storage().run({ address, ours: true }, run);
}

/** The Node door owns the sockets of this process and calls `withPeer` itself. */
export function ownSockets(): void {
  door.value = true;
}

/** Does Next itself take the connections of this process? */
const nextOwnsSockets = (): boolean => !door.value;

/** Where Next owns the sockets: remembers the peer that Node reports at the start of each request. */
export function noticePeers(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    storage().enterWith({ address: request.socket.remoteAddress, ours: false });
  });
}

/** Undefined where it is not known. */
export function peerOfThisRequest(): string | undefined {
  const peer = storage().getStore();
  return peer?.ours ? peer.address : undefined;
}

/**
 * Does the request come from this machine, and for this machine? A proxy on it is recognised by the address that it
 * forwards, a foreign name that points here (DNS rebinding) by the Host that the browser sends.
 */
export function isFromThisMachine(headers: Readonly<Record<string, string | undefined>>): boolean {
  const peer = storage().getStore()?.address;
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  // Next writes these two itself, with the peer's address and the host; a proxy may have written them before
  const hops = (headers['x-forwarded-for'] ?? peer).split(',');
  const hosts = [headers['host'] ?? '', ...(headers['x-forwarded-host'] ?? 'localhost').split(',')];
  return hops.every((hop) => isLoopbackAddress(hop.trim())) && hosts.every(isLocalHostHeader);
}

const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

function isLocalHostHeader(host: string): boolean {
  return isLoopbackHost(host.trim().replace(/:\d*$/, ''));
}

// Where Next owns the sockets, Node gives a handler the first of two Authorization headers, while a proxy in front may
// have used the other. Here the handler is given both, by a comma, which is in no token and no Basic credential.

export function joinRepeatedTokens(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const given = request.headersDistinct['authorization'] ?? [];
    if (given.length > 1) request.headers.authorization = given.join(', ');
  });
}
