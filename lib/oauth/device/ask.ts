// POST ISSUER/device_authorization (RFC 8628 §3.1): a device asks for the code that a person types. What it asks for is
// checked here, as an authorize request of its client; few may wait, so that guessing a code is hopeless.
import { countAttempt } from '#lib/auth-methods/attempts.ts';
import type { Answer } from '#lib/http/message.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { addressBlock } from '#lib/http/peer-address.ts';
import { json } from '#lib/http/respond.ts';
import { settings } from '#lib/settings/settings.ts';
import { keepDeviceRequest } from '#lib/store/device/device-requests.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { attemptLimit, callerLimits } from '#lib/store/tokens/limits.ts';
import { takeBackAttempt } from '#lib/store/tokens/rate-limits.ts';
import { mint } from '#lib/tokens/formats.ts';
import { ownReturnOf } from '../authorize-request/interaction.ts';
import { identify, keptQuery, validate } from '../authorize-request/request.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/client-authentication.ts';
import { requireFirstProof } from '../clients/assertion-use.ts';
import { requireSubscription } from '../clients/client.ts';
import { type IssuerRequest, readSingleParams } from '../clients/client-request.ts';
import { nonceHeader, optionalProof } from '../clients/proof.ts';
import { UnauthorizedClient } from '../errors/errors.ts';
import { connectsDevices, DEVICES_OFF } from '../rules/devices.ts';
import { type Issuer, issuerEndpoints } from '../rules/issuer.ts';
import { RESOURCE, requireOwnResource } from '../rules/resource.ts';
import { withoutOfflineAccess } from '../rules/scope.ts';
import { newTypedCode, shownTypedCode, typedCodeHmacs } from './typed-code.ts';

/** Of a device code, and of the code that its person types (§3.2). */
const CODE_SECONDS = 600;
/** Where each poll starts a function, they come half as often. */
const INTERVAL_SECONDS = { lasting: 5, calledUp: 10 };

/**
 * What may wait. With 10,000 codes of 20^8 a guess is right with a chance of 4e-7, and one of a browser's 5 with 2e-6;
 * one of all the 120,000 that are let through in ten minutes, from 6,000 addresses, with 5 %. Who guesses a code
 * connects another's device to their own account.
 */
const WAITING = {
  what: 'devices',
  each: 20,
  windowSeconds: CODE_SECONDS,
  all: 10_000,
  allSeconds: CODE_SECONDS,
};
/** More than some addresses can take: with fewer, five of them shut a public client out. */
const WAITING_OF_CLIENT = 1_000;

export async function handleDeviceAuthorization(request: IssuerRequest): Promise<Answer> {
  const { http, ip, issuer } = request;
  const { api, method } = issuer;
  if (!connectsDevices(api)) throw new UnauthorizedClient(DEVICES_OFF, { reason: 'not-device' });
  const params = await readSingleParams(request, [RESOURCE]);
  await requireCredentials(request);
  const address = issuerEndpoints(issuer).deviceAuthorizationEndpoint;
  const proof = await optionalProof(request, { address, api });
  const client = await authenticateClient(request);
  await requireFirstProof(http, client, proof);
  const { clientId } = client;
  requireOwnResource(api, params);
  const deviceCode = mint('device');
  const of = { issuer, client, deviceCodeHash: deviceCode.hash, jkt: proof?.jkt ?? null };
  const query = requestOfDevice(params, of);
  const asked = parseForm(query);
  validate(identify(issuer, asked, deviceReturn()), asked);

  const { version } = issuer.snapshot;
  const where = { clientId, apiId: api.id, authMethodId: method.id };
  const limits = [
    ...callerLimits(WAITING, ip),
    attemptLimit('client', `devices ${clientId}`, WAITING_OF_CLIENT, CODE_SECONDS),
  ];
  const attempts = await countAttempt(limits, {
    ...where,
    requestId: http.requestId,
    ip,
    reliedOn: { version, clientId },
  });
  const intervalSeconds = settings().lasting ? INTERVAL_SECONDS.lasting : INTERVAL_SECONDS.calledUp;
  const kept = async (typedCode: string) => {
    const [typedCodeHmac] = typedCodeHmacs(typedCode);
    if (!typedCodeHmac) throw new Error('no secret');
    return keepDeviceRequest({
      ...where,
      version,
      deviceCodeHash: deviceCode.hash,
      typedCodeHmac,
      issuerHost: issuer.host,
      query,
      askedFrom: ip === null ? null : addressBlock(ip),
      attempts,
      intervalSeconds,
      seconds: CODE_SECONDS,
    });
  };
  let typedCode = newTypedCode();
  try {
    while (!(await kept(typedCode))) typedCode = newTypedCode();
  } catch (error) {
    await takeBackAttempt(limits);
    throw error;
  }
  const shown = shownTypedCode(typedCode);
  const page = `${settings().authUrl}/device`;
  return json(
    200,
    {
      device_code: deviceCode.value,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${shown}`,
      expires_in: CODE_SECONDS,
      interval: intervalSeconds,
    },
    nonceHeader(proof),
  );
}

const notForDevices = () =>
  new UnauthorizedClient('The device grant needs an approved subscription with device: true.', {
    reason: 'not-device',
  });

/** Where the person's browser ends up. */
export const deviceReturn = (): string | null => ownReturnOf({ device: { hash: '', endsAt: 0 } });

type Asking = {
  issuer: Issuer;
  client: SnapshotClient;
  deviceCodeHash: Buffer;
  /** of the key that has to redeem the code */
  jkt: Uint8Array | null;
};

/**
 * The authorize request that the person's browser continues with. Its challenge is the hash of the device code, and the
 * person always signs in for it. `offline_access` is not asked for unless the subscription names it.
 * UnauthorizedClient where the client may not connect devices.
 */
export function requestOfDevice(
  { values }: Pick<Params, 'values'>,
  { issuer, client, deviceCodeHash, jkt }: Asking,
): string {
  const subscription = requireSubscription(issuer.api, client);
  if (!subscription.device) throw notForDevices();
  const scope = values.get('scope');
  const offline = subscription.scopes.includes('offline_access') || !scope?.split(' ').includes('openid');
  const query = new Map(
    ['acr_values', 'nonce', RESOURCE].flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  if (scope !== undefined) query.set('scope', offline ? scope : withoutOfflineAccess(scope));
  if (jkt !== null) query.set('dpop_jkt', Buffer.from(jkt).toString('base64url'));
  if (issuer.host !== null) query.set('issuer_host', issuer.host);
  query
    .set('client_id', client.clientId)
    .set('response_type', 'code')
    .set('prompt', 'login')
    .set('code_challenge', deviceCodeHash.toString('base64url'))
    .set('code_challenge_method', 'S256');
  return keptQuery({ values: query, repeated: new Set() });
}
