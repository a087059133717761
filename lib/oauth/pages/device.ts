// The device page and its form.
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { webHost } from '#lib/catalogue/clients/definition.ts';
import { addressBlock, callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, redirect } from '#lib/http/message.ts';
import { now, utcMinute } from '#lib/kit/clock.ts';
import { type Told, tooManyAttempts } from '#lib/language/message.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { antiForgeryToken, openTransaction } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { findDeviceRequest } from '#lib/store/hot/device-requests.ts';
import { findSignedInLabel } from '#lib/store/hot/sessions.ts';
import { allowance, sealInteraction } from '../authorize/interaction.ts';
import { type AuthorizeRequest, forSession, onRegistryOf } from '../authorize/request.ts';
import { denyDevice, findTyped, isOfDevice, readTypedCode, shownTypedCode } from '../device.ts';
import { ForgedForm } from '../errors.ts';
import { connectsDevices } from '../rules.ts';
import { rememberYes } from './consent.ts';
import {
  type ConsentShown,
  consentShown,
  continueLocation,
  digestOf,
  type HostedForm,
  NOT_WORKING,
  openHostedPage,
  type PageInput,
  readHostedForm,
  readOwnForm,
  type Unusable,
} from './frame.ts';
import { asksBroker } from './second-step.ts';

// Contents of /device: first the code field, then the requesting device with its network address (RFC 10027), then the
// result.

const ENDS = {
  allowed: { heading: 'device.allowed', message: 'device.allowed_lead' },
  denied: { heading: 'device.denied', message: 'device.denied_lead' },
  gone: { heading: 'device.gone', message: 'device.gone_lead' },
} as const;

type Where = {
  /** address or address block of the device; null: unknown */
  from: string | null;
  /** time of the request in UTC */
  at: string;
  /** true: device and browser share a network; null: one of the networks is unknown */
  sameNetwork: boolean | null;
};

/**
 * Content of the page about a device. `knownBy`: the web host of the client, or its id if it has none, because a name
 * proves little.
 */
type DeviceShown = ConsentShown & { knownBy: string };

