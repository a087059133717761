// The sign-in cookie contains one session id per authentication method, and nothing else. `SameSite=None` lets a
// client's hidden iframe send it (silent renewal). Authorize, sign-out, and the pages for consent, devices and the
// second factor read it.

import { z } from 'zod';
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';
import { endSessions } from '#lib/store/hot/sessions.ts';
import {
  insertRaised,
  insertSession,
  openCookie,
  type RaisedBy,
  type SessionStart,
  sealCookie,
} from './session-rows.ts';
import { readTrustedBrowser, trustBrowser } from './trusted-browser.ts';

/** session ids keyed by authentication method */
const shape = z.object({ ids: z.record(z.string(), z.string()) });
const PURPOSE = 'sign-in session';

const name = () => (settings().secureCookies ? '__Host-gatehouse-sign-in' : 'gatehouse-sign-in');
const options = () =>
  ({ secure: settings().secureCookies, sameSite: settings().secureCookies ? 'None' : 'Lax' }) as const;

async function read(cookieHeader: string | undefined): Promise<Record<string, string>> {
  return (await openCookie(shape, parseCookies(cookieHeader).get(name()), PURPOSE))?.ids ?? {};
}

/**
 * Hash of the browser's session id for a method. Null if the cookie contains no id. lib/store decides whether the
 * session is valid.
 */
export async function readSessionHash(
  cookieHeader: string | undefined,
  authMethodId: string,
): Promise<Buffer | null> {
  return hashOf(await read(cookieHeader), authMethodId);
}

function hashOf(ids: Record<string, string>, authMethodId: string): Buffer | null {
  const id = Object.hasOwn(ids, authMethodId) ? ids[authMethodId] : undefined;
  return id === undefined ? null : sha256(id);
}

/** Returns the Set-Cookie value with these session ids. An empty list deletes the cookie. */
async function cookieOf(ids: Record<string, string>): Promise<string> {
  if (Object.keys(ids).length === 0) return setCookie(name(), '', { ...options(), maxAge: 0 });
  const maxAge = settings().sessionMaxSeconds;
  return setCookie(name(), await sealCookie({ ids }, PURPOSE), { ...options(), maxAge });
}

/**
 * Starts a session with a new id, and ends the session that it replaces. Returns the Set-Cookie value and the hash of
 * the id. Returns null if the user was disabled or signed out everywhere after they authenticated, or if the method
 * has changed to another verifier.
 */
export async function startSession(input: SessionStart): Promise<{ cookie: string; idHash: Buffer } | null> {
  const { cookieHeader, authMethodId, personId } = input;
  const ids = await read(cookieHeader);
  const trustedBrowser = readTrustedBrowser(cookieHeader, personId, authMethodId);
  const created = await insertSession('sign-in', input, {
    replaces: hashOf(ids, authMethodId),
    trustedBrowser,
  });
  if (!created) return null;
  return { cookie: await cookieOf({ ...ids, [authMethodId]: created.value }), idHash: created.hash };
}

/**
 * Gives this browser's session a new id with the new proof, and ends the old id. `trust`: in this browser, no second
 * factor is required for TRUSTED_BROWSER_DAYS. Returns the Set-Cookie values and the hash of the id. Returns null if
 * the session has ended, belongs to another user, or was already raised by another form.
 */
export async function raiseSession(
  input: RaisedBy & { trust?: boolean | undefined },
): Promise<{ cookies: string[]; idHash: Buffer } | null> {
  const { cookieHeader, authMethodId, personId } = input;
  const ids = await read(cookieHeader);
  const raises = hashOf(ids, authMethodId);
  if (!raises) return null;
  const trusted = input.trust ? trustBrowser(cookieHeader, personId, authMethodId) : null;
  const raised = await insertRaised('sign-in', input, { raises, trusted });
  if (!raised) return null;
  const cookie = await cookieOf({ ...ids, [authMethodId]: raised.value });
  return { cookies: trusted ? [cookie, trusted.cookie] : [cookie], idHash: raised.hash };
}

/** Returns the hashes of all session ids of this browser. */
export async function allSessionHashes(cookieHeader: string | undefined): Promise<Buffer[]> {
  return Object.values(await read(cookieHeader)).map((id) => sha256(id));
}

/** Ends this browser's sessions of every method. Returns the Set-Cookie value that deletes the cookie. */
export async function endAllSessions(
  cookieHeader: string | undefined,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const hashes = await allSessionHashes(cookieHeader);
  if (hashes.length > 0) await endSessions(hashes, context);
  return cookieOf({});
}

/** Ends the browser's session for one method. Returns the Set-Cookie value with the sessions of the other methods. */
export async function endMethodSession(
  cookieHeader: string | undefined,
  authMethodId: string,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const ids = await read(cookieHeader);
  const hash = hashOf(ids, authMethodId);
  if (hash) await endSessions([hash], context);
  const { [authMethodId]: _, ...others } = ids;
  return cookieOf(others);
}
