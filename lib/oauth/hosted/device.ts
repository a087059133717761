// POST /device/submit: the code that a person typed, or what they decided about the device that shows it. A right code
// leads to the sign-in of its issuer, as an authorize request of ours does.
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { forSession } from '../authorize-request/for-person.ts';
import { allowance, sealInteraction } from '../authorize-request/interaction.ts';
import { onRegistryOf } from '../authorize-request/interrupted-request.ts';
import { denyDevice, isOfDevice } from '../device/connect.ts';
import { findTyped } from '../device/typed.ts';
import { ForgedForm } from '../errors/errors.ts';
import { digestOf } from '../pages/consent-shown.ts';
import { continueLocation, type HostedForm, readHostedForm, readOwnForm } from '../pages/form.ts';
import { connectsDevices } from '../rules/devices.ts';
import { type DeviceAlert, deviceShown } from './device-view.ts';
import { rememberYes } from './remember-yes.ts';
import { asksBroker } from './second-factor.ts';

export async function handleDevice(request: HttpRequest): Promise<Answer> {
  const fields = await readOwnForm(request);
  const typed = fields.get('user_code');
  return fields.has('interaction')
    ? decided(request, await readHostedForm(request))
    : code(request, typed ?? '');
}

/** What is wrong is named in the address; the code is not, since one in the address came with a link. */
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
    const found = await findTyped({ typed, browser, ip, requestId: request.requestId });
    if (!found) return codePage('unknown', cookie);
    const { authMethodId, apiId, query, deviceCodeHash, secondsLeft } = found;
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

/** The page was shown to this session, and the yes is to what it showed: client, device and scopes. It is the consent, so
 * no second page asks. */
async function decided(request: HttpRequest, { fields, interaction }: HostedForm): Promise<Answer> {
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
  const kept = signedIn === undefined ? {} : { signedIn };
  const decision = fields.get('decision');
  if (decision === 'deny') return denyDevice({ http: request, interaction, personId: null });
  if (decision !== 'allow') throw new ForgedForm('the form holds no decision');
  const yes = (scopes: readonly string[]) =>
    continueLocation({ ...rest, ...kept, connected: asked, allowed: allowance(asked, scopes) });
  return onRegistryOf(interaction, async (requested) => {
    const authorize = await forSession(requested, session);
    if (!connectsDevices(authorize.issuer.api))
      return redirect(303, `${settings().authUrl}/device?done=gone`);
    const again = redirect(
      303,
      `${settings().authUrl}/device?interaction=${sealInteraction({ ...rest, ...kept, asked, alert: 'consent.changed' })}`,
    );
    if (!shown || shown.digest !== digestOf(deviceShown(authorize, shown.label))) return again;
    const outcome = await rememberYes(request, { authorize, interaction, session, label: shown.label });
    if (outcome === 'signed-out') throw new ForgedForm('the session has ended');
    if (outcome === 'too-weak') return redirect(303, continueLocation({ ...rest, ...kept }));
    return outcome === 'granted' ? redirect(303, yes(authorize.consentScopes)) : again;
  });
}
