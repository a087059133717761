// What a text that is looked for may be: a host, a client and an API, a request id.

const V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** RFC 9562 §5.7. */
export function timeOfRequestId(text: string): string | null {
  const [, high, low] = V7.exec(text.toLowerCase()) ?? [];
  return high === undefined ? null : new Date(Number.parseInt(`${high}${low}`, 16)).toISOString();
}

const HOST = /^(?:\[[0-9a-f:.]+\]|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;

/** The host in an address, or the text where it is one. */
export function hostIn(text: string): string | null {
  const address = /^[a-z][a-z0-9+.-]*:\/\/(\[[^\]]*\]|[^/?#:@]+)/i.exec(text)?.[1];
  const host = (address ?? text.replace(/:\d{1,5}$/, '')).toLowerCase();
  return HOST.test(host) ? host : null;
}

/** `client api`, or with a stroke or a plus between them. */
export function pairIn(text: string): [client: string, api: string] | null {
  const [client, api, ...more] = text.split(/\s*[+/]\s+|\s+[+/]\s*|\s+/);
  if (client && api && more.length === 0) return [client, api];
  const [left, right, ...others] = text.split('/');
  return left && right && others.length === 0 ? [left, right] : null;
}
