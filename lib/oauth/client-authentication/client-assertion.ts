// A client that authenticates by an assertion which it has signed (RFC 7521 §4.2, RFC 7523 §2.2). A bad one counts as a
// wrong secret does, an unknown client's too: one message for all of them, and no signature is checked over the limit.
import { log } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { noteAssertionAudience } from '#lib/store/tokens/client-assertions.ts';
import { checkAssertion } from '#lib/tokens/client-assertion.ts';
import { type ClientKeys, currentKeys } from '../client-documents/current-keys.ts';
import { isFirstUse } from '../clients/assertion-use.ts';
import { underSecretLimit } from '../clients/attempts.ts';
import { isApprovedSomewhere } from '../clients/client.ts';
import { type ClientRequest, failedAssertion } from '../clients/client-request.ts';
import { type RefusalReason, TemporarilyUnavailable } from '../errors/errors.ts';
import { type Issuer, isIssuer, issuerEndpoints } from '../rules/issuer.ts';
import { FAPI2_ALGS, followsFapi2, followsOAuth21 } from '../rules/profile.ts';
import { refreshDocumentClient } from '../unregistered/refresh.ts';

const UNREACHABLE =
  'The keys at the jwks_uri of this client can not be fetched right now. Try again in a moment.';

/**
 * What the request says of itself; `issuer`: whose address was called, where that is under one; `api`: else the one
 * that the request is for, where it says so. `isStored`: false for a client that is known only by its document, in
 * whose name nothing may be written.
 */
export type Asserted = ClientRequest & { issuer?: Issuer; api?: SnapshotApi | null; isStored?: boolean };

/** The client that the assertion proves, or InvalidClient; SlowDown after too many bad ones. */
export async function authenticateByAssertion(
  request: Asserted,
  client: SnapshotClient | undefined,
  { clientId, assertion }: { clientId: string; assertion: string },
): Promise<SnapshotClient> {
  const { snapshot, ip, http } = request;
  let found: Promise<RefusalReason | 'unknown' | null> | undefined;
  const check = async () => {
    found ??= client ? refusalOf(request, client, assertion) : Promise.resolve('unknown');
    return (await found) === null ? client : null;
  };
  const caller = {
    clientId,
    known: client !== undefined,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly: true,
  };
  const proved = await underSecretLimit(caller, check);
  if (proved) return proved;
  const reason = await found;
  throw failedAssertion(reason === undefined || reason === 'unknown' ? null : reason, true);
}

async function refusalOf(
  request: Asserted,
  client: SnapshotClient,
  assertion: string,
): Promise<RefusalReason | null> {
  if (client.disabled) return 'client-disabled';
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return 'assertion-not-expected';
  const { audiences, takesList } = audiencesOf(request, client);
  const isAudience = (audience: string) => audiences.some((is) => is(audience));
  const checked = await checkedByKeys(request, client, { assertion, isAudience, takesList });
  // not a guess: an outage of the client's own address must not use up its attempts
  if (checked.fault === 'keys-unreachable')
    throw new TemporarilyUnavailable(UNREACHABLE, { reason: checked.fault });
  if (checked.fault !== null) return checked.fault;
  if (request.isStored === false) return null;
  if (!(await isFirstUse(request.http, checked))) return 'assertion-used';
  noteAssertionAudience(client.clientId, isOfIssuer(request, checked.audience) ? 'issuer' : 'token_endpoint');
  return null;
}

type Is = (audience: string) => boolean;

type Presented = { assertion: string; isAudience: Is; takesList: boolean };

/** By the keys of the client; of one that has only its document, by those that it has published since, too. */
async function checkedByKeys(
  request: Asserted,
  client: SnapshotClient,
  { assertion, isAudience, takesList }: Presented,
) {
  const { clientId } = client;
  const check = ({ jwks, jwksUri }: ClientKeys) =>
    checkAssertion(assertion, { clientId, jwks, jwksUri, isAudience, takesList, ...algorithmsAt(request) });
  const caller = request.ip;
  let keys = await currentKeys(client, { caller });
  let checked = await check(keys);
  if (checked.fault !== null && OF_KEYS.has(checked.fault)) {
    const before = keys;
    keys = await currentKeys(client, { newer: true, caller });
    if (keys !== before) checked = await check(keys);
  }
  // a row that no approver has let in is brought up to date when a person comes with it
  if (checked.fault === null && keys !== client && isApprovedSomewhere(client))
    await bringUpToDate(request, client);
  return checked;
}

/**
 * Updates the row to the document, so that people see a change of keys at once: the client has authenticated, even if
 * the request fails.
 */
async function bringUpToDate({ ip, http }: Asserted, client: SnapshotClient): Promise<void> {
  try {
    await refreshDocumentClient(client, { address: ip, requestId: http.requestId });
  } catch (err) {
    log().warn({ err, clientId: client.clientId }, 'the row of a client was not brought up to date');
  }
}

const apiOf = ({ issuer, api }: Asserted) => issuer?.api ?? api ?? null;

function isForFapi2(request: Asserted): boolean {
  const api = apiOf(request);
  return api !== null && followsFapi2(api);
}

/** FAPI 2.0 §5.4.1. */
const algorithmsAt = (request: Asserted) => (isForFapi2(request) ? { algorithms: FAPI2_ALGS } : {});

const OF_KEYS = new Set<RefusalReason>(['assertion-key', 'assertion-signature', 'keys-unreachable']);

const isOfIssuer = ({ issuer, snapshot }: Asserted, audience: string): boolean =>
  issuer ? audience === issuer.url : isIssuer(snapshot, audience);

/**
 * The issuer that was called; at the service's own endpoint, every issuer of it. Without a profile the token endpoint
 * counts, too (OpenID Connect Core §9, RFC 7523 §3), and a list of one; with `oauth-2.1` only for a client that says so;
 * with `fapi-2.0` never (FAPI 2.0 Security Profile §5.3.2.1, 8). A
 * request that names no API, such as one for an ID-JAG, may be about any of them: for it the rule of `oauth-2.1` holds.
 */
function audiencesOf(
  request: Asserted,
  { tokenEndpointAsAudience }: SnapshotClient,
): { audiences: Is[]; takesList: boolean } {
  const { issuer } = request;
  const ofIssuer: Is = (one) => isOfIssuer(request, one);
  const api = apiOf(request);
  const isPlain = api !== null && !followsOAuth21(api);
  const isWide = isPlain || (tokenEndpointAsAudience && !isForFapi2(request));
  if (!isWide) return { audiences: [ofIssuer], takesList: false };
  const endpoint = issuer ? issuerEndpoints(issuer).tokenEndpoint : `${settings().baseUrl}/auth/token`;
  return { audiences: [ofIssuer, (one) => one === endpoint], takesList: true };
}
