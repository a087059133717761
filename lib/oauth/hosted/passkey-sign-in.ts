// POST /login/passkey: a passkey names the person and proves it, without a password.
import { accountName } from '#lib/auth-methods/index.ts';
import { passkeyChallenge, takesPasskeys } from '#lib/factors/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { rememberDevice, startSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { signInByPasskey } from '#lib/sign-in/index.ts';
import { isLetIn, recentSnapshot, type SnapshotMethod } from '#lib/store/index.ts';
import { onCurrentRegistry } from '../authorize-request/index.ts';
import { UnknownIssuer } from '../errors/index.ts';
import { continueLocation, readHostedForm, signInAgain } from '../pages/index.ts';

/** What the page asks the browser; null: passkeys do not sign in here. */
export async function askForPasskey(
  method: SnapshotMethod,
  browser: string,
): Promise<{ options: string; state: string } | null> {
  return takesPasskeys(method) ? passkeyChallenge({ browser, personId: null }) : null;
}

export async function handlePasskeySignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const { requestId, headers } = request;
  const where = { apiId: interaction.apiId, requestId, ip: callerAddress(request, settings().trustProxy) };
  const cookieHeader = headers['cookie'];
  const userAgent = headers['user-agent'] ?? null;
  const use = { read: recentSnapshot, clientId: async () => null };
  return onCurrentRegistry(use, async ({ methods }) => {
    const method = methods.get(interaction.authMethodId);
    if (!method || !takesPasskeys(method)) throw new UnknownIssuer('this method takes no passkeys');
    const outcome = await signInByPasskey(
      {
        method,
        browser: interaction.browser,
        state: fields.get('passkey_state') ?? '',
        response: fields.get('credential') ?? '',
        personId: null,
        where,
      },
      (proved) => startSession({ ...proved, ...where, cookieHeader, userAgent }),
    );
    if (outcome.kind === 'not-started') {
      const letIn = await isLetIn(outcome.personId, method.id);
      return signInAgain(interaction, letIn ? 'sign_in.passkey_failed' : 'sign_in.not_let_in');
    }
    if (outcome.kind !== 'signed-in') {
      return signInAgain(interaction, outcome.told);
    }
    const { session, proved } = outcome;
    const { alert, username, ...rest } = interaction;
    const next = { ...rest, signedIn: session.idHash.toString('base64url') };
    const device = proved.email && rememberDevice(cookieHeader, accountName(method, proved.email), proved);
    const cookies = [session.cookie, ...(device ? [device] : [])];
    return redirect(303, continueLocation(next), { 'set-cookie': cookies });
  });
}
