// A passkey signs its person in to the console, without a password: a session of level 3. For people of a local method;
// with a session it is a fresh proof, too.
import { takesPasskeys } from '#lib/factors/passkeys-place.ts';
import { passkeyChallenge } from '#lib/factors/passkeys-proof.ts';
import { type ConsoleActor, startConsoleSession } from '#lib/sessions/console.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { signInByPasskey } from '#lib/sign-in/passkey.ts';
import { listFactors } from '#lib/store/people/factors.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { browserOf } from './new-factor.ts';
import type { Browser, SignInResult } from './sign-in.ts';

async function passkeyMethod(authMethodId: string) {
  const method = (await currentSnapshot()).methods.get(authMethodId);
  return method && takesPasskeys(method) ? method : null;
}

type Asked = { options: string; state: string };

/** What the sign-in page asks the browser; null: passkeys do not sign in there. */
export async function askConsolePasskey(
  authMethodId: string,
  cookieHeader: string | undefined,
): Promise<Asked | null> {
  const browser = await readBrowser(cookieHeader);
  if (browser === null || !(await passkeyMethod(authMethodId))) return null;
  return passkeyChallenge({ browser, personId: null });
}

/** The same for a person who is signed in, for a fresh proof. */
export async function askPasskeyAgain(actor: ConsoleActor): Promise<Asked | null> {
  if (!(await passkeyMethod(actor.session.authMethodId))) return null;
  const { passkeys } = await listFactors(actor.id);
  if (!passkeys.some(({ rpId }) => rpId === settings().passkeyRpId)) return null;
  return passkeyChallenge({ browser: browserOf(actor), personId: actor.id });
}

const ENDED: SignInResult = { kind: 'refused', told: { code: 'own_account.signed_out' } };

/** `again`: who it must be. */
export async function signInToConsoleByPasskey(
  input: Browser & { authMethodId: string; state: string; response: string; again?: ConsoleActor },
): Promise<SignInResult> {
  const { authMethodId, again, ip, requestId, cookieHeader, userAgent, state, response } = input;
  const method = await passkeyMethod(authMethodId);
  const browser = again ? browserOf(again) : await readBrowser(cookieHeader);
  if (!method || browser === null) return ENDED;
  const where = { at: 'console', requestId, ip } as const;
  const asked = { method, browser, state, response, personId: again?.id ?? null, where };
  const outcome = await signInByPasskey(asked, (proved) =>
    startConsoleSession({ ...proved, cookieHeader, ip, userAgent, requestId }),
  );
  if (outcome.kind === 'signed-in') return { kind: outcome.kind, cookie: outcome.session.cookie };
  return outcome.kind === 'not-started' ? ENDED : outcome;
}
