// Peer address for Next’s handlers, which cannot access the socket. In Gatehouse's Node server the peer is the
// caller, and limits use its address. If Next listens itself, the peer may be the hosting platform, so the address
// only serves to detect local requests.
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

/** Declares that Gatehouse's Node server, which calls `withPeer` itself, owns the sockets of this process. */
export function ownSockets(): void {
  door.value = true;
}

/** True if Next accepts the connections of this process. */
const nextOwnsSockets = (): boolean => !door.value;

/** If Next owns the sockets, stores the peer's address, which Node reports at the start of each request. */
export function noticePeers(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    storage().enterWith({ address: request.socket.remoteAddress, ours: false });
  });
}

/** The peer's address; undefined if it is not known. */
export function peerOfThisRequest(): string | undefined {
  const peer = storage().getStore();
  return peer?.ours ? peer.address : undefined;
}

/**
 * True if the request comes from this machine and is addressed to this machine. False if a local proxy sent the
 * request, which a forwarded address shows. False if the Host header contains a foreign name that resolves to this
 * machine (DNS rebinding).
 */
export function isFromThisMachine(headers: Readonly<Record<string, string | undefined>>): boolean {
  const peer = storage().getStore()?.address;
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  // Next sets both headers from the peer's address and the host, unless a proxy has already set them
  const hops = (headers['x-forwarded-for'] ?? peer).split(',');
  const hosts = [headers['host'] ?? '', ...(headers['x-forwarded-host'] ?? 'localhost').split(',')];
  return hops.every((hop) => isLoopbackAddress(hop.trim())) && hosts.every(isLocalHostHeader);
}

const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

function isLocalHostHeader(host: string): boolean {
  return isLoopbackHost(host.trim().replace(/:\d*$/, ''));
}

// If Next owns the sockets, Node passes on only the first of two Authorization headers, but a proxy may have used the
// second. The handler therefore receives both, joined by a comma. No token and no Basic credential contains a comma.

export function joinRepeatedTokens(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const authorizations = request.headersDistinct['authorization'] ?? [];
    if (authorizations.length > 1) request.headers.authorization = authorizations.join(', ');
  });
}
