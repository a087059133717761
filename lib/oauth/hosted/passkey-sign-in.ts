// POST /login/passkey: a passkey names the person and proves it, without a password.
import { accountName } from '#lib/auth-methods/attempts.ts';
import { takesPasskeys } from '#lib/factors/passkeys-place.ts';
import { passkeyChallenge } from '#lib/factors/passkeys-proof.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { signInByPasskey } from '#lib/sign-in/passkey.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { isLetIn } from '#lib/store/tokens/let-in.ts';
import { onCurrentRegistry } from '../authorize-request/current-registry.ts';
import { UnknownIssuer } from '../errors/errors.ts';
import { continueLocation, readHostedForm, signInAgain } from '../pages/form.ts';

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
