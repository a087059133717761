// POST ISSUER/register (RFC 7591), for callers with REGISTRATION_TOKEN, and with OPEN_REGISTRATION for public clients of
// a developer's machine. The new client waits: it has a pending subscription to the issuer's API, for the approvers'
// inbox.
import { recordEvent } from '#lib/audit/audit-log.ts';
import { underLimits } from '#lib/auth-methods/attempts.ts';
import type { Answer } from '#lib/http/message.ts';
import { readText } from '#lib/http/params.ts';
import { json } from '#lib/http/respond.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { tellApprovers } from '#lib/mail/tell-subscription.ts';
import type { ClientValues } from '#lib/registry/clients/client.ts';
import { takesSecret } from '#lib/registry/clients/client-keys.ts';
import { isLocalHost } from '#lib/registry/clients/redirect-rules.ts';
import { settings } from '#lib/settings/settings.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { insertRegistration } from '#lib/store/registry/registrations.ts';
import { callerLimits } from '#lib/store/tokens/limits.ts';
import { mint } from '#lib/tokens/formats.ts';
import type { IssuerRequest } from '../clients/client-request.ts';
import { InvalidRequest, InvalidToken, SlowDown, UnknownIssuer } from '../errors/errors.ts';
import { readRegistration, registeredMetadata } from './metadata.ts';

/** At one API at a time. */
const MAX_WAITING = 100;
const FULL = `${MAX_WAITING} registered clients wait for an approver of this API. Ask one to decide, then register again.`;
const FULL_SECONDS = 600;
const WRONG_TOKENS = { what: 'registrations', each: 60, windowSeconds: 300, all: 2_000, allSeconds: 5 };
/** Without a token: of an address, and of all. */
const OPEN = { what: 'open registrations', each: 30, windowSeconds: 300, all: 120, allSeconds: 300 };
const NOT_LOCAL =
  'Without a registration token only public clients of this machine register: token_endpoint_auth_method none, and redirect_uris at http://localhost, http://127.0.0.1 or http://[::1].';
const BEARER = 'Bearer realm="Gatehouse"';

export async function handleRegistration(request: IssuerRequest): Promise<Answer> {
  const withoutToken = isOpenTo(request);
  if (!withoutToken) await requireToken(request);
  const { http, issuer, ip } = request;
  if (!/^application\/json *(;|$)/i.test(http.headers['content-type'] ?? ''))
    throw new InvalidRequest('The content type must be application/json.');
  const registration = readRegistration(await readText(http), issuer.api);
  if (withoutToken) await requireLocal(request, registration.client);
  const { client, scopes, machine, device } = registration;
  const { clientId, kind } = client;
  const secret = takesSecret(client) ? mint('clientSecret') : null;
  const by = { actor: 'registration', clientId, requestId: http.requestId, ip: ip ?? undefined };
  await inTransaction(async (db) => {
    const api = issuer.api.id;
    const made = {
      ...{ client, secretHash: secret?.hash ?? null, api },
      ...{ machine, device, scopes, maxWaiting: MAX_WAITING },
    };
    const outcome = await insertRegistration(db, made);
    if (outcome === 'full') throw new SlowDown(FULL_SECONDS, FULL);
    if (outcome === 'no-api') throw new UnknownIssuer('the API was just removed');
    const { clientId: _, kind: __, ...after } = client;
    await recordEvent(
      { ...by, event: 'client.created', details: { kind, after, origin: 'registration' } },
      db,
    );
    const details = { from: null, to: 'pending', trusted: false, machine, device, scopes };
    await recordEvent({ ...by, event: 'subscription.requested', apiId: api, details }, db);
    await tellApprovers(db, { clientId, api });
  });
  return json(201, {
    ...registeredMetadata(registration, issuer.api),
    ...(secret && { client_secret: secret.value, client_secret_expires_at: 0 }),
  });
}

const isOfThisMachine = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && isLocalHost(url);
};

/** Clients without a token may register: a service of a developer's own machine. */
const isOpen = (): boolean => settings().openRegistration && isOfThisMachine(settings().baseUrl);

/** Whether `ISSUER/register` exists. */
export const registersClients = (): boolean => settings().registrationToken !== null || isOpen();

const isOpenTo = ({ http }: IssuerRequest): boolean =>
  isOpen() && http.headers['authorization'] === undefined;

/** InvalidToken for a client that others could reach or prove, SlowDown for too many. */
async function requireLocal({ http, issuer, ip }: IssuerRequest, client: ClientValues): Promise<void> {
  const isLocal = client.kind !== 'confidential' && client.redirectUris.every(isOfThisMachine);
  if (!isLocal) throw new InvalidToken(NOT_LOCAL, { headers: { 'www-authenticate': BEARER } });
  const context = { apiId: issuer.api.id, authMethodId: issuer.method.id, requestId: http.requestId, ip };
  await underLimits(
    callerLimits(OPEN, ip),
    context,
    async () => true,
    () => true,
  );
}

/** Wrong tokens count as other guesses do; a request without one is no guess. */
async function requireToken({ http, issuer, ip }: IssuerRequest): Promise<void> {
  const shown = /^bearer +(\S+)$/i.exec(http.headers['authorization']?.trim() ?? '')?.[1];
  if (shown === undefined)
    throw new InvalidToken('The registration token is missing.', { headers: { 'www-authenticate': BEARER } });
  const context = { apiId: issuer.api.id, authMethodId: issuer.method.id, requestId: http.requestId, ip };
  const expected = sha256(settings().registrationToken ?? '');
  const isRight = await underLimits(
    callerLimits(WRONG_TOKENS, ip),
    context,
    async () => equalDigests(sha256(shown), expected),
    (right) => !right,
  );
  if (!isRight)
    throw new InvalidToken('The registration token is wrong.', {
      headers: { 'www-authenticate': `${BEARER}, error="invalid_token"` },
      counted: true,
    });
}
