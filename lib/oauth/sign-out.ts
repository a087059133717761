// The sign-out endpoint and its page.

import { callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, html, redirect } from '#lib/http/message.ts';
import { isForFrame } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { languageOfUiLocales } from '#lib/language/negotiate.ts';
import type { Words } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import {
  allSessionHashes,
  endAllSessions,
  endMethodSession,
  readSessionHash,
} from '#lib/sessions/sign-in.ts';
import {
  antiForgeryToken,
  isAntiForgeryToken,
  openTransaction,
  readBrowser,
} from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { describeSessions, findSignInSession, type SignInSession } from '#lib/store/hot/sessions.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { deliverLogoutsSoon } from './back-channel.ts';
import type { IssuerRequest } from './client.ts';
import { ForgedForm } from './errors.ts';
import { atHost, browserAddress, heardBy, type Issuer, knowFormerKeys, sessionHeardBy } from './issuer.ts';
import { type Hint, postedQuery } from './openid.ts';
import {
  ExpiredInteraction,
  notInAFrame,
  pageWords,
  readOwnForm,
  requestWords,
  styleFor,
} from './pages/frame.ts';
import {
  type AfterSignOut,
  openSignOut,
  readSignOut,
  sealSignOut,
  UnusableSignOut,
} from './sign-out-request.ts';

// GET and POST ISSUER/logout (OpenID Connect RP-Initiated Logout 1.0). A valid hint for this browser's session ends
// the session without a confirmation page. Every other request shows the page. The redirect address never decides
// whether the session ends.

export async function handleSignOut({ http, ip, issuer: called }: IssuerRequest): Promise<Answer> {
  if (called.host !== null) return redirect(303, browserAddress(called, 'logout', http.query));
  const params = parseForm(http.query);
  const issuer = atHost(called, params.values.get('issuer_host'));
  const sealed = params.values.get('interaction');
  if (sealed !== undefined)
    return leave(openConfirmed(http, issuer, sealed), pageWords(http.headers, sealed));
  await knowFormerKeys(issuer);
  const { hint, ...after } = readSignOut(issuer, params);
  const idHash = await readSessionHash(http.headers['cookie'], issuer.method.id);
  const session = idHash && (await findSignInSession(idHash, issuer.method.id));
  // without a session, the sign-out needs no confirmation
  const words = requestWords(http);
  if (hint && !session) return leave(after, words);
  if (!hint || !session || !(await isOf(hint, session, issuer))) return ask(http, issuer, after);
  const context = { requestId: http.requestId, ip };
  const cookie = await endMethodSession(http.headers['cookie'], issuer.method.id, context);
  deliverLogoutsSoon();
  return leave(after, words, cookie);
}

/**
 * Redirects the POST to a GET, because over plain http the browser does not send the session cookie with cross-site
 * forms.
 */
export async function handleSignOutPost({ http, issuer }: IssuerRequest): Promise<Answer> {
  const query = await postedQuery(http, issuer);
  if (query === null)
    throw new UnusableSignOut(
      'The body is not a form, is malformed, or is longer than 8,192 bytes, not counting id_token_hint.',
    );
  return redirect(303, browserAddress(issuer, 'logout', query));
}

/** Returns true if sid and sub of the hint are those that the client receives for this session. */
async function isOf(hint: Hint, { sid, personId }: SignInSession, issuer: Issuer): Promise<boolean> {
  const client = issuer.snapshot.clients.get(hint.aud);
  if (!client) return hint.sid === sid && hint.sub === personId;
  const isSession = hint.sid === (await sessionHeardBy(client, sid, issuer));
  return isSession && hint.sub === (await heardBy(client, personId, issuer));
}

function openConfirmed(http: HttpRequest, issuer: Issuer, sealed: string): AfterSignOut {
  const signOut = openSignOut(sealed, readBrowser(http.headers['cookie']));
  const good =
    signOut !== null &&
    signOut !== 'expired' &&
    signOut.done &&
    signOut.authMethodId === issuer.method.id &&
    signOut.apiId === issuer.api.id;
  if (!good) throw new UnusableSignOut('This sign-out was started in another browser, or too long ago.');
  return signOut;
}

/** Redirects to the confirmation page. The request is sealed and bound to this browser. */
function ask(http: HttpRequest, issuer: Issuer, after: AfterSignOut): Answer {
  if (isForFrame(http.headers)) return notInAFrame(http);
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const uiLocales = languageOfUiLocales(parseForm(http.query).values.get('ui_locales') ?? '');
  const interaction = sealSignOut({
    ...(uiLocales !== null && { uiLocales }),
    ...after,
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    startedAt: now().getTime(),
    browser,
    done: false,
  });
  return redirect(303, `${settings().authUrl}/logout?interaction=${interaction}`, { 'set-cookie': cookie });
}

