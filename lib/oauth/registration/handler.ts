// POST ISSUER/register (RFC 7591), for callers with REGISTRATION_TOKEN. The new client waits: it has a pending
// subscription to the issuer's API, for the approvers' inbox.
import { recordEvent } from '#lib/audit/index.ts';
import { underLimits } from '#lib/auth-methods/index.ts';
import { type Answer, json, readText } from '#lib/http/index.ts';
import { equalDigests, sha256 } from '#lib/kit/index.ts';
import { tellApprovers } from '#lib/mail/index.ts';
import { takesSecret } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { callerLimits, insertRegistration, inTransaction } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import type { IssuerRequest } from '../clients/index.ts';
import { InvalidRequest, InvalidToken, SlowDown, UnknownIssuer } from '../errors/index.ts';
import { readRegistration, registeredMetadata } from './metadata.ts';

/** At one API at a time. */
const MAX_WAITING = 100;
const FULL = `${MAX_WAITING} registered clients wait for an approver of this API. Ask one to decide, then register again.`;
const FULL_SECONDS = 600;
const WRONG_TOKENS = { what: 'registrations', each: 60, windowSeconds: 300, all: 2_000, allSeconds: 5 };
const BEARER = 'Bearer realm="Gatehouse"';

export async function handleRegistration(request: IssuerRequest): Promise<Answer> {
  await requireToken(request);
  const { http, issuer, ip } = request;
  if (!/^application\/json *(;|$)/i.test(http.headers['content-type'] ?? ''))
    throw new InvalidRequest('The content type must be application/json.');
  const registration = readRegistration(await readText(http), issuer.api);
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
  });
  tellApprovers({ clientId, api: issuer.api.id });
  return json(201, {
    ...registeredMetadata(registration, issuer.api),
    ...(secret && { client_secret: secret.value, client_secret_expires_at: 0 }),
  });
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
