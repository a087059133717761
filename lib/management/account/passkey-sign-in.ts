// A passkey signs its person in to the console, without a password: a session of level 3. For people of a local method; of
// somebody who is signed in there it is a fresh proof, too.
import { passkeyChallenge, provePasskey, takesPasskeys } from '#lib/factors/index.ts';
import { countSignIn } from '#lib/observability/index.ts';
import { type ConsoleActor, readBrowser, startConsoleSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, listFactors, recordRefusal } from '#lib/store/index.ts';
import { browserOf } from './new-factor.ts';
import type { Browser, SignInResult } from './sign-in.ts';

async function passkeyMethod(authMethodId: string) {
  const method = (await currentSnapshot()).methods.get(authMethodId);
  return method && takesPasskeys(method) ? method : null;
}

type Asked = { options: string; state: string };

/** What the sign-in page asks the browser; null: nobody signs in by a passkey there. */
export async function askConsolePasskey(
  authMethodId: string,
  cookieHeader: string | undefined,
): Promise<Asked | null> {
  const browser = await readBrowser(cookieHeader);
  if (browser === null || !(await passkeyMethod(authMethodId))) return null;
  return passkeyChallenge({ browser, personId: null });
}

/** The same of somebody who is signed in, for a fresh proof. */
export async function askPasskeyAgain(actor: ConsoleActor): Promise<Asked | null> {
  if (!(await passkeyMethod(actor.session.authMethodId))) return null;
  const { passkeys } = await listFactors(actor.id);
  if (!passkeys.some(({ rpId }) => rpId === settings().passkeyRpId)) return null;
  return passkeyChallenge({ browser: browserOf(actor), personId: actor.id });
}

const ENDED: SignInResult = { kind: 'refused', told: { code: 'own_account.signed_out' } };

/** `again`: who it must be. */
export async function signInByPasskey(
  input: Browser & { authMethodId: string; state: string; response: string; again?: ConsoleActor },
): Promise<SignInResult> {
  const { authMethodId, again, ip, requestId, cookieHeader, userAgent } = input;
  const method = await passkeyMethod(authMethodId);
  const browser = again ? browserOf(again) : await readBrowser(cookieHeader);
  if (!method || browser === null) return ENDED;
  const { state, response } = input;
  const context = { requestId, ip };
  const proved = await provePasskey({ browser, state, response, personId: again?.id ?? null, context });
  const session =
    proved.kind === 'proved' &&
    (await startConsoleSession({
      ...{ cookieHeader, authMethodId, ip, userAgent, requestId },
      ...{ personId: proved.personId, personEpoch: proved.personEpoch, proof: proved.proof },
      methodEpoch: method.epoch,
    }));
  if (session) {
    countSignIn({ authMethodId }, 'succeeded');
    return { kind: 'signed-in', cookie: session.cookie };
  }
  const limited = proved.kind === 'slow-down';
  countSignIn({ authMethodId }, limited ? 'limited' : 'refused');
  if (!limited) {
    const details = { reason: 'passkey', kind: 'console' };
    const facts = { clientId: null, apiId: null, authMethodId, requestId, ip };
    await recordRefusal({ event: 'sign_in.refused', ...facts, details });
  }
  if (proved.kind === 'proved') return ENDED;
  if (proved.kind === 'refused') return { kind: proved.kind, told: { code: proved.code } };
  return { kind: proved.kind, told: { code: 'second_step.wait', values: { seconds: proved.waitSeconds } } };
}
