// The socket's peer for what Next answers, whose handlers see no socket. Behind the Node door it is the caller whom limits
// count. Where Next itself listens nobody counts it, since it may be the hosting platform; it only tells who asks from
// this very machine.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, isLoopbackHost, processWide } from '#lib/kit/index.ts';

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

/** The sockets of this process are the Node door's: it says itself who is at the other end. */
export function ownSockets(): void {
  door.value = true;
}

/** Where Next owns the sockets: remembers who is at the other end, as Node tells at the start of each request. */
export function noticePeers(): void {
  if (door.value) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    storage().enterWith({ address: request.socket.remoteAddress, ours: false });
  });
}

/** Undefined where nobody knows it. */
export function peerOfThisRequest(): string | undefined {
  const peer = storage().getStore();
  return peer?.ours ? peer.address : undefined;
}

/**
 * Does somebody on this machine ask, and for this machine? A proxy on it brings the address that it speaks for. A name
 * that a stranger's page had pointed here (DNS rebinding) is told by the Host that the browser sends.
 */
export function isFromThisMachine(headers: Readonly<Record<string, string | undefined>>): boolean {
  const peer = storage().getStore()?.address;
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  // Next itself writes these two, with the peer's address and the host; a proxy may have
  const hops = (headers['x-forwarded-for'] ?? peer).split(',');
  const hosts = [headers['host'] ?? '', ...(headers['x-forwarded-host'] ?? 'localhost').split(',')];
  return hops.every((hop) => isLoopbackAddress(hop.trim())) && hosts.every(isLocalHostHeader);
}

const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

function isLocalHostHeader(host: string): boolean {
  return isLoopbackHost(host.trim().replace(/:\d*$/, ''));
}