export type DeviceView =
  | {
      kind: 'code';
      /** code that a link prefilled, otherwise '' */
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

type DeviceAlert = 'unknown' | 'limited';
const LONGEST_SECONDS = 3_600;

/** Returns the alert above the code field, which the page's address contains. */
function codeAlert(alert: string | undefined, wait: string | undefined): Told | null {
  if (alert === 'limited') {
    const seconds = Math.ceil(Number(wait));
    return tooManyAttempts(seconds >= 1 ? Math.min(seconds, LONGEST_SECONDS) : 1);
  }
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

/** Returns the shown content, which the user's approval covers. */
const deviceShown = (request: AuthorizeRequest, label: string): DeviceShown => ({
  ...consentShown(request, label),
  knownBy: webHost(request.client.redirectUris) ?? request.client.clientId,
});

export async function viewDevice(input: DeviceInput): Promise<DeviceView> {
  const { done, interaction } = input;
  if (interaction !== undefined) return viewDecision(input);
  if (done !== undefined && Object.hasOwn(ENDS, done))
    return { kind: 'ended', ...ENDS[done as keyof typeof ENDS] };
  const code = readTypedCode(input.code ?? '');
  const alert = codeAlert(input.alert, input.wait);
  return {
    kind: 'code',
    code: code === null ? '' : shownTypedCode(code),
    // the author of a link controls the whole address, including the alert
    fromLink: code !== null,
    alert,
  };
}

async function viewDecision(input: DeviceInput): Promise<DeviceView> {
  const hostedPage = await openHostedPage(input);
  if ('kind' in hostedPage) return hostedPage;
  const { request, interaction, browser } = hostedPage;
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
  const deviceContent = deviceShown(await forSession(request, session), label);
  const { alert = null, ...rest } = interaction;
  const sealed = sealInteraction({ ...rest, shown: { label, digest: digestOf(deviceContent) } });
  const here = input.ip === null ? null : addressBlock(input.ip);
  return {
    kind: 'ready',
    ...deviceContent,
    from: asked.askedFrom,
    at: utcMinute(asked.askedAt),
    sameNetwork: here === null || asked.askedFrom === null ? null : here === asked.askedFrom,
    locale,
    alert,
    interaction: sealed,
    antiForgery: antiForgeryToken(browser, sealed),
  };
}

// POST /device/submit: a typed code, or the decision about a device. A valid code starts its issuer's sign-in like an
// authorize request.

export async function handleDevice(request: HttpRequest): Promise<Answer> {
  const fields = await readOwnForm(request);
  const typed = fields.get('user_code');
  return fields.has('interaction')
    ? decideDevice(request, await readHostedForm(request))
    : code(request, typed ?? '');
}

/**
 * Redirects to the page with the code field. The address contains the alert but never the code, because a code in an
 * address indicates a link.
 */
const codePage = (alert: DeviceAlert, cookie: string, wait?: number): Answer => {
  const query = new URLSearchParams({
    alert,
    ...(wait !== undefined && { wait: String(wait) }),
  });
  return redirect(303, `${settings().authUrl}/device?${query}`, { 'set-cookie': cookie });
};

async function code(request: HttpRequest, typed: string): Promise<Answer> {
  const { browser, cookie } = openTransaction(request.headers['cookie']);
  const ip = callerAddress(request, settings().trustProxy);
  try {
    const deviceRequest = await findTyped({ typed, browser, ip, requestId: request.requestId });
    if (!deviceRequest) return codePage('unknown', cookie);
    const { authMethodId, apiId, query, deviceCodeHash, secondsLeft } = deviceRequest;
    const startedAt = now().getTime();
    const device = {
      hash: Buffer.from(deviceCodeHash).toString('base64url'),
      endsAt: startedAt + secondsLeft * 1000,
    };
    const location = continueLocation({ authMethodId, apiId, query, startedAt, browser, device });
    return redirect(303, location, { 'set-cookie': cookie });
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    return codePage('limited', cookie, error.waitSeconds);
  }
}

/**
 * The form must match the session and the shown client, device and scopes. Approval counts as consent, so no second
 * page follows.
 */
async function decideDevice(request: HttpRequest, { fields, interaction }: HostedForm): Promise<Answer> {
  const { authMethodId } = interaction;
  const session = await readSessionHash(request.headers['cookie'], authMethodId);
  if (!isOfDevice(interaction)) throw new ForgedForm('the form is about no device');
  if (!session || session.toString('base64url') !== interaction.asked)
    throw new ForgedForm('the session is not the one that was asked');
  const { asked, shown, signedIn, ...rest } = interaction;
  if (fields.has('switch')) {
    const location = (await asksBroker(authMethodId))
      ? continueLocation({ ...rest, switching: true })
      : `${settings().authUrl}/login?interaction=${sealInteraction(rest)}`;
    return redirect(303, location);
  }
  const signInPart = signedIn === undefined ? {} : { signedIn };
  const decision = fields.get('decision');
  if (decision === 'deny') return denyDevice({ http: request, interaction, personId: null });
  if (decision !== 'allow') throw new ForgedForm('the form holds no decision');
  const yes = (scopes: readonly string[]) =>
    continueLocation({ ...rest, ...signInPart, connected: asked, allowed: allowance(asked, scopes) });
  return onRegistryOf(interaction, async (requested) => {
    const authorize = await forSession(requested, session);
    if (!connectsDevices(authorize.issuer.api))
      return redirect(303, `${settings().authUrl}/device?done=gone`);
    const again = redirect(
      303,
      `${settings().authUrl}/device?interaction=${sealInteraction({ ...rest, ...signInPart, asked, alert: 'consent.changed' })}`,
    );
    if (!shown || shown.digest !== digestOf(deviceShown(authorize, shown.label))) return again;
    const outcome = await rememberYes(request, { authorize, interaction, session, label: shown.label });
    if (outcome === 'signed-out') throw new ForgedForm('the session has ended');
    if (outcome === 'too-weak') return redirect(303, continueLocation({ ...rest, ...signInPart }));
    return outcome === 'granted' ? redirect(303, yes(authorize.consentScopes)) : again;
  });
}
