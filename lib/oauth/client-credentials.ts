// What a request says about its client: HTTP Basic, or client_id and client_secret in the body (RFC 6749 §2.3).
import type { Params } from '#lib/http/index.ts';
import { InvalidClient, InvalidRequest, type OAuthError } from './errors.ts';

export const CHALLENGE = { headers: { 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"' } };

/** `contradiction`: the request says two things; `requireCredentials` throws it. */
export type ClientCredentials = {
  clientId: string;
  secret: string | null;
  basic: boolean;
  contradiction: OAuthError | null;
};

export function readClientCredentials(header: string | undefined, { values }: Params): ClientCredentials {
  const clientId = values.get('client_id');
  const secret = values.get('client_secret') ?? null;
  if (header === undefined) {
    if (clientId === undefined) throw new InvalidRequest('client_id is missing.');
    return { clientId, secret, basic: false, contradiction: null };
  }
  const basic = parseBasic(header);
  if (!basic) throw new InvalidClient('The Authorization header is not well-formed Basic.', CHALLENGE);
  const differs = clientId !== undefined && clientId !== basic.clientId;
  const contradiction =
    secret !== null
      ? new InvalidRequest('Send the client secret in the header or in the body, not in both.')
      : differs
        ? new InvalidRequest('client_id differs between the header and the body.')
        : null;
  return { ...basic, basic: true, contradiction };
}

/** RFC 6749 §2.3.1: both halves are form-encoded inside the base64. */
function parseBasic(header: string): { clientId: string; secret: string | null } | null {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  if (!encoded || encoded.length % 4 === 1) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\ufffd')) return null;
  try {
    const secret = formDecode(text.slice(colon + 1));
    return { clientId: formDecode(text.slice(0, colon)), secret: secret === '' ? null : secret };
  } catch {
    return null;
  }
}

function formDecode(part: string): string {
  return decodeURIComponent(part.replaceAll('+', ' '));
}
