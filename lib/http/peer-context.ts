// Peer address for Next’s handlers, which cannot access the socket. Behind the Node door it is the caller’s address
// and is used for limits. If Next listens itself, the peer may be the hosting platform, so the address only detects
// local requests.
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

/** Reports whether Next accepts this process's connections. */
const nextOwnsSockets = (): boolean => !door.value;

/** If Next owns the sockets, stores the peer that Node reports at the start of each request. */
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
 * Reports whether a request comes from this machine and targets this machine. The forwarded address reveals a local
 * proxy. The Host header reveals a foreign name that resolves to this machine (DNS rebinding).
 */
export function isFromThisMachine(headers: Readonly<Record<string, string | undefined>>): boolean {
  const peer = storage().getStore()?.address;
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  // Next sets both headers from peer address and host; proxies may already have set them
  const hops = (headers['x-forwarded-for'] ?? peer).split(',');
  const hosts = [headers['host'] ?? '', ...(headers['x-forwarded-host'] ?? 'localhost').split(',')];
  return hops.every((hop) => isLoopbackAddress(hop.trim())) && hosts.every(isLocalHostHeader);
}

const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

function isLocalHostHeader(host: string): boolean {
  return isLoopbackHost(host.trim().replace(/:\d*$/, ''));
}

// If Next owns the sockets, Node passes only the first of two Authorization headers, but a proxy may have used the
// second. The handler therefore receives both, joined by a comma, which occurs in no token and no Basic credential.

export function joinRepeatedTokens(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const given = request.headersDistinct['authorization'] ?? [];
    if (given.length > 1) request.headers.authorization = given.join(', ');
  });
}
