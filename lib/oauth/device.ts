// The device grant (RFC 8628): the request of a device, the user code, the connection, and polling.

import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { z } from 'zod';
import { countAttempt, underLimits } from '#lib/auth-methods/attempts.ts';
import { addressBlock, callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, json, redirect } from '#lib/http/message.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { tellOfFactor } from '#lib/mail/send.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Authorized } from '#lib/store/hot/authorize.ts';
import {
  claimDeviceRequest,
  type DeviceRequest,
  decideDeviceRequest,
  keepDeviceRequest,
  noteDevicePoll,
  type PolledDevice,
  pollDeviceRequest,
} from '#lib/store/hot/device-requests.ts';
import { attemptLimit, callerLimits, takeBackAttempt } from '#lib/store/hot/limits.ts';
import { findSecondFactorFacts } from '#lib/store/hot/sessions.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/snapshot.ts';
import { hashPresented, mint } from '#lib/tokens/formats.ts';
import { type Interaction, ownReturnOf } from './authorize/interaction.ts';
import { type AuthorizeDecision, identify, keptQuery, validate } from './authorize/request.ts';
import {
  type IssuerRequest,
  nonceHeader,
  optionalProof,
  personDenied,
  readSingleParams,
  requireFirstProof,
  requireSubscription,
} from './client.ts';
import { authenticateClient, requireCredentials } from './client-authentication.ts';
import {
  AccessDenied,
  AuthorizationPending,
  badClient,
  bodyTooLarge,
  byClient,
  clientBody,
  clientHeader,
  credentialErrors,
  type Declaration,
  type DeclaredError,
  ExpiredToken,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  issuerPath,
  type RefusalReason,
  refuses,
  SlowDown,
  serviceErrors,
  UnauthorizedClient,
  UnsupportedGrantType,
  unknownIssuer,
} from './errors.ts';
import { boundKeys, type GrantContext, type Granted, type GrantOf, tokensOfCode } from './grants/grant.ts';
import { type Issuer, issuerEndpoints } from './issuer.ts';
import {
  connectsDevices,
  DEVICE_CODE,
  DEVICES_OFF,
  RESOURCE,
  requireOwnResource,
  withoutOfflineAccess,
} from './rules.ts';

// The user code (RFC 8628 §6.1): eight letters without vowels, so that no word appears, with 34.5 bits. It is stored as
// an HMAC under GATEHOUSE_SECRET, because a plain hash of so few bits could be guessed from a stolen database.

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const TYPED_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const newTypedCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Returns the user code in the form that devices and pages show: `WDJB-MJHT`. */
export const shownTypedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Parses a typed code; case, spaces and dashes do not matter. `null`: no user code has this form. */
export function readTypedCode(typed: string): string | null {
  const code = typed
    .slice(0, 100)
    .replaceAll(/[\s\p{Dash_Punctuation}]/gu, '')
    .toUpperCase();
  return TYPED_CODE.test(code) ? code : null;
}

/** Returns one HMAC per secret, newest first, so that codes stored under an older secret are found. */
const typedCodeHmacs = (code: string): Buffer[] =>
  settings().secrets.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'user code v1', 32));
    return createHmac('sha256', key).update(code).digest();
  });

// POST ISSUER/device_authorization (RFC 8628 §3.1): a device requests a user code. The parameters are checked like
// those of an authorize request. The number of pending requests is low, so that guessing a code is hopeless.

/** Lifetime in seconds of the device code and the user code (§3.2). */
const CODE_SECONDS = 600;
/**
 * Seconds between two polls. A serverless deployment starts a function for each poll, so its interval is
 * doubled.
 */
const INTERVAL_SECONDS = { lasting: 5, calledUp: 10 };

/**
 * Limits of pending requests. With 10,000 pending codes out of 20^8 possible codes, one guess succeeds with
 * probability 4e-7, and the 5 guesses of a browser with 2e-6. All 120,000 guesses that are permitted in ten minutes,
 * from 6,000 addresses, succeed with a probability of 5 %. A successful guess connects another user’s device to the
 * guesser’s account.
 */
const WAITING = {
  what: 'devices',
  each: 20,
  windowSeconds: CODE_SECONDS,
  all: 10_000,
  allSeconds: CODE_SECONDS,
};
/**
 * Maximum number of pending requests of a client. It is higher than the limits of a few addresses together;
 * otherwise five addresses could block a public client.
 */
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
  const form = parseForm(query);
  validate(identify(issuer, form, deviceReturn()), form);

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
  const keepRequest = async (typedCode: string) => {
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
    while (!(await keepRequest(typedCode))) typedCode = newTypedCode();
  } catch (error) {
    await takeBackAttempt(limits);
    throw error;
  }
  const userCode = shownTypedCode(typedCode);
  const page = `${settings().authUrl}/device`;
  return json(
    200,
    {
      device_code: deviceCode.value,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: CODE_SECONDS,
      interval: intervalSeconds,
    },
    nonceHeader(proof),
  );
}

