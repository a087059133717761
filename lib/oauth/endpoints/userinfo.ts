// GET and POST ISSUER/userinfo (OpenID Connect Core §5.3): the claims of the person, for an access token of this issuer
// with the scope `openid`, for as long as its family lives.
import { type Answer, json } from '#lib/http/index.ts';
import { findLiveMachineToken, findLiveToken, RegistryChanged } from '#lib/store/index.ts';
import { type PresentedMachine, readAccessToken, readMachineToken } from '#lib/tokens/index.ts';
import { type IssuerRequest, readSingleParams } from '../clients/index.ts';
import { InsufficientScope, InvalidRequest, InvalidToken } from '../errors/index.ts';
import { claimsFor } from '../openid/index.ts';
import { hasAddress, heardBy, type Issuer } from '../rules/index.ts';

const BEARER = 'Bearer realm="Gatehouse"';
const challenge = (error: string) => ({
  headers: { 'www-authenticate': `${BEARER}, error="${error}", scope="openid"` },
});

export function handleUserinfo(request: IssuerRequest): Promise<Answer> {
  return answer(request, bearerOf(request));
}

/** The token in the header, or in the form (RFC 6750 §2.2), not in both. */
export async function handleUserinfoPost(request: IssuerRequest): Promise<Answer> {
  const inBody = await bodyTokenOf(request);
  const inHeader = bearerOf(request);
  if (inBody !== null && inHeader !== null)
    throw new InvalidRequest('Send the access token in the header or in the body, not in both.');
  return answer(request, inHeader ?? inBody);
}

/** With the token in the header a POST may have no body, and then it names no content type. */
async function bodyTokenOf(request: IssuerRequest): Promise<string | null> {
  const body = await request.http.body();
  if (body !== 'too-large' && body.length === 0) return null;
  return (await readSingleParams(request)).values.get('access_token') ?? null;
}

/** Null: none was sent. A header of another scheme is none. */
function bearerOf({ http }: IssuerRequest): string | null {
  const [scheme = '', ...parts] = (http.headers['authorization'] ?? '').trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer' || parts.length === 0) return null;
  if (parts.length > 1)
    throw new InvalidRequest(
      'The Authorization header has more than one token.',
      challenge('invalid_request'),
    );
  return parts[0] ?? null;
}

async function answer({ issuer, snapshot }: IssuerRequest, token: string | null): Promise<Answer> {
  // without a token the challenge names no error (RFC 6750 §3)
  if (token === null)
    throw new InvalidToken('The access token is missing.', { headers: { 'www-authenticate': BEARER } });
  const access = readAccessToken(token, snapshot);
  const machine = access ? null : readMachineToken(token, snapshot);
  if (machine) return refuseMachine(machine, issuer);
  const live =
    access && (await findLiveToken({ version: snapshot.version, askedBy: null, refreshHash: null, access }));
  const ofIssuer = live?.authMethodId === issuer.method.id && live.apiId === issuer.api.id;
  if (!live || !ofIssuer || !hasAddress(snapshot, live)) throw unusable();
  const { scopes, openid, personId, authMethodId, clientId } = live;
  if (!scopes.includes('openid'))
    throw new InsufficientScope(
      "The access token was given without the scope 'openid'.",
      challenge('insufficient_scope'),
    );
  const claims = await claimsFor({ personId, authMethodId }, { scopes, names: openid?.userinfo ?? [] });
  const client = snapshot.clients.get(clientId);
  if (!client) throw new RegistryChanged('the client of the token is not known here yet');
  return json(200, { ...claims, sub: await heardBy(client, personId, issuer) });
}

const unusable = () =>
  new InvalidToken(
    'The access token is unknown, expired, revoked, or of another issuer.',
    challenge('invalid_token'),
  );

/** A client's token in its own name is of no person: a living one is good, and reaches nothing here. */
async function refuseMachine({ hash }: PresentedMachine, { snapshot, method, api }: Issuer): Promise<never> {
  const asked = { version: snapshot.version, askedBy: null, tokenHash: hash };
  const live = await findLiveMachineToken(asked);
  const ofIssuer = live?.authMethodId === method.id && live.apiId === api.id;
  if (!live || !ofIssuer || !hasAddress(snapshot, live)) throw unusable();
  throw new InsufficientScope(
    "The access token is the client's own: it is of no person.",
    challenge('insufficient_scope'),
  );
}
