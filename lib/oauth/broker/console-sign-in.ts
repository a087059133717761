// Signing in to the console at a broker: like every broker sign-in, but without an authorize request, and with a
// console session at the end, or a proof for the one that there is.
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import type { Verdict } from '#lib/auth-methods/method.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { html, json } from '#lib/http/respond.ts';
import { now } from '#lib/kit/clock.ts';
import type { Plain } from '#lib/language/message.ts';
import { isFreshProof, RECENT_SECONDS, storeProvedSignIn } from '#lib/sessions/proved-sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { interactionWords } from '../pages/page-words.ts';
import { departTo } from './departure.ts';

export type ConsoleDeparture =
  | { kind: 'depart'; location: string; cookie: string }
  | { kind: 'unavailable' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** no such method, or not a broker */
  | { kind: 'unknown' };

/** `cookie` binds the callback to this browser; `returnTo`: the console's page afterwards. */
export async function startBrokerConsoleSignIn(input: {
  authMethodId: string;
  cookieHeader: string | undefined;
  returnTo: string;
  /** the hash of the console session that it proves another way in for; left out: it starts a session */
  proves?: Uint8Array;
  ip: string | null;
  requestId: string;
}): Promise<ConsoleDeparture> {
  const { authMethodId, proves } = input;
  const method = (await currentSnapshot()).methods.get(authMethodId);
  const startSignIn = method && authMethodOf(method).startSignIn;
  if (!startSignIn) return { kind: 'unknown' };
  const asked = {
    // the console's cookie must reach this address: with two hosts, both are registered at the broker
    origin: settings().baseUrl,
    loginHint: null,
    maxAgeSeconds: null,
    // what the console asks a fresh sign-in for; a broker that gives an older one says so (`auth_time`)
    freshSeconds: RECENT_SECONDS,
    again: proves !== undefined,
  };
  const interaction = {
    ...{ authMethodId, apiId: '', query: '', startedAt: now().getTime(), console: pathOf(input.returnTo) },
    ...(proves && { proves: Buffer.from(proves).toString('base64url') }),
  };
  try {
    const { location, cookie } = await departTo(startSignIn, asked, interaction, input);
    return location === null ? { kind: 'unavailable' } : { kind: 'depart', location, cookie };
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

/** A path of the account pages; anything else becomes `/account`, so that there is no open redirect. */
function pathOf(returnTo: string): string {
  return /^\/account(?:[/?][\w\-./?=&%]*)?$/.test(returnTo) && !returnTo.includes('//')
    ? returnTo
    : '/account';
}

type Came = { request: HttpRequest; pages: boolean };
export type ConsoleSignIn = Interaction & { console: string };
type Identified = Extract<Verdict, { kind: 'identity' }>;

/** Null: the broker has not asked the person again. */
export async function provedForConsole(
  came: Came,
  interaction: ConsoleSignIn,
  { personId, authTime = now() }: Identified,
  methodEpoch: string,
): Promise<Answer | null> {
  const { console, proves = '', authMethodId } = interaction;
  const at = authTime.getTime();
  if (!isFreshProof(at)) return null;
  const proved = { authMethodId, personId, methodEpoch, at };
  const proof = await storeProvedSignIn(proved, Buffer.from(proves, 'base64url'));
  const back = `${console}?${new URLSearchParams({ proof: proof ?? '' })}`;
  return backToConsole(came, { ...interaction, console: back }, 'page.yours', {});
}

export function backToConsole(
  { request, pages }: Came,
  interaction: ConsoleSignIn,
  message: Plain,
  headers: Record<string, string>,
): Answer {
  const href = `${settings().baseUrl}${interaction.console}`;
  if (!pages) return json(200, { status: 'authenticated', continue: href }, headers);
  // a page of ours moves on by itself: after a redirect from the broker a `SameSite=Strict` cookie would not be sent
  const words = interactionWords(request.headers, interaction);
  const title = 'frame.one_moment';
  const page = renderPage({ title, heading: title, message, refresh: { href } }, words);
  return html(200, page, {
    https: settings().secureCookies,
    words,
    headers: { ...headers, refresh: `0; url=${href}` },
  });
}