const notForDevices = () =>
  new UnauthorizedClient('The device grant requires an approved subscription with device: true.', {
    reason: 'not-device',
  });

/** Address of the Gatehouse page that shows the user the result of a device request. */
export const deviceReturn = (): string | null => ownReturnOf({ device: { hash: '', endsAt: 0 } });

type Asking = {
  issuer: Issuer;
  client: SnapshotClient;
  deviceCodeHash: Buffer;
  /** thumbprint of the DPoP key with which the device must redeem the code */
  jkt: Uint8Array | null;
};

/**
 * The authorize request that the user's browser continues. Its code challenge is the device code's hash, and the user
 * always signs in. Requests `offline_access` only if the subscription lists it. Throws UnauthorizedClient if the client
 * may not connect devices.
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

// Parameters and responses of the device authorization endpoint (RFC 8628 §3.1, §3.2).

const DeviceAuthorizationResponse = z.object({
  device_code: z.string().describe('For polling the token endpoint. It is never shown to the person.'),
  user_code: z.string().describe('For the person to enter, as shown: `WDJB-MJHT`.'),
  verification_uri: z
    .url()
    .describe('The address where the person enters the code. Short, and the same for every API.'),
  verification_uri_complete: z
    .url()
    .describe(
      'The same address with the code included, for a QR code. The person compares the code with the one on the device.',
    ),
  expires_in: z.int().describe('Lifetime of both codes in seconds: 600.'),
  interval: z.int().describe('Minimum number of seconds between two polls.'),
});

export const deviceDeclaration: Declaration = {
  path: issuerPath,
  header: clientHeader,
  body: z.object({
    ...clientBody,
    scope: requiredOf(
      z.string(),
      'if the API requires it',
      'Space-separated scopes. If the API does not require it, the default is all scopes of the API. `offline_access` is granted only if the subscription lists it.',
    ),
    resource: optional(
      z.url(),
      'The API that the tokens are for (RFC 8707): its url, or the origin of the url. It can be repeated in a form.',
    ),
    acr_values: optional(
      z.string(),
      'Required strength of the sign-in (RFC 9470), as at the authorize endpoint.',
    ),
    nonce: optional(z.string(), 'With the scope `openid`: returned in the ID token.'),
  }),
  answers: { DeviceAuthorizationResponse },
  errors: [
    ...refuses(InvalidRequest, [
      'The body is neither a form nor a JSON object, or a parameter other than resource is repeated.',
    ]),
    bodyTooLarge,
    ...credentialErrors,
    badClient,
    ...refuses(UnauthorizedClient, [
      'The API does not allow the device grant (`device_grant` is off). Its metadata then does not contain the endpoint.',
      'The client has no approved subscription to the API with `device: true`.',
    ]),
    ...refuses(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...refuses(InvalidTarget, ['resource is not the API of this issuer.']),
    ...refuses(InvalidRequest, ['nonce is longer than 2,048 bytes, or the request is longer than 8,192.']),
    ...refuses(SlowDown, [
      'Limit of pending devices: 20 from an address (a /64 for IPv6), 1,000 of a client, 10,000 in total. A device is pending until a person decides or ten minutes have passed. `Retry-After` contains the seconds to wait.',
    ]),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: byClient,
};

// A user code that a person types. Guesses are limited per browser, per address and in total. A correct code belongs
// to the browser that typed it first.

const WINDOW_SECONDS = 600;
const GUESSES = { what: 'user codes', each: 20, windowSeconds: WINDOW_SECONDS, all: 1_000, allSeconds: 5 };
const GUESSES_OF_BROWSER = 5;

type Typed = { typed: string; browser: string; ip: string | null; requestId: string };

/**
 * Returns the pending request of this code. Null: the code is unknown, or was first typed in another browser. Throws
 * TooManyAttempts.
 */
export async function findTyped({ typed, browser, ip, requestId }: Typed): Promise<DeviceRequest | null> {
  const code = readTypedCode(typed);
  // the format is invalid, so no guess is counted
  if (code === null) return null;
  const limits = [
    ...callerLimits(GUESSES, ip),
    attemptLimit('browser', browser, GUESSES_OF_BROWSER, WINDOW_SECONDS),
  ];
  return underLimits(
    limits,
    { requestId, ip },
    () => claimDeviceRequest(typedCodeHmacs(code), Buffer.from(browser, 'base64url')),
    (deviceRequest) => deviceRequest === null,
  );
}

