// A request of a client, read once: the handler, CORS and the note of a refusal work on this. Nothing is read before it
// is asked for, since an address that does not exist, or does not take the method, reads no body. The client names
// itself by HTTP Basic, by client_id and client_secret in the body (RFC 6749 §2.3), or by an assertion there (RFC 7521
// §4.2).
import type { HttpRequest } from '#lib/http/message.ts';
import { type Params, readBodyParams } from '#lib/http/params.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Snapshot, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { claimedSubject } from '#lib/tokens/client-assertion.ts';
import { InvalidClient, InvalidRequest, type OAuthError, type RefusalReason } from '../errors/errors.ts';
import type { Issuer } from '../rules/issuer.ts';

export type ClientRequest = {
  http: HttpRequest;
  snapshot: Snapshot;
  /** the caller's address; null: unknown */
  ip: string | null;
  /** of the body; UnreadableParams */
  params: () => Promise<Params>;
  /** what it says about its client; InvalidRequest, InvalidClient, UnreadableParams */
  credentials: () => Promise<ClientCredentials>;
  /** null: none, or unreadable */
  namedClientId: () => Promise<string | null>;
};

export type IssuerRequest = ClientRequest & { issuer: Issuer };

export function readClientRequest(http: HttpRequest): Omit<ClientRequest, 'snapshot'> {
  const params = once(() => readBodyParams(http));
  const credentials = once(async () => readClientCredentials(http.headers['authorization'], await params()));
  const namedClientId = async () => (await credentials().catch(() => null))?.clientId ?? null;
  return { http, ip: callerAddress(http, settings().trustProxy), params, credentials, namedClientId };
}

/** The client that the request names, not authenticated; undefined: an unknown one. */
export async function namedClient(request: ClientRequest): Promise<SnapshotClient | undefined> {
  return request.snapshot.clients.get((await request.namedClientId()) ?? '');
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}

export const CHALLENGE = { headers: { 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"' } };

/** `contradiction`: the request says two things; `requireCredentials` throws it. */
export type ClientCredentials = {
  clientId: string;
  secret: string | null;
  basic: boolean;
  /** by Basic, as it came, where form-decoding has changed it or failed; null: in every other case */
  unencoded: string | null;
  /** a JWT of the client's, unchecked; null: none came */
  assertion: string | null;
  contradiction: OAuthError | null;
};

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export function readClientCredentials(header: string | undefined, { values }: Params): ClientCredentials {
  if (values.has('client_assertion') || values.has('client_assertion_type'))
    return readAssertion(values, header !== undefined || values.has('client_secret'));
  const clientId = values.get('client_id');
  const secret = values.get('client_secret') ?? null;
  if (header === undefined) {
    if (clientId === undefined) throw new InvalidRequest('client_id is missing.');
    return { clientId, secret, basic: false, unencoded: null, assertion: null, contradiction: null };
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
  return { ...basic, basic: true, assertion: null, contradiction };
}

/** `beside`: a secret came too, or an Authorization header. */
function readAssertion(values: Params['values'], beside: boolean): ClientCredentials {
  const assertion = values.get('client_assertion') ?? '';
  const clientId = values.get('client_id') ?? claimedSubject(assertion);
  const fault = values.get('client_assertion_type') === JWT_BEARER ? null : 'assertion-type';
  const contradiction = beside
    ? new InvalidRequest('Send a client assertion or a client secret, not both.')
    : fault && failedAssertion(fault);
  if (clientId === null) throw contradiction ?? failedAssertion('assertion-malformed');
  return { clientId, secret: null, basic: false, unencoded: null, assertion, contradiction };
}

/** `counted`: as a wrong secret. */
export function failedAssertion(reason: RefusalReason | null, counted = false): InvalidClient {
  return new InvalidClient(
    'Client authentication failed: unknown client, or its assertion is missing or not accepted.',
    { counted, reason },
  );
}

/** No secret holds a NUL, so this text is equal to none. */
const NO_SECRET = '\0';

/** RFC 6749 §2.3.1: both halves are form-encoded inside the base64. A secret that cannot be decoded is a wrong one. */
function parseBasic(header: string): Pick<ClientCredentials, 'clientId' | 'secret' | 'unencoded'> | null {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  if (!encoded || encoded.length % 4 === 1) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\ufffd')) return null;
  const clientId = formDecode(text.slice(0, colon));
  if (clientId === null) return null;
  const sent = text.slice(colon + 1);
  const secret = formDecode(sent) ?? NO_SECRET;
  return { clientId, secret: secret === '' ? null : secret, unencoded: secret === sent ? null : sent };
}

/** Null: a percent sign without two hexadecimal digits, or bytes that are not UTF-8. */
function formDecode(part: string): string | null {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

export function requireGrantType({ values }: Params): string {
  const grantType = values.get('grant_type');
  if (grantType === undefined) throw new InvalidRequest('grant_type is missing.');
  return grantType;
}

/** The parameters of the body, each at most once but for the `repeatable`, or InvalidRequest. */
export async function readSingleParams(
  request: Pick<ClientRequest, 'params'>,
  repeatable: readonly string[] = [],
): Promise<Params> {
  const params = await request.params();
  const twice = [...params.repeated].find((name) => !repeatable.includes(name));
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  return params;
}
