// What the page /device shows: the field for a code; then which device asks for what, and from where (RFC 10027); then
// how it ended.
import { addressBlock } from '#lib/http/peer-address.ts';
import { utcMinute } from '#lib/kit/utc.ts';
import type { Told } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { webHost } from '#lib/registry/clients/sector.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { antiForgeryToken } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { findDeviceRequest } from '#lib/store/device/device-requests.ts';
import { findSignedInLabel } from '#lib/store/tokens/sessions.ts';
import { forSession } from '../authorize-request/for-person.ts';
import { sealInteraction } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { isOfDevice } from '../device/connect.ts';
import { readTypedCode, shownTypedCode } from '../device/typed-code.ts';
import { type ConsentShown, consentShown, digestOf } from '../pages/consent-shown.ts';
import { connectsDevices } from '../rules/devices.ts';
import { NOT_WORKING, openHostedPage, type PageInput, type Unusable } from './views.ts';

const ENDS = {
  allowed: { heading: 'device.allowed', message: 'device.allowed_lead' },
  denied: { heading: 'device.denied', message: 'device.denied_lead' },
  gone: { heading: 'device.gone', message: 'device.gone_lead' },
} as const;

type Where = {
  /** of the device: an address, or a block of them; null: not known */
  from: string | null;
  /** as UTC */
  at: string;
  /** is it the network of this browser? null: one of the two is not known */
  sameNetwork: boolean | null;
};

/** `knownBy`: the host of the client on the web, or else its id: a name says little of who asks. */
type DeviceShown = ConsentShown & { knownBy: string };

export type DeviceView =
  | {
      kind: 'code';
      /** filled in from a link; '' for one that is typed */
      code: string;
      fromLink: boolean;
      alert: Told | null;
    }
  | (DeviceShown &
      Where & {
        kind: 'ready';
        locale: string | null;
        alert: Told | null;
        interaction: string;
        antiForgery: string;
      })
  | ({ kind: 'ended' } & (typeof ENDS)[keyof typeof ENDS])
  | Unusable;

export type DeviceAlert = 'unknown' | 'limited';
const LONGEST_SECONDS = 3_600;

/** What is said above the field, where the address names it. */
function alertOf(alert: string | undefined, wait: string | undefined): Told | null {
  if (alert === 'limited') return tooManyAttempts(Math.min(Number(wait) || 1, LONGEST_SECONDS));
  return alert === 'unknown' ? 'device.unknown' : null;
}

type DeviceInput = PageInput & {
  code: string | undefined;
  alert: string | undefined;
  wait: string | undefined;
  done: string | undefined;
  /** the address of the browser */
  ip: string | null;
};

/** What a yes is a yes to. */
export const deviceShown = (request: AuthorizeRequest, label: string): DeviceShown => ({
  ...consentShown(request, label),
  knownBy: webHost(request.client.redirectUris) ?? request.client.clientId,
});

export async function viewDevice(input: DeviceInput): Promise<DeviceView> {
  const { done, interaction } = input;
  if (interaction !== undefined) return viewDecision(input);
  if (done !== undefined && Object.hasOwn(ENDS, done))
    return { kind: 'ended', ...ENDS[done as keyof typeof ENDS] };
  const code = readTypedCode(input.code ?? '');
  const alert = alertOf(input.alert, input.wait);
  return {
    kind: 'code',
    code: code === null ? '' : shownTypedCode(code),
    // the sender of a link writes all of its address, the alert as well
    fromLink: code !== null,
    alert,
  };
}

async function viewDecision(input: DeviceInput): Promise<DeviceView> {
  const opened = await openHostedPage(input);
  if ('kind' in opened) return opened;
  const { request, interaction, browser } = opened;
  if (!isOfDevice(interaction)) return NOT_WORKING;
  const { method } = request.issuer;
  const session = await readSessionHash(input.cookie, method.id);
  if (!session || session.toString('base64url') !== interaction.asked) return NOT_WORKING;
  const idleSeconds = settings().sessionIdleSeconds;
  const [known, asked] = await Promise.all([
    findSignedInLabel({ idHash: session, authMethodId: method.id, idleSeconds }),
    findDeviceRequest({
      deviceCodeHash: Buffer.from(interaction.device.hash, 'base64url'),
      browserHash: Buffer.from(browser, 'base64url'),
    }),
  ]);
  if (known === null) return NOT_WORKING;
  if (asked === null || !connectsDevices(request.issuer.api)) return { kind: 'ended', ...ENDS.gone };
  const { label, locale } = known;
  const shown = deviceShown(await forSession(request, session), label);
  const { alert = null, ...rest } = interaction;
  const sealed = sealInteraction({ ...rest, shown: { label, digest: digestOf(shown) } });
  const here = input.ip === null ? null : addressBlock(input.ip);
  return {
    kind: 'ready',
    ...shown,
    from: asked.askedFrom,
    at: utcMinute(asked.askedAt),
    sameNetwork: here === null || asked.askedFrom === null ? null : here === asked.askedFrom,
    locale,
    alert,
    interaction: sealed,
    antiForgery: antiForgeryToken(browser, sealed),
  };
}
