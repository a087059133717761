// From the authorize endpoint straight to a broker, with no page of ours in between. The request waits in the database under
// a state that only this browser can use.
import { type AuthMethod, callbackOrigin } from '#lib/auth-methods/index.ts';
import { type Answer, type HttpRequest, type Params, redirect } from '#lib/http/index.ts';
import { now, randomToken } from '#lib/kit/index.ts';
import { openTransaction } from '#lib/sessions/index.ts';
import { ASKING, type AuthorizeRequest, type Interaction, keptQuery } from '../authorize-request/index.ts';
import { brokerPage } from '../pages/index.ts';
import { countStart, keepPending, takeBackStart } from './pending-sign-in.ts';

export async function toBroker(
  http: HttpRequest,
  ip: string | null,
  startSignIn: NonNullable<AuthMethod['startSignIn']>,
  { issuer, prompt, loginHint, maxAgeSeconds }: AuthorizeRequest,
  params: Params,
  earlier: Interaction | null,
): Promise<Answer> {
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const startedAt = earlier?.startedAt ?? now().getTime();
  const authMethodId = issuer.method.id;
  const query = keptQuery(params);
  const interaction = { authMethodId, apiId: issuer.api.id, query, startedAt, browser };
  const switching = earlier?.switching === true;
  const counted = await countStart({ authMethodId, ip, requestId: http.requestId });
  const departure = await startSignIn({
    origin: callbackOrigin(),
    state: randomToken(''),
    // somebody who wants to switch accounts is not the person whom the client hints at
    loginHint: switching ? null : loginHint,
    maxAgeSeconds,
    again: switching || ASKING.some((value) => prompt.has(value)),
  });
  const headers = { 'set-cookie': cookie };
  if (departure.kind === 'unavailable') {
    await takeBackStart(counted);
    return brokerPage('unavailable', http, interaction, headers);
  }
  await keepPending({ interaction, expectation: departure.expectation, counted });
  return redirect(303, departure.location, headers);
}
