// The console session: its own cookie with `SameSite=Strict`, so that links and forms of other sites are sent without it. It
// contains a sealed id only; the person and their roles are read from the database at each request.
import { z } from 'zod';
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
import { mint, slotOf } from '#lib/tokens/index.ts';
import { openCookie, sealCookie } from './sealing.ts';
import { antiForgeryToken, isAntiForgeryToken, readBrowser } from './transaction.ts';

/** The person of a console session, as every operation takes its actor. */
export type ConsoleActor = {
  kind: 'person';
  id: string;
  email: string | null;
  name: string;
  /** empty unless the session is of a local method: only people of our own store have roles */
  roles: readonly Role[];
  signedInAt: Date;
  session: { idHash: Buffer; authMethodId: string };
  request: { id: string; ip: string | null } | null;
};

const shape = z.object({ console: z.string() });
const PURPOSE = 'console session';

const secure = () => settings().baseUrl.startsWith('https:');
const name = () => (secure() ? '__Host-gatehouse-console' : 'gatehouse-console');
const options = () => ({ secure: secure(), sameSite: 'Strict' }) as const;

function readHash(cookieHeader: string | undefined): Buffer | null {
  const opened = openCookie(shape, parseCookies(cookieHeader).get(name()), PURPOSE);
  return opened && sha256(opened.console);
}

/** The person of this browser's console session as they are now, with the request; null: nobody is signed in. */
export async function readConsoleActor(
  cookieHeader: string | undefined,
  request: ConsoleActor['request'],
): Promise<ConsoleActor | null> {
  const idHash = readHash(cookieHeader);
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

/** Starts a session with a new id and ends the one that it replaces. Returns the Set-Cookie value; null as for `startSession`. */
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
  const { value, hash } = mint('session', slotOf(input.personId));
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
    replaces: readHash(input.cookieHeader),
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  return created ? { cookie: setCookie(name(), sealCookie({ console: value }, PURPOSE), options()) } : null;
}

/** Ends this browser's console session. Returns the Set-Cookie value that deletes the cookie. */
export async function endConsoleSession(
  cookieHeader: string | undefined,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const hash = readHash(cookieHeader);
  if (hash) await endSessions([hash], context);
  return setCookie(name(), '', { ...options(), maxAge: 0 });
}

/** Whom a form is bound to: the console session, or this browser if nobody is signed in. */
async function holderOf(cookieHeader: string | undefined): Promise<string | null> {
  const session = readHash(cookieHeader);
  if (session) return `session ${session.toString('base64url')}`;
  const browser = readBrowser(cookieHeader);
  return browser && `browser ${browser}`;
}

/** The anti-forgery token of a console form, valid for its holder and this form only. Null: the browser has no cookie of ours. */
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

/** Marks the token of a form as used; false: it was used before. */
export function claimForm(token: string): Promise<boolean> {
  return insertUsedForm(sha256(token));
}

/** The form was refused: it may be sent again. */
export function releaseForm(token: string): Promise<void> {
  return deleteUsedForm(sha256(token));
}
