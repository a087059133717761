// GET and POST ISSUER/userinfo (OpenID Connect Core §5.3): the claims of the person, for an access token of this issuer
// with the scope `openid`, for as long as its family lives.
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { settings } from '#lib/settings/settings.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import { findLiveToken, type LiveToken } from '#lib/store/tokens/live-tokens.ts';
import type { LockedToken } from '#lib/store/tokens/locked-token.ts';
import { findLiveMachineToken, type LiveMachineToken } from '#lib/store/tokens/machine-tokens.ts';
import { checkedProof, checkPresented, type PresentedToken } from '#lib/tokens/dpop-at-resource.ts';
import { DPOP_ALGS, type Proof } from '#lib/tokens/dpop-proof.ts';
import { type PresentedMachine, readMachineToken } from '#lib/tokens/machine-token.ts';
import { type PresentedAccess, readAccessToken } from '#lib/tokens/read-access-token.ts';
import { type IssuerRequest, readSingleParams } from '../clients/client-request.ts';
import { nonceHeader, proofError } from '../clients/proof.ts';
import { findTokenOfProof } from '../clients/proof-once.ts';
import { InsufficientScope, InvalidRequest, InvalidToken } from '../errors/errors.ts';
import { claimsFor } from '../openid/claims.ts';
import { hasAddress, type Issuer, issuerEndpoints } from '../rules/issuer.ts';
import { followsFapi2 } from '../rules/profile.ts';
import { heardBy } from '../rules/subject.ts';

/** `scheme`: the one that the token came with, or has to come with. */
type Sent = Pick<PresentedToken, 'scheme' | 'token'>;

const CHALLENGES = {
  bearer: 'Bearer realm="Gatehouse"',
  dpop: `DPoP realm="Gatehouse", algs="${DPOP_ALGS.join(' ')}"`,
};
const challenge = (error: string, scheme: Sent['scheme'] = 'bearer') => ({
  headers: { 'www-authenticate': `${CHALLENGES[scheme]}, error="${error}", scope="openid"` },
});

export function handleUserinfo(request: IssuerRequest): Promise<Answer> {
  return answer(request, sentBy(request));
}

/** The token in the header, or in the form (RFC 6750 §2.2), not in both. */
export async function handleUserinfoPost(request: IssuerRequest): Promise<Answer> {
  const inBody = await bodyTokenOf(request);
  const inHeader = sentBy(request);
  if (inBody !== null && inHeader !== null)
    throw new InvalidRequest('Send the access token in the header or in the body, not in both.');
  return answer(request, inHeader ?? (inBody === null ? null : { scheme: 'bearer', token: inBody }));
}

/** With the token in the header a POST may have no body, and then it names no content type. */
async function bodyTokenOf(request: IssuerRequest): Promise<string | null> {
  const body = await request.http.body();
  if (body !== 'too-large' && body.length === 0) return null;
  return (await readSingleParams(request)).values.get('access_token') ?? null;
}

/** Null: none was sent. A header of another scheme is none. */
function sentBy({ http }: IssuerRequest): Sent | null {
  const [named = '', ...parts] = (http.headers['authorization'] ?? '').trim().split(/\s+/);
  const scheme = named.toLowerCase();
  const [token] = parts;
  if ((scheme !== 'bearer' && scheme !== 'dpop') || token === undefined) return null;
  if (parts.length > 1)
    throw new InvalidRequest(
      'The Authorization header has more than one token.',
      challenge('invalid_request', scheme),
    );
  return { scheme, token };
}

