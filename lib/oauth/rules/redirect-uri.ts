// redirect_uri: an exact string, with one exception for native clients, where the port of a loopback IP address is free
// (RFC 8252 §7.3), and that of `localhost`, which programs register and then listen at. Compared as text, without
// normalisation (RFC 9700 §2.1).
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

export function isRegisteredRedirectUri(client: SnapshotClient, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true;
  if (client.confidential || client.applicationType !== 'native') return false;
  const sent = withoutPort(uri);
  return sent !== null && client.redirectUris.some((registered) => withoutPort(registered) === sent);
}

function withoutPort(uri: string): string | null {
  const match = LOOPBACK.exec(uri);
  return match ? `${match[1]}${match[2]}` : null;
}

/** Appends to the text without a URL parser, so that the registered part stays as it is. */
export function appendParameters(uri: string, parameters: readonly (readonly [string, string])[]): string {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${uri}${uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'}${query}`;
}