/** Redirects to the client, or shows a page that explains why no redirect follows. */
function leave({ returnTo, fault }: AfterSignOut, words: Words, cookie?: string): Answer {
  const headers = cookie === undefined ? {} : { 'set-cookie': cookie };
  if (returnTo !== null) return redirect(302, returnTo, headers);
  const page = renderPage(
    {
      title: 'sign_out.done',
      heading: 'sign_out.done',
      message: fault === null ? 'sign_out.close' : 'sign_out.not_followed',
      details: fault === null ? [] : [['frame.for_developer', fault]],
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, headers });
}

// Sign-out: the page asks for confirmation, and POST ends this browser's sessions of every method. If a client
// requested the sign-out, POST ends only the session of that client's method.

const FORM = 'logout';

/** Identifies the browser by its sessions, to which the anti-forgery token is bound. */
function browserOf(hashes: readonly Buffer[]): string {
  return hashes
    .map((hash) => hash.toString('base64url'))
    .sort()
    .join(' ');
}

export type LogoutView = {
  sessions: { method: DisplayText; label: string }[];
  antiForgery: string;
  /** the sealed sign-out request of a client; null if no client sent the user */
  interaction: string | null;
  /** style sheet of the page; undefined: default style */
  style: string | undefined;
};
type LogoutInput = { cookie: string | undefined; interaction?: string | undefined };

/** Ignores requests that expired or belong to another browser; the page still offers to sign out. */
export async function viewLogout({ cookie, interaction: sealed }: LogoutInput): Promise<LogoutView> {
  const browser = readBrowser(cookie);
  const request = openSignOut(sealed, browser);
  const logoutRequest = request === 'expired' || browser === null || sealed === undefined ? null : request;
  const sessionHash = logoutRequest && (await readSessionHash(cookie, logoutRequest.authMethodId));
  const hashes = logoutRequest ? (sessionHash ? [sessionHash] : []) : await allSessionHashes(cookie);
  const snapshot = await currentSnapshot();
  const { methods } = snapshot;
  const sessions = hashes.length === 0 ? [] : await describeSessions(hashes, settings().sessionIdleSeconds);
  return {
    sessions: sessions.map(({ authMethodId, label }) => ({
      method: methods.get(authMethodId)?.name ?? authMethodId,
      label,
    })),
    antiForgery:
      logoutRequest && browser && sealed
        ? antiForgeryToken(browser, sealed)
        : antiForgeryToken(browserOf(hashes), FORM),
    interaction: logoutRequest ? (sealed ?? null) : null,
    style: logoutRequest ? styleFor(snapshot, logoutRequest.apiId, null) : undefined,
  };
}

export async function handleLogout(request: HttpRequest): Promise<Answer> {
  const fields = await readOwnForm(request);
  const sealed = fields.get('interaction');
  if (sealed !== undefined) return confirmSignOut(request, sealed, fields.get('anti_forgery'));
  const hashes = await allSessionHashes(request.headers['cookie']);
  if (!isAntiForgeryToken(fields.get('anti_forgery'), browserOf(hashes), FORM))
    throw new ForgedForm('stale form');
  const ip = callerAddress(request, settings().trustProxy);
  const cookie = await endAllSessions(request.headers['cookie'], { requestId: request.requestId, ip });
  deliverLogoutsSoon();
  return redirect(303, `${settings().authUrl}/logout?done=1`, { 'set-cookie': cookie });
}

/** Confirms a client's sign-out request. The response is a page that redirects automatically. */
async function confirmSignOut(
  request: HttpRequest,
  sealed: string,
  antiForgery: string | undefined,
): Promise<Answer> {
  const cookies = request.headers['cookie'];
  const browser = readBrowser(cookies);
  const signOut = openSignOut(sealed, browser);
  if (signOut === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (signOut === null || !isAntiForgeryToken(antiForgery, browser, sealed))
    throw new ForgedForm('the form is not one of ours, or of another browser');
  const ip = callerAddress(request, settings().trustProxy);
  const cookie = await endMethodSession(cookies, signOut.authMethodId, { requestId: request.requestId, ip });
  deliverLogoutsSoon();
  const done = sealSignOut({ ...signOut, done: true });
  return redirect(303, `${settings().authUrl}/continue?interaction=${done}`, { 'set-cookie': cookie });
}
