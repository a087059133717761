// A new factor, at the console: it is a proof at the same time, so it raises the session, and the first one brings recovery
// codes. Where the session has ended meanwhile (a reset, a sign-out everywhere) what was just added goes again.
import {
  codeFault,
  enrollTotp,
  makeRecoveryCodes,
  openPendingTotp,
  registerPasskey,
  TOTP_PROOF,
} from '#lib/factors/index.ts';
import { type FactorNews, tellOfFactor } from '#lib/mail/index.ts';
import { type ConsoleActor, raiseConsoleSession, type UnfinishedSignIn } from '#lib/sessions/index.ts';
import { countRecoveryCodes, database, removePasskey, removeTotp } from '#lib/store/index.ts';
import { faultAt, faulty, Refused, readerOf } from '../core/index.ts';
import type { Browser } from './sign-in.ts';

/** `sealed`: the secret that the page showed */
export type TotpSetUp = { sealed: string; code: string };
/** `response`: the browser's answer (JSON) */
export type PasskeySetUp = { state: string; response: string; name: string };
/** `cookie`: of the session that goes on; `codes`: recovery codes, to be shown once; null: there were some already */
export type Added = { cookie: string; codes: string[] | null };

type Who = ConsoleActor | UnfinishedSignIn;
type Proof = Parameters<typeof raiseConsoleSession>[0]['proof'];

/** What binds a passkey's challenge: the session that the page was made for. */
export const browserOf = ({ session }: Pick<Who, 'session'>): string =>
  `console ${session.idHash.toString('base64url')}`;

/** The Set-Cookie value of the session that goes on with this proof. */
export async function raised(who: Pick<Who, 'id' | 'session'>, proof: Proof, browser: Browser) {
  const { authMethodId } = who.session;
  const session = await raiseConsoleSession({ ...browser, authMethodId, personId: who.id, proof });
  if (!session) throw new Refused('own_account.signed_out');
  return session.cookie;
}

export async function setUpTotp(who: Who, { sealed, code }: TotpSetUp, browser: Browser): Promise<Added> {
  const secret = openPendingTotp(who.id, sealed);
  if (secret === null) throw new Refused('second_step.too_long');
  const { requestId, ip } = browser;
  const outcome = await enrollTotp({ personId: who.id, secret, code, requestId, ip });
  if (outcome === 'slow-down') throw new Refused('sign_in.too_many');
  if (outcome === 'exists') throw new Refused('second_step.app_exists');
  if (outcome === 'wrong') {
    throw faulty([faultAt('code', codeFault(code) ?? 'second_step.app_code')]);
  }
  const takeBack = async () => removeTotp(await database(), who.id);
  return added({ who, proof: TOTP_PROOF, takeBack, browser, news: 'app-added', name: '' });
}

export async function setUpPasskey(who: Who, given: PasskeySetUp, browser: Browser): Promise<Added> {
  const { requestId, ip } = browser;
  const asked = { ...given, personId: who.id, browser: browserOf(who), context: { requestId, ip } };
  const made = await registerPasskey(asked);
  if (made.kind === 'refused') throw new Refused(made.code);
  const { credentialId, name } = made.passkey;
  const takeBack = async () => removePasskey(await database(), who.id, credentialId.toString('base64url'));
  return added({ who, proof: made.proof, takeBack, browser, news: 'passkey-added', name });
}

async function added(made: {
  who: Who;
  proof: Proof;
  takeBack: () => Promise<unknown>;
  browser: Browser;
  news: FactorNews;
  name: string;
}): Promise<Added> {
  const { who, browser } = made;
  const cookie = await raised(who, made.proof, browser).catch(async (error: unknown) => {
    await made.takeBack();
    throw error;
  });
  tellOfFactor(readerOf(who), made.news, made.name);
  if ((await countRecoveryCodes(who.id)) > 0) return { cookie, codes: null };
  const { requestId, ip } = browser;
  return { cookie, codes: await makeRecoveryCodes(who.id, undefined, { requestId, ip }) };
}
