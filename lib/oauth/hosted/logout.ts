// Sign-out: the page asks, POST ends this browser's sessions of every method; where a client sent the person here, of
// its method.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { redirect } from '#lib/http/respond.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import {
  allSessionHashes,
  endAllSessions,
  endMethodSession,
  readSessionHash,
} from '#lib/sessions/sign-in.ts';
import { antiForgeryToken, isAntiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { describeSessions } from '#lib/store/tokens/sessions.ts';
import { ForgedForm } from '../errors/errors.ts';
import { ExpiredInteraction, readOwnForm } from '../pages/form.ts';
import { styleFor } from '../pages/page-brand.ts';
import { deliverLogoutsSoon } from '../sign-out/back-channel.ts';
import { openSignOut, sealSignOut } from '../sign-out/sign-out-request.ts';

const FORM = 'logout';

/** The anti-forgery token is bound to this browser's sessions. */
function browserOf(hashes: readonly Buffer[]): string {
  return hashes
    .map((hash) => hash.toString('base64url'))
    .sort()
    .join(' ');
}

export type LogoutView = {
  sessions: { method: DisplayText; label: string }[];
  antiForgery: string;
  /** a client's sign-out, sealed; null: the person came by themselves */
  interaction: string | null;
  /** what the page looks like; undefined: as always */
  style: string | undefined;
};
type LogoutInput = { cookie: string | undefined; interaction?: string | undefined };

/** A client's request that has expired, or is another browser's, is left out: the person may still sign out here. */
export async function viewLogout({ cookie, interaction: sealed }: LogoutInput): Promise<LogoutView> {
  const browser = readBrowser(cookie);
  const request = openSignOut(sealed, browser);
  const asked = request === 'expired' || browser === null || sealed === undefined ? null : request;
  const own = asked && (await readSessionHash(cookie, asked.authMethodId));
  const hashes = asked ? (own ? [own] : []) : await allSessionHashes(cookie);
  const snapshot = await currentSnapshot();
  const { methods } = snapshot;
  const sessions = hashes.length === 0 ? [] : await describeSessions(hashes, settings().sessionIdleSeconds);
  return {
    sessions: sessions.map(({ authMethodId, label }) => ({
      method: methods.get(authMethodId)?.name ?? authMethodId,
      label,
    })),
    antiForgery:
      asked && browser && sealed
        ? antiForgeryToken(browser, sealed)
        : antiForgeryToken(browserOf(hashes), FORM),
    interaction: asked ? (sealed ?? null) : null,
    style: asked ? styleFor(snapshot, asked.apiId, null) : undefined,
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

/** The person says yes to what a client asked for; the page that redirects by itself follows. */
async function confirmSignOut(
  request: HttpRequest,
  sealed: string,
  antiForgery: string | undefined,
): Promise<Answer> {
  const cookies = request.headers['cookie'];
  const browser = readBrowser(cookies);
  const asked = openSignOut(sealed, browser);
  if (asked === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (asked === null || !isAntiForgeryToken(antiForgery, browser, sealed))
    throw new ForgedForm('the form is not one of ours, or of another browser');
  const ip = callerAddress(request, settings().trustProxy);
  const cookie = await endMethodSession(cookies, asked.authMethodId, { requestId: request.requestId, ip });
  deliverLogoutsSoon();
  const done = sealSignOut({ ...asked, done: true });
  return redirect(303, `${settings().authUrl}/continue?interaction=${done}`, { 'set-cookie': cookie });
}
