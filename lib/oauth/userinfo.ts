// GET and POST ISSUER/userinfo (OpenID Connect Core §5.3) return the user claims for an access token of this issuer
// with scope `openid`, while its token family is valid.

import { z } from 'zod';
import { PROFILE, PROFILE_NAMES, profileKey } from '#lib/catalogue/people/profile.ts';
import { type Answer, json } from '#lib/http/message.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  findLiveMachineToken,
  findLiveToken,
  findLiveTokenOnce,
  type LiveMachineToken,
  type LiveToken,
  type LockedToken,
} from '#lib/store/hot/access-tokens.ts';
import { RegistryChanged } from '#lib/store/snapshot.ts';
import {
  type PresentedAccess,
  type PresentedMachine,
  readAccessToken,
  readMachineToken,
} from '#lib/tokens/access-token.ts';
import {
  type CheckedProof,
  checkedProof,
  checkPresented,
  DPOP_ALGS,
  type PresentedToken,
  type Proof,
} from '#lib/tokens/dpop.ts';
import { type IssuerRequest, nonceHeader, proofError, readSingleParams } from './client.ts';
import {
  bodyTooLarge,
  type Declaration,
  type DeclaredError,
  InsufficientScope,
  InvalidDpopProof,
  InvalidRequest,
  InvalidToken,
  issuerPath,
  refuses,
  serviceErrors,
  UseDpopNonce,
  unknownIssuer,
} from './errors.ts';
import { hasAddress, heardBy, type Issuer, issuerEndpoints } from './issuer.ts';
import { claimsFor } from './openid.ts';
import { followsFapi2 } from './rules.ts';

// One-time proofs across all processes (RFC 9449 §11.1), required only by FAPI 2.0: the statement that checks the token
// also stores the proof.

/**
 * For each request: the id of the proof that it used, so that its retry after a registry change can use the proof
 * again.
 */
const proofIds = new WeakMap<object, string>();

type Asked = { version: string; askedBy: null; refreshHash: null; access: PresentedAccess };

/**
 * Returns the active token. `isUsed` is true for a replayed proof. Without a valid proof of the correct key nothing is
 * stored, because the token check rejects the request.
 */
async function findTokenOfProof(
  tokenQuery: Asked,
  { checked, request }: { checked: CheckedProof | undefined; request: object },
): Promise<{ locked: LockedToken<LiveToken> | null; isUsed: boolean }> {
  const proof = checked?.proof ?? null;
  const { opaqueHash, jkt } = tokenQuery.access;
  const isOther = opaqueHash === null && jkt !== proof?.jkt.toString('base64url');
  if (proof === null || isOther || proofIds.get(request) === proof.id)
    return { locked: await findLiveToken(tokenQuery), isUsed: false };
  const { id, jkt: proved } = proof;
  const once = { ...tokenQuery, proof: { hash: Buffer.from(id, 'base64'), jkt: proved } };
  const lockedToken = await findLiveTokenOnce(once, () => proofIds.set(request, id));
  return { locked: lockedToken, isUsed: proofIds.get(request) !== id };
}

/** A token in a request. `scheme`: scheme of the request, or the scheme that the token requires. */
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

/** Accepts tokens in header or form (RFC 6750 §2.2), never both. */
export async function handleUserinfoPost(request: IssuerRequest): Promise<Answer> {
  const inBody = await bodyTokenOf(request);
  const inHeader = sentBy(request);
  if (inBody !== null && inHeader !== null)
    throw new InvalidRequest('Send the access token in the header or in the body, not in both.');
  return answer(request, inHeader ?? (inBody === null ? null : { scheme: 'bearer', token: inBody }));
}

/** Returns the token in the body. A POST with a token in the header can omit the body and its content type. */
async function bodyTokenOf(request: IssuerRequest): Promise<string | null> {
  const body = await request.http.body();
  if (body !== 'too-large' && body.length === 0) return null;
  return (await readSingleParams(request)).values.get('access_token') ?? null;
}

/** Returns null if no token was sent. A header with another scheme is ignored. */
function sentBy({ http }: IssuerRequest): Sent | null {
  const [named = '', ...parts] = (http.headers['authorization'] ?? '').trim().split(/\s+/);
  const scheme = named.toLowerCase();
  const [token] = parts;
  if ((scheme !== 'bearer' && scheme !== 'dpop') || token === undefined) return null;
  if (parts.length > 1)
    throw new InvalidRequest(
      'The Authorization header contains more than one token.',
      challenge('invalid_request', scheme),
    );
  return { scheme, token };
}

