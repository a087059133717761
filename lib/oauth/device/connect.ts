// What becomes of a device's request at the authorize address. Before a code is given there is a page that asks, also
// where the client is trusted; the answer goes to the device, and the browser to a page that says so.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import { tellOfFactor } from '#lib/mail/tell-factor.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { settings } from '#lib/settings/settings.ts';
import { decideDeviceRequest } from '#lib/store/device/device-requests.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { findSecondFactorFacts } from '#lib/store/sign-in/second-factor.ts';
import type { Authorized } from '#lib/store/tokens/authorize.ts';
import { takeBackAttempt } from '#lib/store/tokens/rate-limits.ts';
import type { AuthorizeDecision } from '../authorize-request/decide.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { personDenied } from '../clients/client.ts';
import { AccessDenied, UnauthorizedClient } from '../errors/errors.ts';
import { connectsDevices, DEVICES_OFF } from '../rules/devices.ts';

type DeviceInteraction = Pick<Interaction, 'browser' | 'connected' | 'authMethodId'> & {
  device: NonNullable<Interaction['device']>;
};

export const isOfDevice = (interaction: Interaction | null): interaction is Interaction & DeviceInteraction =>
  interaction?.device !== undefined;

/** How the browser ends up: as the page of ours says it. */
export type DeviceEnd = 'allowed' | 'denied' | 'gone';

const ended = (end: DeviceEnd): Answer => redirect(303, `${settings().authUrl}/device?done=${end}`);

/** Has the person, with this session, said yes to the device? */
export const isConnected = ({ connected }: DeviceInteraction, session: string | null): boolean =>
  session !== null && connected === session;

/** How long the device may still fetch its tokens, at least a minute. */
export const secondsLeft = ({ device }: DeviceInteraction): number =>
  Math.max(60, Math.floor((device.endsAt - now().getTime()) / 1000));

/** `ask`: the page that asks about the device comes first. `on`: as with any other request. */
export function nextForDevice(
  decision: AuthorizeDecision,
  interaction: DeviceInteraction,
  session: string | null,
): 'ask' | 'on' {
  if (decision.kind === 'refused') throw personDenied();
  if (decision.kind === 'approval') throw new UnauthorizedClient('This client may no longer do this.');
  const isAsked = decision.kind === 'consent' || decision.kind === 'issue';
  return isAsked && !isConnected(interaction, session) ? 'ask' : 'on';
}

type Decided = { http: HttpRequest; interaction: DeviceInteraction; personId: string | null };

/** `givenCodeHash`: of the code that the yes made; null: a no. False: it has expired, or was decided before. */
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
  // a no needs no sign-in, so it makes no room
  if (decided && givenCodeHash !== null) await takeBackAttempt(decided.attempts.map((key) => ({ key })));
  return decided;
}

type Named = { client: Pick<SnapshotClient, 'name'> };

/** The API has stopped to connect devices since the code was shown. */
export function requireDevices(api: SnapshotApi): void {
  if (!connectsDevices(api)) throw new UnauthorizedClient(DEVICES_OFF, { reason: 'not-device' });
}

/**
 * The person is told by mail, as of a new factor: it may not have been them, or a stranger's device. Who that is, is
 * read first: where that fails no device is connected.
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
  if (!decided) return ended('gone');
  const name = [plainText(client.name), decided.askedFrom].filter((part) => part !== null).join(', ');
  if (reader) tellOfFactor(reader, 'device-connected', name);
  return ended('allowed');
}

export async function denyDevice(of: Decided): Promise<Answer> {
  return ended((await decide(of, null)) ? 'denied' : 'gone');
}

/** The person's no, on whichever page, is told to the device; everything else is only said to the person. */
export const isDenial = (error: unknown): boolean => error instanceof AccessDenied;