async function answer(request: IssuerRequest, sent: Sent | null): Promise<Answer> {
  const { issuer, snapshot } = request;
  // without a token the challenge names no error (RFC 6750 §3)
  if (sent === null) {
    const headers = { 'www-authenticate': CHALLENGES[issuer.api.dpop === 'required' ? 'dpop' : 'bearer'] };
    throw new InvalidToken('The access token is missing.', { headers });
  }
  const access = readAccessToken(sent.token, snapshot);
  const machine = access ? null : readMachineToken(sent.token, snapshot);
  if (machine) return refuseMachine(machine, sent, request);
  const found = access && (await findLive(access, presentedBy(request, sent), request));
  if (!found?.locked || !isOfIssuer(found.locked.place, issuer)) throw unusable(sent);
  const { token: live, proof } = opened(found.locked, found.presented);
  const { scopes, openid, personId, authMethodId, clientId } = live;
  if (!scopes.includes('openid'))
    throw new InsufficientScope(
      "The access token was given without the scope 'openid'.",
      challenge('insufficient_scope', sent.scheme),
    );
  const claims = await claimsFor(
    issuer.api,
    { personId, authMethodId },
    { scopes, names: openid?.userinfo ?? [] },
  );
  const client = snapshot.clients.get(clientId);
  if (!client) throw new RegistryChanged('the client of the token is not known here yet');
  return json(200, { ...claims, sub: await heardBy(client, personId, issuer) }, nonceHeader(proof));
}

const unusable = ({ scheme }: Sent) =>
  new InvalidToken(
    'The access token is unknown, expired, revoked, bound to a key, or of another issuer.',
    challenge('invalid_token', scheme),
  );

const presentedBy = ({ http, issuer }: IssuerRequest, sent: Sent): PresentedToken => ({
  ...sent,
  proof: http.headers['dpop'],
  method: http.method,
  addresses: [issuerEndpoints(issuer).userinfoEndpoint],
  nonce: issuer.api.dpopNonce,
  secrets: settings().secrets,
  request: http,
});

type Found = { locked: LockedToken<LiveToken> | null; presented: PresentedToken };

const isOfIssuer = (place: LockedToken<LiveToken>['place'], { method, api, snapshot }: Issuer): boolean =>
  place.authMethodId === method.id && place.apiId === api.id && hasAddress(snapshot, place);

/** FAPI 2.0 takes each proof once at all processes together. */
async function findLive(
  access: PresentedAccess,
  presented: PresentedToken,
  { issuer, snapshot }: IssuerRequest,
): Promise<Found> {
  const asked = { version: snapshot.version, askedBy: null, refreshHash: null, access };
  if (!followsFapi2(issuer.api)) return { locked: await findLiveToken(asked), presented };
  const checked = checkedProof(presented);
  const { locked, isUsed } = await findTokenOfProof(asked, { checked, request: presented.request });
  return { locked, presented: { ...presented, checked, isUsed } };
}

/** A bound token comes with a proof of its key, and only so (RFC 9449 §7). `proof`: null: of a bearer token. */
function opened<Token extends LiveToken | LiveMachineToken>(
  locked: LockedToken<Token>,
  presented: PresentedToken,
): { token: Token; proof: Proof | null } {
  const { fault, proof } = checkPresented(presented, locked.jkt);
  const token = fault === null ? locked.open(proof) : null;
  if (token) return { token, proof };
  if (fault !== null && fault !== 'token')
    throw proofError(fault, { status: 401, challenge: CHALLENGES.dpop });
  throw unusable(locked.jkt === null ? presented : { ...presented, scheme: 'dpop' });
}

/** A client's token in its own name is of no person: a living one is good, and reaches nothing here. */
async function refuseMachine({ hash }: PresentedMachine, sent: Sent, request: IssuerRequest): Promise<never> {
  const { issuer } = request;
  const asked = { version: issuer.snapshot.version, askedBy: null, tokenHash: hash };
  const locked = await findLiveMachineToken(asked);
  if (!locked || !isOfIssuer(locked.place, issuer)) throw unusable(sent);
  opened(locked, presentedBy(request, sent));
  throw new InsufficientScope(
    "The access token is the client's own: it is of no person.",
    challenge('insufficient_scope', sent.scheme),
  );
}
