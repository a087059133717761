// The console's session: a cookie of its own, `SameSite=Strict`, so that no link or form of another site sends it. It holds one
// sealed id; the person and their roles are read from the database at each request.
import { parseCookies, setCookie } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import type { Role } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  createSession,
  deleteUsedForm,
  endSessions,
  findConsoleSession,
  insertUsedForm,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { openCookie, sealCookie } from './sealing.ts';
import { antiForgeryToken, isAntiForgeryToken, readBrowser } from './transaction.ts';

/** The person of a console session, in the shape that every operation takes as its actor. */
export type ConsoleActor = {
  kind: 'person';
  id: string;
  email: string | null;
  name: string;
  /** empty where the session is of another method than a local one: roles are for people of our own store */
  roles: readonly Role[];
  signedInAt: Date;
  session: { idHash: Buffer; authMethodId: string };
  request: { id: string; ip: string | null } | null;
};

const secure = () => settings().baseUrl.startsWith('https:');
const name = () => (secure() ? '__Host-gatehouse-console' : 'gatehouse-console');
const options = () => ({ secure: secure(), sameSite: 'Strict' }) as const;

async function readHash(cookieHeader: string | undefined): Promise<Buffer | null> {
  const opened = await openCookie<{ console: string }>(parseCookies(cookieHeader).get(name()));
  return typeof opened?.console === 'string' ? sha256(opened.console) : null;
}

/** Who this browser's console session belongs to, as they are now, and the request they come with; null: nobody is signed in. */
export async function readConsoleActor(
  cookieHeader: string | undefined,
  request: ConsoleActor['request'],
): Promise<ConsoleActor | null> {
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
    request,
  };
}

/** Starts a session under a fresh id; the one it replaces ends. Gives the Set-Cookie value; null as for a sign-in. */
export async function startConsoleSession(input: {
  cookieHeader: string | undefined;
  authMethodId: string;
  personId: string;
  personEpoch: string;
  /** the method's when it was asked; null: it was not (a new password) */
  methodEpoch: string | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
}): Promise<{ cookie: string } | null> {
  const { value, hash } = mint('session');
  const created = await createSession({
    idHash: hash,
    kind: 'console',
    authMethodId: input.authMethodId,
    personId: input.personId,
    personEpoch: input.personEpoch,
    methodEpoch: input.methodEpoch,
    attempts: [],
    authTime: null,
    maxSeconds: settings().sessionMaxSeconds,
    replaces: await readHash(input.cookieHeader),
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  return created ? { cookie: setCookie(name(), await sealCookie({ console: value }), options()) } : null;
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

/** Whom a form is made for: this console session, or this browser if nobody is signed in. */
async function holderOf(cookieHeader: string | undefined): Promise<string | null> {
  const session = await readHash(cookieHeader);
  if (session) return `session ${session.toString('base64url')}`;
  const browser = readBrowser(cookieHeader);
  return browser && `browser ${browser}`;
}

/** The anti-forgery token of a console form: for this holder and form, once. Null where the browser has no cookie of ours. */
export async function consoleFormToken(
  cookieHeader: string | undefined,
  form: string,
): Promise<string | null> {
  const holder = await holderOf(cookieHeader);
  return holder && antiForgeryToken(holder, `console ${form}`);
}

export async function isConsoleFormToken(
  token: string | undefined,
  cookieHeader: string | undefined,
  form: string,
): Promise<boolean> {
  return isAntiForgeryToken(token, await holderOf(cookieHeader), `console ${form}`);
}

/** Marks a form's token as used; false: it was used before. */
export function claimForm(token: string): Promise<boolean> {
  return insertUsedForm(sha256(token));
}

/** The form was refused: its token may be sent again. */
export function releaseForm(token: string): Promise<void> {
  return deleteUsedForm(sha256(token));
}
