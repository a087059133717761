// The sign-in cookie: one session id per authentication method, and nothing else. `SameSite=None` because a client's
// hidden iframe must be able to send it (silent renewal); read only by GET authorize and by sign-out.
import { parseCookies, setCookie } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { createSession, endSessions } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { openCookie, sealCookie } from './sealing.ts';

type SessionIds = Record<string, string>;

const name = () => (settings().secureCookies ? '__Host-gatehouse-sign-in' : 'gatehouse-sign-in');
const options = () =>
  ({ secure: settings().secureCookies, sameSite: settings().secureCookies ? 'None' : 'Lax' }) as const;

async function read(cookieHeader: string | undefined): Promise<SessionIds> {
  return (await openCookie<{ ids: SessionIds }>(parseCookies(cookieHeader).get(name())))?.ids ?? {};
}

/** The hash of this browser's session id for a method; the store knows whether the session lives. */
export async function readSessionHash(
  cookieHeader: string | undefined,
  authMethodId: string,
): Promise<Buffer | null> {
  const ids = await read(cookieHeader);
  const id = Object.hasOwn(ids, authMethodId) ? ids[authMethodId] : undefined;
  return typeof id === 'string' ? sha256(id) : null;
}

/**
 * Starts a session under a fresh id; the one it replaces ends. Gives the Set-Cookie value and the id's hash; null: since the
 * person proved who they are they were disabled or signed out everywhere, or the method was handed to another verifier.
 */
export async function startSession(input: {
  cookieHeader: string | undefined;
  authMethodId: string;
  personId: string;
  personEpoch: string;
  /** the method's when it was asked; null: it was not */
  methodEpoch: string | null;
  /** keys of the limits that the sign-in was counted under */
  attempts?: string[];
  /** when the person proved who they are, where that was not just now */
  authTime?: Date | undefined;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
}): Promise<{ cookie: string; idHash: Buffer } | null> {
  const ids = await read(input.cookieHeader);
  const { value, hash } = mint('session');
  const replaced = ids[input.authMethodId];
  const created = await createSession({
    idHash: hash,
    kind: 'sign-in',
    authMethodId: input.authMethodId,
    personId: input.personId,
    personEpoch: input.personEpoch,
    methodEpoch: input.methodEpoch,
    attempts: input.attempts ?? [],
    authTime: input.authTime ?? null,
    maxSeconds: settings().sessionMaxSeconds,
    replaces: replaced === undefined ? null : sha256(replaced),
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  if (!created) return null;
  const sealed = await sealCookie({ ids: { ...ids, [input.authMethodId]: value } });
  return {
    cookie: setCookie(name(), sealed, { ...options(), maxAge: settings().sessionMaxSeconds }),
    idHash: hash,
  };
}

/** Every session id of this browser, hashed. */
export async function allSessionHashes(cookieHeader: string | undefined): Promise<Buffer[]> {
  return Object.values(await read(cookieHeader)).map((id) => sha256(id));
}

/** Ends this browser's sessions of every method; gives the Set-Cookie value that forgets them. */
export async function endAllSessions(
  cookieHeader: string | undefined,
  context: { requestId: string; ip: string | null },
): Promise<string> {
  const hashes = await allSessionHashes(cookieHeader);
  if (hashes.length > 0) await endSessions(hashes, context);
  return setCookie(name(), '', { ...options(), maxAge: 0 });
}
