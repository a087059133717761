// POST /login/submit: proves who the person is and goes on. One message for every wrong attempt.
import {
  accountName,
  authMethod,
  passwordLimits,
  underLimits,
  type Verdict,
} from '#lib/auth-methods/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { readKnownDevice, rememberDevice, startSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, recordRefusal } from '#lib/store/index.ts';
import { type Interaction, sealInteraction } from '../authorize/interaction.ts';
import { SlowDown, UnknownIssuer } from '../errors.ts';
import { logError, toOAuthError } from '../respond-error.ts';
import { continueLocation, readHostedForm } from './form.ts';

const WRONG = 'E-mail or password is not right.';
const UNAVAILABLE = 'The service that checks your password is not answering. Try again in a moment.';

export async function handleSignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const username = (fields.get('username') ?? '').trim().slice(0, 320);
  const password = fields.get('password') ?? '';
  const ip = callerAddress(request, settings().trustProxy);

  const verdict = await check(request, interaction, username, password);
  // nothing was checked: nothing is noted
  if (verdict.kind === 'slow_down' || verdict.kind === 'empty')
    return again(interaction, username, verdict.message);
  const session =
    verdict.kind === 'identity'
      ? await startSession({
          cookieHeader: request.headers['cookie'],
          authMethodId: interaction.authMethodId,
          personId: verdict.personId,
          personEpoch: verdict.personEpoch,
          ip,
          userAgent: request.headers['user-agent'] ?? null,
          requestId: request.requestId,
        })
      : null;
  if (verdict.kind !== 'identity' || session === null) {
    const refused = verdict.kind === 'identity' ? { kind: 'refused', message: WRONG } : verdict;
    await recordRefusal({
      event: 'sign_in.refused',
      clientId: null,
      apiId: interaction.apiId,
      authMethodId: interaction.authMethodId,
      requestId: request.requestId,
      ip,
      details: { reason: refused.kind },
    });
    return again(interaction, username, refused.message);
  }
  const { alert, username: _, ...rest } = interaction;
  const next = { ...rest, signedIn: session.idHash.toString('base64url') };
  const device = rememberDevice(request.headers['cookie'], verdict.account);
  return redirect(303, continueLocation(next), { 'set-cookie': [session.cookie, device] });
}

type Outcome =
  | (Extract<Verdict, { kind: 'identity' }> & { account: string })
  | { kind: 'refused' | 'unavailable' | 'slow_down' | 'empty'; message: string };

async function check(
  request: HttpRequest,
  interaction: Interaction,
  username: string,
  password: string,
): Promise<Outcome> {
  const method = (await currentSnapshot()).methods.get(interaction.authMethodId);
  const verifyPassword = method && authMethod(method).verifyPassword;
  if (!method || !verifyPassword) throw new UnknownIssuer('no such method');
  if (username === '' || password === '') return { kind: 'empty', message: WRONG };
  const account = accountName(method, username);
  const ip = callerAddress(request, settings().trustProxy);
  const device = readKnownDevice(request.headers['cookie'], account);
  const limits = passwordLimits({ account, address: ip, confidentialClientId: null, device });
  const asker = device === null ? 'stranger' : 'known';
  const { requestId } = request;
  try {
    const verdict = await underLimits(
      limits,
      { authMethodId: method.id, apiId: interaction.apiId, requestId, ip },
      () => verifyPassword(username, password, asker),
      (result) => result.kind === 'refused',
    );
    if (verdict.kind === 'refused') return { kind: 'refused', message: WRONG };
    if (verdict.kind === 'unavailable') return { kind: 'unavailable', message: UNAVAILABLE };
    return { ...verdict, account };
  } catch (thrown) {
    const error = toOAuthError(thrown);
    logError(error, request);
    if (error instanceof SlowDown) return { kind: 'slow_down', message: error.message };
    throw thrown;
  }
}

function again(interaction: Interaction, username: string, alert: string): Answer {
  const sealed = sealInteraction({ ...interaction, username, alert });
  return redirect(303, `${settings().authUrl}/login?interaction=${sealed}`);
}
