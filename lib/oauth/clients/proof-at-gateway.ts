// The proof of a key at a gateway (RFC 9449 §7): it is of the request that the client sent to the gateway, so a gateway
// that is trusted has to say what that was.
import type { HttpRequest } from '#lib/http/message.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { checkPresented, type PresentedToken } from '#lib/tokens/dpop-at-resource.ts';

type Sent = Pick<PresentedToken, 'scheme' | 'token'>;

/** As checkPresented: `fault` is null if the token came as it has to. */
export function checkAtGateway(
  jkt: string | null,
  sent: Sent,
  { http, api }: { http: HttpRequest; api: SnapshotApi },
): ReturnType<typeof checkPresented> {
  const original = originalRequest(http);
  const isOfApi = original !== null && isUnder(original.address, api.url);
  const presented = {
    ...sent,
    proof: http.headers['dpop'],
    method: original?.method ?? '',
    addresses: isOfApi ? [original.address] : [],
    nonce: api.dpopNonce,
    secrets: settings().secrets,
    request: http,
  };
  return checkPresented(presented, jkt);
}

type Original = { method: string; address: string };

/**
 * The request that a trusted gateway asks about, by `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri` or by
 * `X-Original-Method` and `-URL`. Null: neither set is whole, or two headers disagree: one may be the caller's.
 */
function originalRequest({ headers }: HttpRequest): Original | null {
  if (settings().trustProxy === 0) return null;
  const { 'x-forwarded-proto': proto, 'x-forwarded-host': host, 'x-forwarded-uri': uri } = headers;
  const sets = [
    { method: headers['x-forwarded-method'], address: proto && host && uri && `${proto}://${host}${uri}` },
    { method: headers['x-original-method'], address: headers['x-original-url'] },
  ];
  const [first] = sets.flatMap(({ method, address }) => (method && address ? [{ method, address }] : []));
  const agree = sets.every(
    ({ method, address }) =>
      (!method || method === first?.method) && (!address || address === first?.address),
  );
  return agree ? (first ?? null) : null;
}

/** Is it the address of the API, or one below it? */
function isUnder(address: string, base: string): boolean {
  const [url, api] = [URL.parse(address), URL.parse(base)];
  if (!url || url.origin !== api?.origin) return false;
  const path = api.pathname.replace(/\/$/, '');
  return url.pathname === path || url.pathname.startsWith(`${path}/`);
}
