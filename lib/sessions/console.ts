// Console session: it has a separate cookie with `SameSite=Strict`, which browsers do not send with links and forms
// of other sites. The cookie contains only a sealed id. Each request reads user and roles from the database.
import { z } from 'zod';
import type { Role } from '#lib/catalogue/people/definition.ts';
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteUsedForm, endSessions, findConsoleSession, insertUsedForm } from '#lib/store/hot/sessions.ts';
import {
  insertRaised,
  insertSession,
  openCookie,
  type RaisedBy,
  type SessionStart,
  sealCookie,
} from './session-rows.ts';
import { antiForgeryToken, isAntiForgeryToken, readBrowser } from './transaction.ts';

/** The user of a console session, in the form that every operation accepts as actor. */
export type ConsoleActor = {
  kind: 'person';
  id: string;
  email: string | null;
  username?: string | null;
  name: string;
  /** the language of their profile (BCP 47) */
  locale: string | null;
  /** empty unless the session belongs to a local method, because only users of local methods have roles */
  roles: readonly Role[];
  signedInAt: Date;
  session: { idHash: Buffer; authMethodId: string; level: 1 | 2 | 3 };
  request: { id: string; ip: string | null; pageLanguage?: Language } | null;
};

/** A user who still has to prove or set up a second factor. No operation accepts this user as actor. */
export type UnfinishedSignIn = Omit<ConsoleActor, 'kind' | 'roles'> & {
  kind: 'unfinished';
  owes: 'confirm' | 'set-up';
  /** Time at which the user was first asked to set up a factor; null: never. */
  graceFrom: Date | null;
};

const shape = z.object({ console: z.string() });
const PURPOSE = 'console session';

const secure = () => settings().baseUrl.startsWith('https:');
const name = () => (secure() ? '__Host-gatehouse-console' : 'gatehouse-console');
const options = () => ({ secure: secure(), sameSite: 'Strict' }) as const;

async function readHash(cookieHeader: string | undefined): Promise<Buffer | null> {
  const cookie = await openCookie(shape, parseCookies(cookieHeader).get(name()), PURPOSE);
  return cookie && sha256(cookie.console);
}

const cookieOf = async (id: string) =>
  setCookie(name(), await sealCookie({ console: id }, PURPOSE), options());

/**
 * Reads the user of this browser's console session, and the request. Returns null if no user is signed in, or if the
 * second step is missing.
 */
export async function readConsoleActor(
  cookieHeader: string | undefined,
  request: ConsoleActor['request'],
): Promise<ConsoleActor | null> {
  const visitor = await readConsoleVisitor(cookieHeader, request);
  return visitor?.kind === 'person' ? visitor : null;
}

/** Like `readConsoleActor`, but also returns a user whose second factor is still missing. */
export async function readConsoleVisitor(
  cookieHeader: string | undefined,
  request: ConsoleActor['request'],
): Promise<ConsoleActor | UnfinishedSignIn | null> {
  const idHash = await readHash(cookieHeader);
  if (!idHash) return null;
  const { sessionIdleSeconds, consoleSecondFactor, secondFactorGraceDays } = settings();
  const consoleSession = await findConsoleSession(idHash, {
    idleSeconds: sessionIdleSeconds,
    secondFactor: consoleSecondFactor,
    graceDays: secondFactorGraceDays,
  });
  if (!consoleSession) return null;
  const {
    personId: id,
    email,
    username,
    name,
    locale,
    roles,
    authTime: signedInAt,
    owes,
    graceFrom,
  } = consoleSession;
  const session = { idHash, authMethodId: consoleSession.authMethodId, level: consoleSession.level };
  const who = { id, email, username, name, locale, signedInAt, session, request };
  return owes === null ? { kind: 'person', ...who, roles } : { kind: 'unfinished', ...who, owes, graceFrom };
}

/**
 * Starts a session with a new id, and ends the session that it replaces. Returns the Set-Cookie value. Returns null
 * under the same conditions as `startSession`.
 */
export async function startConsoleSession(
  input: SessionStart,
): Promise<{ cookie: string; idHash: Buffer } | null> {
  const created = await insertSession('console', input, { replaces: await readHash(input.cookieHeader) });
  return created && { cookie: await cookieOf(created.value), idHash: created.hash };
}

/** Like `raiseSession`, but for the console session, in which no browser is trusted. */
export async function raiseConsoleSession(
  input: RaisedBy,
): Promise<{ cookie: string; idHash: Buffer } | null> {
  const raises = await readHash(input.cookieHeader);
  const raised = raises && (await insertRaised('console', input, { raises, trusted: null }));
  return raised && { cookie: await cookieOf(raised.value), idHash: raised.hash };
}

/** Ends this browser's console session. Returns the Set-Cookie value that deletes the cookie. */
export async function endConsoleSession(
  cookieHeader: string | undefined,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const hash = await readHash(cookieHeader);
  if (hash) await endSessions([hash], context);
  return setCookie(name(), '', { ...options(), maxAge: 0 });
}

/**
 * The holder of a form: the console session, or the browser if no user is signed in. Null if the browser sent
 * no cookie of Gatehouse.
 */
export async function formHolder(cookieHeader: string | undefined): Promise<string | null> {
  const session = await readHash(cookieHeader);
  if (session) return `session ${session.toString('base64url')}`;
  const browser = readBrowser(cookieHeader);
  return browser && `browser ${browser}`;
}

/**
 * The anti-forgery token of a console form, valid only for its session or browser and this form. Null if the browser
 * has no Gatehouse cookie.
 */
export async function consoleFormToken(
  cookieHeader: string | undefined,
  form: string,
): Promise<string | null> {
  const holder = await formHolder(cookieHeader);
  return holder && antiForgeryToken(holder, `console ${form}`);
}

export async function isConsoleFormToken(
  token: string | undefined,
  cookieHeader: string | undefined,
  form: string,
): Promise<boolean> {
  return isAntiForgeryToken(token, await formHolder(cookieHeader), `console ${form}`);
}

/** Marks the token of a form as used. Returns false if it was already used. */
export function claimForm(token: string): Promise<boolean> {
  return insertUsedForm(sha256(token));
}

/** Makes the token of a rejected form usable again, so that the user can send the form again. */
export function releaseForm(token: string): Promise<void> {
  return deleteUsedForm(sha256(token));
}