// A device’s request at the authorize endpoint. Before the code is issued, a page asks the user, even for trusted
// clients. The device receives the result, and the browser shows a final page.

type DeviceInteraction = Pick<Interaction, 'browser' | 'connected' | 'authMethodId'> & {
  device: NonNullable<Interaction['device']>;
};

export const isOfDevice = (interaction: Interaction | null): interaction is Interaction & DeviceInteraction =>
  interaction?.device !== undefined;

/** Final state of a device request, which Gatehouse's page shows in the browser. */
type DeviceEnd = 'allowed' | 'denied' | 'gone';

const redirectToEnd = (end: DeviceEnd): Answer => redirect(303, `${settings().authUrl}/device?done=${end}`);

/** True if the user approved the device during this session. */
export const isConnected = ({ connected }: DeviceInteraction, session: string | null): boolean =>
  session !== null && connected === session;

/** Returns the remaining seconds for the device’s token request, at least 60. */
export const secondsLeft = ({ device }: DeviceInteraction): number =>
  Math.max(60, Math.floor((device.endsAt - now().getTime()) / 1000));

/**
 * Returns the next step of a device's request. `ask`: the device page is shown first. `on`: the request
 * continues like an ordinary authorize request.
 */
export function nextForDevice(
  decision: AuthorizeDecision,
  interaction: DeviceInteraction,
  session: string | null,
): 'ask' | 'on' {
  if (decision.kind === 'refused') throw personDenied();
  if (decision.kind === 'approval')
    throw new UnauthorizedClient('The client is no longer allowed to do this.');
  const isAsked = decision.kind === 'consent' || decision.kind === 'issue';
  return isAsked && !isConnected(interaction, session) ? 'ask' : 'on';
}

type Decided = { http: HttpRequest; interaction: DeviceInteraction; personId: string | null };

/**
 * `givenCodeHash`: hash of the code that the approval issued, or null for a denial. Returns false if the request
 * expired or was decided before.
 */
async function decide({ http, interaction, personId }: Decided, givenCodeHash: Buffer | null) {
  const { device, browser } = interaction;
  const decided = await decideDeviceRequest({
    deviceCodeHash: Buffer.from(device.hash, 'base64url'),
    browserHash: Buffer.from(browser, 'base64url'),
    givenCodeHash,
    personId,
    requestId: http.requestId,
    ip: callerAddress(http, settings().trustProxy),
  });
  // a denial requires no sign-in, so it does not reset the counted attempts
  if (decided && givenCodeHash !== null) await takeBackAttempt(decided.attempts.map((key) => ({ key })));
  return decided;
}

type Named = { client: Pick<SnapshotClient, 'name'> };

/** Throws UnauthorizedClient if the API has stopped connecting devices since the code was shown. */
export function requireDevices(api: SnapshotApi): void {
  if (!connectsDevices(api)) throw new UnauthorizedClient(DEVICES_OFF, { reason: 'not-device' });
}

/**
 * Mails the user, as for a new factor, because a stranger may have approved the request or may control the device. The
 * mail recipient is read first, so that no device is connected if reading fails.
 */
export async function connectDevice(
  { facts, client, ...of }: Omit<Decided, 'personId'> & Pick<Authorized, 'facts'> & Named,
  givenCodeHash: Buffer,
): Promise<Answer> {
  const { connected = '', authMethodId } = of.interaction;
  const idHash = Buffer.from(connected, 'base64url');
  const idleSeconds = settings().sessionIdleSeconds;
  const reader = await findSecondFactorFacts({ idHash, authMethodId, idleSeconds });
  const decided = await decide({ ...of, personId: facts?.personId ?? null }, givenCodeHash);
  if (!decided) return redirectToEnd('gone');
  const name = [plainText(client.name), decided.askedFrom].filter((part) => part !== null).join(', ');
  if (reader) tellOfFactor(reader, 'device-connected', name);
  return redirectToEnd('allowed');
}

export async function denyDevice(of: Decided): Promise<Answer> {
  return redirectToEnd((await decide(of, null)) ? 'denied' : 'gone');
}

/** True for a denial, which the device receives from any page. Every other error appears only on the user’s page. */
export const isDenial = (error: unknown): boolean => error instanceof AccessDenied;

// The device code grant (RFC 8628 §3.4): a device polls until its user has decided. An approval is an authorization
// code, which the statement of the code grant redeems: one of several parallel polls gets tokens, and later polls get
// none. A poll before the decision writes nothing, except the first poll of a process and a poll that increases the
// interval.

const REFUSED = 'The device code is unknown, already used, or was issued to another client or issuer.';

