// POST /login/passkey: a passkey names the person and proves it, without a password. For people of the local store alone: whom a
// broker or a verifier vouches for is asked there each time.

import { accountName } from '#lib/auth-methods/index.ts';
import { passkeyChallenge, provePasskey, takesPasskeys } from '#lib/factors/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import { countSignIn } from '#lib/observability/index.ts';
import { rememberDevice, startSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { isLetIn, recentSnapshot, type SnapshotMethod } from '#lib/store/index.ts';
import { type Interaction, onCurrentRegistry } from '../authorize-request/index.ts';
import { UnknownIssuer } from '../errors/index.ts';
import {
  continueLocation,
  NOT_LET_IN,
  readHostedForm,
  recordSignInRefusal,
  signInAgain,
} from '../pages/index.ts';

/** What the page asks the browser; null: nobody signs in by a passkey here. */
export async function askForPasskey(
  method: SnapshotMethod,
  browser: string,
): Promise<{ options: string; state: string } | null> {
  return takesPasskeys(method) ? passkeyChallenge({ browser, personId: null }) : null;
}

export async function handlePasskeySignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const use = { read: recentSnapshot, clientId: async () => null };
  const outcome = await onCurrentRegistry(use, async ({ methods }) => {
    const method = methods.get(interaction.authMethodId);
    if (!method || !takesPasskeys(method)) throw new UnknownIssuer('this method takes no passkeys');
    return signIn(request, { interaction, method, fields });
  });
  countSignIn(interaction, COUNTED_AS[outcome.kind]);
  if (outcome.kind !== 'signed_in') {
    // an answer that was not looked at is no refusal
    if (outcome.kind === 'refused') await recordSignInRefusal(request, interaction, 'passkey');
    return signInAgain(interaction, outcome.message);
  }
  const { alert, username, ...rest } = interaction;
  const next = { ...rest, signedIn: outcome.session.idHash.toString('base64url') };
  return redirect(303, continueLocation(next), { 'set-cookie': outcome.cookies });
}

const COUNTED_AS = { signed_in: 'succeeded', refused: 'refused', 'slow-down': 'limited' } as const;

type Outcome =
  | { kind: 'signed_in'; session: { idHash: Buffer }; cookies: string[] }
  | { kind: 'refused' | 'slow-down'; message: string };

const ENDED = 'You cannot be signed in just now. Try again.';

async function signIn(
  request: HttpRequest,
  asked: { interaction: Interaction; method: SnapshotMethod; fields: ReadonlyMap<string, string> },
): Promise<Outcome> {
  const { interaction, method, fields } = asked;
  const { requestId, headers } = request;
  const ip = callerAddress(request, settings().trustProxy);
  const proved = await provePasskey({
    browser: interaction.browser,
    state: fields.get('passkey_state') ?? '',
    response: fields.get('credential') ?? '',
    personId: null,
    context: { requestId, ip },
  });
  if (proved.kind === 'refused') return { kind: proved.kind, message: wordsOf('en').t(proved.code) };
  if (proved.kind === 'slow-down') {
    const message = wordsOf('en').t('second_step.wait', { seconds: proved.waitSeconds });
    return { kind: proved.kind, message };
  }
  const session = await startSession({
    ...proved,
    cookieHeader: headers['cookie'],
    authMethodId: method.id,
    methodEpoch: method.epoch,
    amr: proved.proof.amr,
    acrLevel: proved.proof.level,
    ip,
    userAgent: headers['user-agent'] ?? null,
    requestId,
  });
  if (!session) {
    const letIn = await isLetIn(proved.personId, method.id);
    return { kind: 'refused', message: letIn ? ENDED : NOT_LET_IN };
  }
  const device = proved.email && rememberDevice(headers['cookie'], accountName(method, proved.email), proved);
  return { kind: 'signed_in', session, cookies: [session.cookie, ...(device ? [device] : [])] };
}
