// The way to a broker, with no page of ours in between: from the authorize endpoint, or from the console. What was
// asked waits in the database under a state that only this browser can use.
import { callbackOrigin } from '#lib/auth-methods/callback.ts';
import type { AuthMethod } from '#lib/auth-methods/method.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { redirect } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken } from '#lib/kit/random.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { ASKING } from '../authorize-request/decide.ts';
import type { Interaction, Kept } from '../authorize-request/interaction.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { brokerPage } from '../pages/broker-page.ts';
import { countStart, keepPending, takeBackStart } from './pending-sign-in.ts';

type StartSignIn = NonNullable<AuthMethod['startSignIn']>;

/** `cookie` binds the callback to this browser. Throws TooManyAttempts. */
export async function departTo(
  startSignIn: StartSignIn,
  asked: Omit<Parameters<StartSignIn>[0], 'state'>,
  interaction: Omit<Interaction, 'browser'>,
  { cookieHeader, ...from }: { cookieHeader: string | undefined; ip: string | null; requestId: string },
): Promise<{ location: string | null; cookie: string; interaction: Interaction }> {
  const { browser, cookie } = openTransaction(cookieHeader);
  const bound = { ...interaction, browser };
  const { authMethodId } = interaction;
  const counted = await countStart({ authMethodId, ip: from.ip, requestId: from.requestId });
  const departure = await startSignIn({ ...asked, state: randomToken('') });
  if (departure.kind === 'unavailable') {
    await takeBackStart(counted);
    return { location: null, cookie, interaction: bound };
  }
  await keepPending({ interaction: bound, expectation: departure.expectation, counted });
  return { location: departure.location, cookie, interaction: bound };
}

export async function toBroker(
  http: HttpRequest,
  ip: string | null,
  startSignIn: StartSignIn,
  { issuer, prompt, loginHint, maxAgeSeconds }: AuthorizeRequest,
  kept: Kept,
  earlier: Interaction | null,
): Promise<Answer> {
  const startedAt = earlier?.startedAt ?? now().getTime();
  const switching = earlier?.switching === true;
  const asked = {
    origin: callbackOrigin(),
    // a person who switches accounts is not the one that the client's hint names
    loginHint: switching ? null : loginHint,
    maxAgeSeconds,
    again: switching || ASKING.some((value) => prompt.has(value)),
  };
  const request = {
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    ...kept,
    startedAt,
    ...(earlier?.device && { device: earlier.device }),
  };
  const from = { cookieHeader: http.headers['cookie'], ip, requestId: http.requestId };
  const { location, cookie, interaction } = await departTo(startSignIn, asked, request, from);
  const headers = { 'set-cookie': cookie };
  return location === null
    ? brokerPage('unavailable', http, interaction, headers)
    : redirect(303, location, headers);
}
