// The console's session: a cookie of its own, `SameSite=Strict`, so that no link and no form from elsewhere comes with
// it. It holds one sealed id; who that is and what they may do is read from the database at each request.
import { parseCookies, setCookie } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { createConsoleSession, endSessions, findConsoleSession } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { openCookie, sealCookie } from './sealing.ts';
import { antiForgeryToken, isAntiForgeryToken } from './transaction.ts';

/** The person of a console session, in the shape that every operation takes as its actor. */
export type ConsoleActor = {
  kind: 'person';
  id: string;
  email: string | null;
  name: string;
  /** empty where the session is of another method than a local one: roles are for people of our own store */
  roles: readonly string[];
  signedInAt: Date;
  session: { idHash: Buffer; authMethodId: string };
};

const secure = () => settings().baseUrl.startsWith('https:');
const name = () => (secure() ? '__Host-gatehouse-console' : 'gatehouse-console');
const options = () => ({ secure: secure(), sameSite: 'Strict' }) as const;

async function readHash(cookieHeader: string | undefined): Promise<Buffer | null> {
  const opened = await openCookie<{ console: string }>(parseCookies(cookieHeader).get(name()));
  return typeof opened?.console === 'string' ? sha256(opened.console) : null;
}

/** Who this browser's console session belongs to, as they are now; null: nobody is signed in. */
export async function readConsoleActor(cookieHeader: string | undefined): Promise<ConsoleActor | null> {
  const idHash = await readHash(cookieHeader);
  const found = idHash && (await findConsoleSession(idHash, settings().sessionIdleSeconds));
  if (!found || !idHash) return null;
  return {
    kind: 'person',
    id: found.personId,
    email: found.email,
    name: found.name,
    roles: found.roles,
    signedInAt: found.authTime,
    session: { idHash, authMethodId: found.authMethodId },
  };
}

/** Starts a session under a fresh id; the one it replaces ends. Gives the Set-Cookie value. */
export async function startConsoleSession(input: {
  cookieHeader: string | undefined;
  authMethodId: string;
  personId: string;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
}): Promise<{ cookie: string }> {
  const { value, hash } = mint('session');
  await createConsoleSession({
    idHash: hash,
    authMethodId: input.authMethodId,
    personId: input.personId,
    maxSeconds: settings().sessionMaxSeconds,
    replaces: await readHash(input.cookieHeader),
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  return { cookie: setCookie(name(), await sealCookie({ console: value }), options()) };
}

/** Ends this browser's console session; gives the Set-Cookie value that forgets it. */
export async function endConsoleSession(
  cookieHeader: string | undefined,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const hash = await readHash(cookieHeader);
  if (hash) await endSessions([hash], context);
  return setCookie(name(), '', { ...options(), maxAge: 0 });
}

const formOf = (form: string) => `console ${form}`;
const browserOf = (actor: ConsoleActor) => actor.session.idHash.toString('base64url');

/** For a form of the console: of use in this session and this form only. */
export function consoleFormToken(actor: ConsoleActor, form: string): string {
  return antiForgeryToken(browserOf(actor), formOf(form));
}

export function isConsoleFormToken(token: string | undefined, actor: ConsoleActor, form: string): boolean {
  return isAntiForgeryToken(token, browserOf(actor), formOf(form));
}
