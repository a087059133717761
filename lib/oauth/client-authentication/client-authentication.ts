// Client authentication: Basic, body, an assertion or none, never two (RFC 6749 §2.3). Secrets are compared as SHA-256
// in constant time; an unknown client and a wrong secret cannot be told apart by message or timing.
import { now } from '#lib/kit/clock.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { touchClientSecret } from '#lib/store/tokens/credentials.ts';
import { currentDocument } from '../client-documents/current-keys.ts';
import { underSecretLimit } from '../clients/attempts.ts';
import { type AuthenticatedClient, authenticated } from '../clients/authenticated-client.ts';
import { isApprovedSomewhere } from '../clients/client.ts';
import {
  CHALLENGE,
  type ClientCredentials,
  type ClientRequest,
  namedClient,
} from '../clients/client-request.ts';
import { InvalidClient, type RefusalReason } from '../errors/errors.ts';
import { refreshDocumentClient } from '../unregistered/refresh.ts';
import { type Asserted, authenticateByAssertion } from './client-assertion.ts';
import { hasKeptSecret, provesKeptSecret } from './kept-secret.ts';

const FAILED =
  'Client authentication failed: unknown client, or its secret is wrong, missing or not expected.';

export async function requireCredentials(request: ClientRequest): Promise<ClientCredentials> {
  const credentials = await request.credentials();
  if (credentials.contradiction) throw credentials.contradiction;
  return credentials;
}

/** The authenticated client, or InvalidClient; SlowDown after too many wrong secrets or assertions. */
export async function authenticateClient(request: Asserted): Promise<AuthenticatedClient> {
  const credentials = await requireCredentials(request);
  const client = await namedClient(request);
  if (client) await requireCurrentMethod(request, client, credentials);
  const { clientId, assertion } = credentials;
  if (assertion !== null)
    return authenticated(await authenticateByAssertion(request, client, { clientId, assertion }));
  const isPublic = client?.confidential === false;
  const accepted = isPublic
    ? // HTTP Basic without a password is the client_id alone (golang.org/x/oauth2 sends it first)
      credentials.secret === null
    : await provesSecret(request, client !== undefined, hasKeptSecret(client), () =>
        hasRightSecret(client, credentials, request.ip),
      );
  if (!client || client.disabled || !accepted) {
    const counted = !isPublic && !accepted && credentials.secret !== null;
    throw failed(credentials, counted, reasonOf(client, credentials));
  }
  return authenticated(client);
}

/**
 * A document may have turned from public to keys, or back, since its row was written: the row is brought up to date,
 * and the request answered again (RegistryChanged). Where the row cannot follow, a client that has keys now is not
 * taken as public.
 */
async function requireCurrentMethod(
  { ip, http }: ClientRequest,
  client: SnapshotClient,
  credentials: ClientCredentials,
): Promise<void> {
  if (client.origin !== 'document' || client.disabled || !isApprovedSomewhere(client)) return;
  const newer = credentials.assertion !== null && !client.confidential;
  const document = await currentDocument(client, { caller: ip, newer });
  if (document === null || document.tokenEndpointAuthMethod === client.tokenEndpointAuthMethod) return;
  if (await refreshDocumentClient(client, { address: ip, requestId: http.requestId }))
    throw new RegistryChanged('the document says something else');
  if (document.confidential && !client.confidential) throw failed(credentials, false, 'assertion-expected');
}

/**
 * Checks the secret that was sent, under the limit of wrong ones; a request without one is no attempt. `costly`: as of
 * underSecretLimit.
 */
export async function provesSecret(
  request: ClientRequest,
  known: boolean,
  costly: boolean,
  check: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const { clientId, secret } = await request.credentials();
  if (secret === null) return check();
  const { snapshot, ip, http } = request;
  const caller = {
    clientId,
    known,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly,
  };
  const right = (found: boolean) => (found ? true : null);
  const proved = await underSecretLimit(caller, () => {
    const found = check();
    return found instanceof Promise ? found.then(right) : right(found);
  });
  return proved ?? false;
}

/** `counted`: as a wrong secret. */
export function failed(
  { basic }: ClientCredentials,
  counted: boolean,
  reason: RefusalReason | null = null,
): InvalidClient {
  return new InvalidClient(FAILED, { ...(basic ? CHALLENGE : {}), counted, reason });
}

function reasonOf(client: SnapshotClient | undefined, credentials: ClientCredentials): RefusalReason | null {
  if (!client) return null;
  if (client.disabled) return 'client-disabled';
  if (!client.confidential) return 'secret-not-expected';
  if (client.tokenEndpointAuthMethod === 'private_key_jwt') return 'assertion-expected';
  if (credentials.secret === null) return 'secret-missing';
  if (isMisplaced(client, credentials)) return 'secret-misplaced';
  const { unencoded } = credentials;
  return unencoded !== null && isLivingSecret(client, unencoded) ? 'secret-not-encoded' : 'secret-wrong';
}

/** A client that has said where its secret comes sends it nowhere else (RFC 7591 §2). */
function isMisplaced({ tokenEndpointAuthMethod: by }: SnapshotClient, { basic }: ClientCredentials): boolean {
  return by !== null && by !== (basic ? 'client_secret_basic' : 'client_secret_post');
}

/** Compared for unknown clients and those without a secret, so that they take the same time. */
const DUMMY = [{ hash: Buffer.alloc(32), expiresAt: null }];

function hasRightSecret(
  client: SnapshotClient | undefined,
  credentials: ClientCredentials,
  address: string | null,
): boolean | Promise<boolean> {
  const { secret } = credentials;
  const found = isLivingSecret(client, secret ?? '');
  if (!client || secret === null || isMisplaced(client, credentials)) return false;
  if (!found) return !client.disabled && hasKeptSecret(client) && provesKeptSecret(client, secret, address);
  touchClientSecret(client.clientId, sha256(secret));
  return true;
}

/** In the same time for every client, with or without secrets. */
function isLivingSecret(client: SnapshotClient | undefined, secret: string): boolean {
  const digest = sha256(secret);
  let found = false;
  for (const candidate of client && client.secrets.length > 0 ? client.secrets : DUMMY) {
    const equal = equalDigests(digest, candidate.hash);
    if (equal && (candidate.expiresAt === null || candidate.expiresAt > now())) found = true;
  }
  return found;
}
