export { namesPrivateHost } from './addresses.ts';
export { isOpen, withBreaker } from './breaker.ts';
export { OutboundFailed } from './failed.ts';
export { type OutboundPolicy, outboundFetch } from './fetch.ts';
export { outboundSocket, type PeerTrust, secured } from './socket.ts';