/** Milliseconds that a poll may be early, because of clock and network differences. */
const TOLERANCE_MS = 1_000;
/**
 * Seconds that slow_down adds to the interval (§3.5). The maximum interval prevents a lockout of clients that ignore
 * slow_down.
 */
const LONGER_BY_SECONDS = 5;
const LONGEST_SECONDS = 30;

const MAX_REMEMBERED = 10_000;
const slot = processWide<Map<string, number>>('device-polls');

export const deviceCodeGrant: GrantOf = ({ api }) => (connectsDevices(api) ? pollForTokens : null);

const deviceCodeRefused = (reason: RefusalReason) => new InvalidGrant(REFUSED, { reason });

async function pollForTokens({ values }: Params, context: GrantContext): Promise<Granted> {
  const { issuer, client, subscription } = context;
  const deviceCode = values.get('device_code');
  if (deviceCode === undefined) throw new InvalidRequest('device_code is missing.');
  if (!subscription.device)
    throw new UnauthorizedClient('The device grant requires an approved subscription with device: true.', {
      reason: 'not-device',
    });
  const hash = hashPresented('device', deviceCode);
  const polled = hash && (await pollDeviceRequest(hash));
  if (!polled || polled.clientId !== client.clientId) throw deviceCodeRefused('device-unknown');
  const isOfIssuer =
    polled.apiId === issuer.api.id &&
    polled.authMethodId === issuer.method.id &&
    polled.issuerHost === issuer.host;
  if (!isOfIssuer) throw deviceCodeRefused('device-other-issuer');
  if (polled.decision === 'denied') throw new AccessDenied('The person denied access.');
  if (polled.givenCodeHash !== null) {
    const { jkt } = boundKeys(context);
    const bound = { codeHash: polled.givenCodeHash, redirectUri: null, codeChallenge: null, jkt };
    const granted = await tokensOfCode(bound, context);
    if (granted) return granted;
    throw polled.isExpired ? deviceCodeExpired() : deviceCodeRefused('device-used');
  }
  if (polled.isExpired) throw deviceCodeExpired();
  await keepPace(hash, polled);
  throw new AuthorizationPending('The person has not decided yet.');
}

const deviceCodeExpired = () => new ExpiredToken('The device code has expired. Start again.');

/**
 * Throws SlowDown for an early poll. An early poll does not move the earliest time of the next poll. A client that
 * keeps the previous interval therefore succeeds, and so does a client that ignores slow_down.
 */
async function keepPace(deviceCodeHash: Buffer, polled: PolledDevice): Promise<void> {
  slot.value ??= new Map();
  const polls = slot.value;
  const name = deviceCodeHash.toString('base64url');
  const lastPoll = polls.get(name);
  const last = Math.max(lastPoll ?? 0, polled.polledAt ?? 0);
  const { intervalSeconds, polledNow } = polled;
  if (polledNow - last < intervalSeconds * 1000 - TOLERANCE_MS) {
    const longer = Math.max(intervalSeconds, Math.min(LONGEST_SECONDS, intervalSeconds + LONGER_BY_SECONDS));
    if (longer > intervalSeconds)
      await noteDevicePoll({ deviceCodeHash, intervalSeconds: longer, polledAt: last });
    throw new SlowDown(longer, `Poll at most once in ${longer} seconds.`, 400);
  }
  if (lastPoll === undefined && polls.size >= MAX_REMEMBERED) polls.delete(polls.keys().next().value ?? '');
  polls.set(name, polledNow);
  if (lastPoll === undefined) await noteDevicePoll({ deviceCodeHash, intervalSeconds, polledAt: polledNow });
}

// Parameters and errors of the token endpoint for a polling device (RFC 8628 §3.4, §3.5).

export const pollBody = {
  device_code: requiredOf(z.string(), DEVICE_CODE, 'The device code, until the person has decided.'),
};

export const pollErrors: readonly DeclaredError[] = [
  ...refuses(AuthorizationPending, [
    'The person has not decided yet: poll again after `interval` seconds. The first poll can be sent immediately.',
  ]),
  ...refuses({ code: SlowDown.code, status: 400 }, [
    'The poll came too early: the interval grows by 5 seconds, to at most 30. `Retry-After` contains the new interval. An early poll does not delay the next one.',
  ]),
  ...refuses(AccessDenied, ['The person denied the device.']),
  ...refuses(ExpiredToken, ['The device code is older than ten minutes. Start again.']),
  ...refuses(InvalidGrant, [
    'The device code is unknown, belongs to another client or issuer, or was already used. It works once.',
  ]),
  ...refuses(UnauthorizedClient, [
    'The device grant for a client without `device: true` in its subscription.',
  ]),
  ...refuses(UnsupportedGrantType, ['The device grant at an API that does not allow it.']),
];
