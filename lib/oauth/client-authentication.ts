// Client authentication at the token address: Basic, body or none, never two (RFC 6749 §2.3). Secrets are compared as
// SHA-256 in constant time; an unknown client costs and says what a wrong secret does.

import { callerAddress, type HttpRequest, type Params } from '#lib/http/index.ts';
import { equalDigests, now, sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { assertCurrent, type Snapshot, type SnapshotClient, touchClientSecret } from '#lib/store/index.ts';
import { underSecretLimit } from './attempts.ts';
import { InvalidClient, InvalidRequest } from './errors.ts';

export const CHALLENGE = { headers: { 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"' } };
const FAILED =
  'Client authentication failed: unknown client, or its secret is wrong, missing or not expected.';

export type ClientCredentials = {
  clientId: string;
  secret: string | null;
  basic: boolean;
  /** where a wrong secret is counted */
  address: string | null;
  requestId: string;
};

/** What the request says about its client; InvalidRequest where it says two things. */
export function readClientCredentials(request: HttpRequest, params: Params): ClientCredentials {
  const caller = { address: callerAddress(request, settings().trustProxy), requestId: request.requestId };
  const header = request.headers['authorization'];
  const clientId = params.values.get('client_id');
  const secret = params.values.get('client_secret') ?? null;
  if (header === undefined) {
    if (clientId === undefined) throw new InvalidRequest('client_id is missing.');
    return { clientId, secret, basic: false, ...caller };
  }
  const basic = parseBasic(header);
  if (!basic) throw new InvalidClient('The Authorization header is not well-formed Basic.', CHALLENGE);
  if (secret !== null)
    throw new InvalidRequest('Send the client secret in the header or in the body, not in both.');
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw new InvalidRequest('client_id differs between the header and the body.');
  }
  return { ...basic, basic: true, ...caller };
}

/** The authenticated client, or InvalidClient; SlowDown after too many wrong secrets. */
export async function authenticateClient(
  snapshot: Snapshot,
  credentials: ClientCredentials,
): Promise<SnapshotClient> {
  const client = snapshot.clients.get(credentials.clientId);
  const isPublic = client?.confidential === false;
  const accepted = isPublic
    ? credentials.secret === null && !credentials.basic
    : await provesSecret(snapshot, credentials, client !== undefined, () =>
        hasRightSecret(client, credentials.secret),
      );
  if (!client || client.disabled || !accepted) {
    // a wrong secret was found wrong in the current registry, then counted: answered anew, it would count again
    const counted = !isPublic && !accepted && credentials.secret !== null;
    if (!counted) await assertCurrent(snapshot, credentials.clientId);
    throw failed(credentials);
  }
  return client;
}

/** A check of the secret that was sent; none that was not sent counts as an attempt. */
export async function provesSecret(
  snapshot: Snapshot,
  credentials: ClientCredentials,
  known: boolean,
  check: () => boolean,
): Promise<boolean> {
  if (credentials.secret === null) return check();
  // a secret that was changed just now is no wrong attempt
  if (!check()) await assertCurrent(snapshot, credentials.clientId);
  return (await underSecretLimit({ ...credentials, known }, () => (check() ? true : null))) ?? false;
}

export function failed({ basic }: ClientCredentials): InvalidClient {
  return new InvalidClient(FAILED, basic ? CHALLENGE : {});
}

/** Compared with where there is nothing else to compare with. */
const NOBODY = [{ hash: Buffer.alloc(32), expiresAt: null }];

function hasRightSecret(client: SnapshotClient | undefined, secret: string | null): boolean {
  const digest = sha256(secret ?? '');
  let found = false;
  for (const candidate of client && client.secrets.length > 0 ? client.secrets : NOBODY) {
    const equal = equalDigests(digest, candidate.hash);
    if (equal && (candidate.expiresAt === null || candidate.expiresAt > now())) found = true;
  }
  if (!found || !client || secret === null) return false;
  touchClientSecret(client.clientId, digest);
  return true;
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
