// The device code grant (RFC 8628 §3.4): a device polls until its person has decided. The yes is a code of ours, which
// the statement of the code grant redeems: of parallel polls one gets tokens, and no poll after it. A poll that finds
// nothing decided writes nothing, but for the first of a process and for one that makes the pause longer.
import type { Params } from '#lib/http/params.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { noteDevicePoll, type PolledDevice, pollDeviceRequest } from '#lib/store/device/device-requests.ts';
import { hashPresented } from '#lib/tokens/formats.ts';
import { AuthorizationPending, ExpiredToken } from '../errors/device-errors.ts';
import {
  AccessDenied,
  InvalidGrant,
  InvalidRequest,
  type RefusalReason,
  SlowDown,
  UnauthorizedClient,
} from '../errors/errors.ts';
import { connectsDevices } from '../rules/devices.ts';
import { tokensOfCode } from './authorization-code.ts';
import { boundKeys, type GrantContext, type Granted, type GrantOf } from './grant.ts';

const REFUSED = 'The device code is unknown, used, or was not given for this request.';

/** Of what a device is told, and of what its clock and the network make of that. */
const TOLERANCE_MS = 1_000;
/** §3.5; no pause becomes so long that a client which never slows down is shut out. */
const LONGER_BY_SECONDS = 5;
const LONGEST_SECONDS = 30;

const MAX_REMEMBERED = 10_000;
const slot = processWide<Map<string, number>>('device-polls');

export const deviceCodeGrant: GrantOf = ({ api }) => (connectsDevices(api) ? pollForTokens : null);

const refused = (reason: RefusalReason) => new InvalidGrant(REFUSED, { reason });

async function pollForTokens({ values }: Params, context: GrantContext): Promise<Granted> {
  const { issuer, client, subscription } = context;
  const deviceCode = values.get('device_code');
  if (deviceCode === undefined) throw new InvalidRequest('device_code is missing.');
  if (!subscription.device)
    throw new UnauthorizedClient('The device grant needs an approved subscription with device: true.', {
      reason: 'not-device',
    });
  const hash = hashPresented('device', deviceCode);
  const polled = hash && (await pollDeviceRequest(hash));
  if (!polled || polled.clientId !== client.clientId) throw refused('device-unknown');
  const isOfIssuer =
    polled.apiId === issuer.api.id &&
    polled.authMethodId === issuer.method.id &&
    polled.issuerHost === issuer.host;
  if (!isOfIssuer) throw refused('device-other-issuer');
  if (polled.decision === 'denied') throw new AccessDenied('The person did not agree.');
  if (polled.givenCodeHash !== null) {
    const { jkt } = boundKeys(context);
    const bound = { codeHash: polled.givenCodeHash, redirectUri: null, codeChallenge: null, jkt };
    const granted = await tokensOfCode(bound, context);
    if (granted) return granted;
    throw polled.isExpired ? expired() : refused('device-used');
  }
  if (polled.isExpired) throw expired();
  await keepPace(hash, polled);
  throw new AuthorizationPending('The person has not decided yet.');
}

const expired = () => new ExpiredToken('The device code has expired: start again.');

/**
 * SlowDown for a poll that comes too early. Its time does not count, so a client that keeps to the pause of before is
 * let through again, as is one that never slows down.
 */
async function keepPace(deviceCodeHash: Buffer, polled: PolledDevice): Promise<void> {
  slot.value ??= new Map();
  const polls = slot.value;
  const name = deviceCodeHash.toString('base64url');
  const known = polls.get(name);
  const last = Math.max(known ?? 0, polled.polledAt ?? 0);
  const { intervalSeconds, polledNow } = polled;
  if (polledNow - last < intervalSeconds * 1000 - TOLERANCE_MS) {
    const longer = Math.max(intervalSeconds, Math.min(LONGEST_SECONDS, intervalSeconds + LONGER_BY_SECONDS));
    if (longer > intervalSeconds)
      await noteDevicePoll({ deviceCodeHash, intervalSeconds: longer, polledAt: last });
    throw new SlowDown(longer, `Poll every ${longer} seconds, not more often.`, 400);
  }
  if (known === undefined && polls.size >= MAX_REMEMBERED) polls.delete(polls.keys().next().value ?? '');
  polls.set(name, polledNow);
  if (known === undefined) await noteDevicePoll({ deviceCodeHash, intervalSeconds, polledAt: polledNow });
}