async function answer(request: IssuerRequest, sent: Sent | null): Promise<Answer> {
  const { issuer, snapshot } = request;
  // without a token, the challenge contains no error (RFC 6750 §3)
  if (sent === null) {
    const headers = { 'www-authenticate': CHALLENGES[issuer.api.dpop === 'required' ? 'dpop' : 'bearer'] };
    throw new InvalidToken('The access token is missing.', { headers });
  }
  const access = readAccessToken(sent.token, snapshot);
  const machine = access ? null : readMachineToken(sent.token, snapshot);
  if (machine) return refuseMachine(machine, sent, request);
  const tokenLookup = access && (await findLive(access, presentedBy(request, sent), request));
  if (!tokenLookup?.locked || !isOfIssuer(tokenLookup.locked.place, issuer)) throw unusable(sent);
  const { token: live, proof } = openToken(tokenLookup.locked, tokenLookup.presented);
  const { scopes, openid, personId, authMethodId, clientId } = live;
  if (!scopes.includes('openid'))
    throw new InsufficientScope(
      "The access token was issued without the scope 'openid'.",
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
    'The access token is unknown, expired, revoked, bound to a key, or from another issuer.',
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

/** Finds the active token. FAPI 2.0 accepts each proof once across all processes. */
async function findLive(
  access: PresentedAccess,
  presentedToken: PresentedToken,
  { issuer, snapshot }: IssuerRequest,
): Promise<Found> {
  const tokenQuery = { version: snapshot.version, askedBy: null, refreshHash: null, access };
  if (!followsFapi2(issuer.api))
    return { locked: await findLiveToken(tokenQuery), presented: presentedToken };
  const checked = checkedProof(presentedToken);
  const { locked, isUsed } = await findTokenOfProof(tokenQuery, { checked, request: presentedToken.request });
  return { locked, presented: { ...presentedToken, checked, isUsed } };
}

/**
 * Opens the token if the proof is valid. A bound token requires a proof of its key (RFC 9449 §7). `proof`: null for a
 * bearer token.
 */
function openToken<Token extends LiveToken | LiveMachineToken>(
  lockedToken: LockedToken<Token>,
  presentedToken: PresentedToken,
): { token: Token; proof: Proof | null } {
  const { fault, proof } = checkPresented(presentedToken, lockedToken.jkt);
  const token = fault === null ? lockedToken.open(proof) : null;
  if (token) return { token, proof };
  if (fault !== null && fault !== 'token')
    throw proofError(fault, { status: 401, challenge: CHALLENGES.dpop });
  throw unusable(lockedToken.jkt === null ? presentedToken : { ...presentedToken, scheme: 'dpop' });
}

/** Rejects an active machine token: it is valid, but belongs to no user. */
async function refuseMachine({ hash }: PresentedMachine, sent: Sent, request: IssuerRequest): Promise<never> {
  const { issuer } = request;
  const tokenQuery = { version: issuer.snapshot.version, askedBy: null, tokenHash: hash };
  const liveMachineToken = await findLiveMachineToken(tokenQuery);
  if (!liveMachineToken || !isOfIssuer(liveMachineToken.place, issuer)) throw unusable(sent);
  openToken(liveMachineToken, presentedBy(request, sent));
  throw new InsufficientScope(
    'The access token was issued to the client in its own name, not to a person.',
    challenge('insufficient_scope', sent.scheme),
  );
}

// Parameters and responses of the userinfo endpoint (OpenID Connect Core §5.3).

const Userinfo = z
  .looseObject({
    sub: z.string().describe('The person, as in the ID token: their id, or pairwise.'),
    name: optional(z.string(), 'Scope `profile`.'),
    ...Object.fromEntries(
      PROFILE_NAMES.map((name) => [
        profileKey(name),
        optional(z.string(), `Scope \`profile\`; ${PROFILE[name].claim}.`),
      ]),
    ),
    updated_at: optional(z.int(), 'Scope `profile`; seconds since 1970-01-01T00:00:00Z.'),
    email: optional(z.string(), 'Scope `email`.'),
    email_verified: optional(z.boolean(), 'Scope `email`; true only if the address was verified.'),
  })
  .describe('Unknown claims of the person are absent.');

const header = z.object({
  Authorization: requiredOf(
    z.string(),
    'unless the body of a POST contains it',
    '`Bearer` and the access token, or `DPoP` if the token is bound to a key.',
  ),
  DPoP: requiredOf(
    z.string(),
    'if the access token is bound to a key',
    'A proof of that key for this request and this token (RFC 9449 §7).',
  ),
});

const errors: readonly DeclaredError[] = [
  ...refuses(InvalidToken, [
    'The access token is missing, unknown, expired, revoked, from another issuer, or bound to a key and sent as a bearer token. This is also the response after the person signed out, unless `offline_access` was granted. `WWW-Authenticate` contains the error (RFC 6750 §3).',
  ]),
  ...refuses(
    InvalidDpopProof,
    [
      'The access token is bound to a key, and the DPoP proof is missing, for another request, for another key, or already used.',
    ],
    401,
  ),
  ...refuses(UseDpopNonce, ['The DPoP proof must contain the nonce from `DPoP-Nonce` (RFC 9449 §9).'], 401),
  ...refuses(InsufficientScope, ['The access token was issued without the scope `openid`.']),
  unknownIssuer,
  ...serviceErrors,
];

const TWO_TOKENS = 'The Authorization header contains more than one token.';

export const userinfoDeclaration: Declaration = {
  path: issuerPath,
  header,
  answers: { Userinfo },
  errors: [...refuses(InvalidRequest, [TWO_TOKENS]), ...errors],
  security: [{ accessToken: [] }],
};

export const userinfoPostDeclaration: Declaration = {
  ...userinfoDeclaration,
  body: z.object({
    access_token: requiredOf(
      z.string(),
      'unless the header contains it',
      'The access token (RFC 6750 §2.2).',
    ),
  }),
  errors: [
    ...refuses(InvalidRequest, [
      'The body is unreadable, its content type is neither application/x-www-form-urlencoded nor application/json, or a parameter is repeated.',
      'The access token is in the header and in the body.',
      TWO_TOKENS,
    ]),
    bodyTooLarge,
    ...errors,
  ],
};
