// Connections for protocols other than HTTP, with the address checks of fetch and with a time limit for each
// connection.
import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { isPublicAddress, namesPrivateHost, publicLookup } from './addresses.ts';
import { OutboundFailed } from './failed.ts';

export type Peer = { host: string; port: number };
/** `ca`: PEM of the only authorities that are trusted. Null: Node's authorities are trusted. */
export type PeerTrust = { host: string; ca: string | null };

/** Resolves with an open connection, after the TLS handshake if `trust` is set. Rejects with OutboundFailed. */
export async function outboundSocket(
  { host, port }: Peer,
  trust: PeerTrust | null,
  { allowPrivateNetwork, timeoutMs }: { allowPrivateNetwork: boolean; timeoutMs: number },
  lookup: LookupFunction = publicLookup(),
): Promise<net.Socket> {
  const strict = !allowPrivateNetwork;
  if (strict && namesPrivateHost(new URL(`https://${net.isIPv6(host) ? `[${host}]` : host}`)))
    throw new OutboundFailed('private-address');
  const socket = net.connect({ host, port, ...(strict && { lookup }) });
  socket.setNoDelay(true);
  // checked before the first byte of TLS
  socket.once('connect', () => {
    if (strict && !isPublicAddress(socket.remoteAddress ?? ''))
      socket.destroy(new OutboundFailed('private-address'));
  });
  if (trust === null) return waitForOpen(socket, 'connect', timeoutMs);
  return waitForOpen(startTls(socket, trust), 'secureConnect', timeoutMs).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
}

/** TLS on an existing connection. The certificate must match the host (RFC 9525 §6). */
export const startTls = (socket: net.Socket, { host, ca }: PeerTrust): tls.TLSSocket =>
  tls.connect({
    socket,
    host,
    minVersion: 'TLSv1.2',
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
  });

function waitForOpen<Kind extends net.Socket>(socket: Kind, event: string, timeoutMs: number): Promise<Kind> {
  const { promise, resolve, reject } = Promise.withResolvers<Kind>();
  const timer = setTimeout(() => socket.destroy(new OutboundFailed('timeout')), timeoutMs);
  const rejectOpening = (cause?: unknown) =>
    reject(cause instanceof OutboundFailed ? cause : new OutboundFailed('unreachable', { cause }));
  socket.once(event, () => resolve(socket)).once('error', rejectOpening);
  socket.once('close', () => rejectOpening());
  return promise.finally(() => {
    clearTimeout(timer);
    // a later error closes the connection, whose owner receives `close`
    socket.on('error', () => undefined);
  });
}
