// Sign-out: GET asks, POST ends this browser's sessions of every method.
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import {
  allSessionHashes,
  antiForgeryToken,
  endAllSessions,
  isAntiForgeryToken,
} from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, describeSessions } from '#lib/store/index.ts';
import { ForgedForm } from '../errors.ts';
import { readOwnForm } from './form.ts';

const FORM = 'logout';

/** The anti-forgery token is bound to this browser's sessions. */
function browserOf(hashes: readonly Buffer[]): string {
  return hashes
    .map((hash) => hash.toString('base64url'))
    .sort()
    .join(' ');
}

export type LogoutView = { sessions: { method: string; label: string }[]; antiForgery: string };

export async function viewLogout(input: { cookie: string | undefined }): Promise<LogoutView> {
  const hashes = await allSessionHashes(input.cookie);
  const { methods } = await currentSnapshot();
  const sessions = hashes.length === 0 ? [] : await describeSessions(hashes, settings().sessionIdleSeconds);
  return {
    sessions: sessions.map(({ authMethodId, label }) => ({
      method: methods.get(authMethodId)?.name ?? authMethodId,
      label,
    })),
    antiForgery: antiForgeryToken(browserOf(hashes), FORM),
  };
}

export async function handleLogout(request: HttpRequest): Promise<Answer> {
  const fields = await readOwnForm(request);
  const hashes = await allSessionHashes(request.headers['cookie']);
  if (!isAntiForgeryToken(fields.get('anti_forgery'), browserOf(hashes), FORM))
    throw new ForgedForm('stale form');
  const ip = callerAddress(request, settings().trustProxy);
  const cookie = await endAllSessions(request.headers['cookie'], { requestId: request.requestId, ip });
  return redirect(303, `${settings().authUrl}/logout?done=1`, { 'set-cookie': cookie });
}
