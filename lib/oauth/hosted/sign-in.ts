// POST /login/submit: checks the password and starts the session. One message for every wrong attempt.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { noteSignIn } from '#lib/sign-in/note.ts';
import { sealOwedPassword } from '#lib/sign-in/owed-password.ts';
import { signInByPassword, typedName, wrongSignIn } from '#lib/sign-in/password.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import { onCurrentRegistry } from '../authorize-request/current-registry.ts';
import { type Interaction, sealInteraction } from '../authorize-request/interaction.ts';
import { SlowDown, UnknownIssuer } from '../errors/errors.ts';
import { logError, toOAuthError } from '../errors/to-oauth-error.ts';
import { continueLocation, readHostedForm, signInAgain } from '../pages/form.ts';

/** The page shows the address where it is changed beside it. */
export const MUST_CHANGE = 'sign_in.must_change';

const WRONG = 'sign_in.wrong';
const MESSAGES = {
  refused: WRONG,
  empty: WRONG,
  'must-change': MUST_CHANGE,
  'not-let-in': 'sign_in.not_let_in',
  unavailable: 'sign_in.unavailable',
} as const;

export async function handleSignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const username = typedName(fields.get('username') ?? '');
  const password = fields.get('password') ?? '';
  const { authMethodId, apiId } = interaction;
  const from = { requestId: request.requestId, ip: callerAddress(request, settings().trustProxy) };

  const outcome = await check(request, interaction, { username, password, ...from });
  const where = { authMethodId, apiId, ...from };
  if (outcome.kind === 'owes-password') {
    await noteSignIn(where, 'refused', outcome.kind);
    return toNewPassword(interaction, outcome.proved);
  }
  const told = 'told' in outcome ? outcome.told : undefined;
  if (outcome.kind !== 'empty') await noteSignIn(where, outcome.kind, outcome.kind, told);
  if (outcome.kind === 'slow-down')
    return signInAgain(interaction, tooManyAttempts(outcome.waitSeconds), username);
  if (outcome.kind !== 'signed-in') {
    const alert = MESSAGES[outcome.kind] === WRONG ? await wrongAt(authMethodId) : MESSAGES[outcome.kind];
    return signInAgain(interaction, alert, username);
  }
  const { session, proved } = outcome;
  const { alert, username: _, ...rest } = interaction;
  const next = { ...rest, signedIn: session.idHash.toString('base64url') };
  const device = rememberDevice(request.headers['cookie'], proved.account, proved);
  return redirect(303, continueLocation(next), { 'set-cookie': [session.cookie, device] });
}

async function wrongAt(authMethodId: string) {
  const snapshot = await recentSnapshot();
  const method = snapshot.methods.get(authMethodId);
  return method ? wrongSignIn(method, snapshot) : WRONG;
}

/** The page that asks for a new password. */
export const newPasswordAddress = (interaction: Interaction): string =>
  `${settings().authUrl}/new-password?interaction=${sealInteraction(interaction)}`;

function toNewPassword(
  { alert: _, username: __, ...rest }: Interaction,
  proved: Parameters<typeof sealOwedPassword>[0],
): Answer {
  const { authMethodId, browser: holder } = rest;
  const owedPassword = sealOwedPassword(proved, { authMethodId, holder });
  return redirect(303, newPasswordAddress({ ...rest, owedPassword }));
}

type Attempt = { username: string; password: string; requestId: string; ip: string | null };

async function check(request: HttpRequest, { authMethodId, apiId }: Interaction, attempt: Attempt) {
  const browser = {
    cookieHeader: request.headers['cookie'],
    userAgent: request.headers['user-agent'] ?? null,
    requestId: attempt.requestId,
    ip: attempt.ip,
  };
  try {
    const use = { read: recentSnapshot, clientId: async () => null };
    return await onCurrentRegistry(use, async ({ methods, version }) => {
      const method = methods.get(authMethodId);
      if (!method) throw new UnknownIssuer('no such method');
      const asked = { ...browser, ...attempt, method, apiId, reliedOn: { version, clientId: null } };
      const outcome = await signInByPassword(asked, async (proved) =>
        proved.letIn === false ? null : startSession({ ...browser, ...proved }),
      );
      if (outcome === null) throw new UnknownIssuer('this method checks no passwords');
      if (outcome.kind === 'slow-down') throw new SlowDown(outcome.waitSeconds);
      return outcome;
    });
  } catch (thrown) {
    const error = toOAuthError(thrown);
    if (!(error instanceof SlowDown)) throw thrown;
    logError(error, request);
    return { kind: 'slow-down', waitSeconds: error.retryAfterSeconds } as const;
  }
}
