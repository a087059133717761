// Signing in to the console at a broker: like every broker sign-in, but without an authorize request, and with a console
// session at the end.
import { authMethodOf, TooManyAttempts, type Verdict } from '#lib/auth-methods/index.ts';
import { type Answer, callerAddress, type HttpRequest, html, json, renderPage } from '#lib/http/index.ts';
import { now, randomToken } from '#lib/kit/index.ts';
import {
  isFreshProof,
  openTransaction,
  RECENT_SECONDS,
  sealProvedSignIn,
  startConsoleSession,
} from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot } from '#lib/store/index.ts';
import type { Interaction } from '../authorize-request/index.ts';
import { interactionWords } from '../pages/index.ts';
import { countStart, keepPending, takeBackStart } from './pending-sign-in.ts';

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
  const { authMethodId, ip, requestId } = input;
  const method = (await currentSnapshot()).methods.get(authMethodId);
  const startSignIn = method && authMethodOf(method).startSignIn;
  if (!startSignIn) return { kind: 'unknown' };
  let counted: string[];
  try {
    counted = await countStart({ authMethodId, ip, requestId });
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
  const { browser, cookie } = openTransaction(input.cookieHeader);
  const departure = await startSignIn({
    // the console's cookie must reach this address: with two hosts, both are registered at the broker
    origin: settings().baseUrl,
    state: randomToken(''),
    loginHint: null,
    maxAgeSeconds: null,
    // what the console asks a fresh sign-in for; a broker that gives an older one says so (`auth_time`)
    freshSeconds: RECENT_SECONDS,
    again: input.proves !== undefined,
  });
  if (departure.kind === 'unavailable') {
    await takeBackStart(counted);
    return { kind: 'unavailable' };
  }
  const startedAt = now().getTime();
  const interaction = {
    authMethodId,
    apiId: '',
    query: '',
    startedAt,
    browser,
    console: pathOf(input.returnTo),
    ...(input.proves && { proves: Buffer.from(input.proves).toString('base64url') }),
  };
  await keepPending({ interaction, expectation: departure.expectation, counted });
  return { kind: 'depart', location: departure.location, cookie };
}

/** A path of the account pages; anything else becomes `/account`, so that there is no open redirect. */
function pathOf(returnTo: string): string {
  return /^\/account(?:[/?][\w\-./?=&%]*)?$/.test(returnTo) && !returnTo.includes('//')
    ? returnTo
    : '/account';
}

type Came = { request: HttpRequest; pages: boolean };
type Identified = Extract<Verdict, { kind: 'identity' }>;

/** Null: the sign-in was ended meanwhile, as `startConsoleSession` says. */
export async function signedInToConsole(
  came: Came,
  interaction: Interaction & { console: string },
  verdict: Identified,
  methodEpoch: string,
): Promise<Answer | null> {
  if (interaction.proves !== undefined) return provedForConsole(came, interaction, verdict, methodEpoch);
  const { request } = came;
  const session = await startConsoleSession({
    cookieHeader: request.headers['cookie'],
    authMethodId: interaction.authMethodId,
    personId: verdict.personId,
    personEpoch: verdict.personEpoch,
    methodEpoch,
    authTime: verdict.authTime,
    ip: callerAddress(request, settings().trustProxy),
    userAgent: request.headers['user-agent'] ?? null,
    requestId: request.requestId,
  });
  if (!session) return null;
  return goOn(came, interaction, 'You are signed in.', { 'set-cookie': session.cookie });
}

/** Null: the broker has not asked the person again. */
function provedForConsole(
  came: Came,
  interaction: Interaction & { console: string },
  { personId, authTime = now() }: Identified,
  methodEpoch: string,
): Answer | null {
  const { console, proves = '', authMethodId } = interaction;
  const at = authTime.getTime();
  if (!isFreshProof(at)) return null;
  const proof = sealProvedSignIn({ session: proves, authMethodId, personId, methodEpoch, at });
  const back = `${console}?${new URLSearchParams({ proof })}`;
  return goOn(came, { ...interaction, console: back }, 'That sign-in is yours.', {});
}

function goOn(
  { request, pages }: Came,
  interaction: Interaction & { console: string },
  message: string,
  headers: Record<string, string>,
): Answer {
  const href = `${settings().baseUrl}${interaction.console}`;
  if (!pages) return json(200, { status: 'authenticated', continue: href }, headers);
  // a page of ours moves on by itself: after a redirect from the broker a `SameSite=Strict` cookie would not be sent
  const words = interactionWords(request.headers, interaction);
  const title = 'One moment';
  const page = renderPage({ title, heading: title, message, refresh: { href } }, words);
  return html(200, page, {
    https: settings().secureCookies,
    words,
    headers: { ...headers, refresh: `0; url=${href}` },
  });
}
