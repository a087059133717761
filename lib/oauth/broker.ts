// Sign-in at a broker: the departure, the request that waits meanwhile, the sign-in to the console, and the page of a
// failure.

import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { callbackOrigin } from '#lib/auth-methods/callback.ts';
import type { AuthMethod, Expectation, Verdict } from '#lib/auth-methods/method.ts';
import { type Answer, type HttpRequest, html, json, redirect } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { equalDigests, randomToken, sha256 } from '#lib/kit/random.ts';
import { seal, unseal } from '#lib/kit/seal.ts';
import type { Plain } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { isFreshProof, RECENT_SECONDS, storeProvedSignIn } from '#lib/sessions/page-state.ts';
import { openTransaction, TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { findBrokerState, keepBrokerState, takeBrokerState } from '#lib/store/hot/authorize.ts';
import { callerLimits, takeBackAttempt } from '#lib/store/hot/limits.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { ASKING } from './authorize/decide.ts';
import type { Interaction, Kept } from './authorize/interaction.ts';
import type { AuthorizeRequest } from './authorize/request.ts';
import { continueLocation, interactionWords } from './pages/frame.ts';
import { loggablePath } from './refusals.ts';

// An authorize request whose person is at a broker: sealed in the database under the hash of the `state` that the
// broker returns, for this browser, for one use, until the interaction's ten minutes are over. No one has authenticated
// yet, so the number of pending requests from one place is limited; a sign-in that succeeds does not count.

/** `counted`: the limits that it was counted under */
export type PendingSignIn = { interaction: Interaction; expectation: Expectation; counted: string[] };

/**
 * A whole campus may share one address. Where no address is known, only the limit of all together holds; its window is
 * five seconds, so that it ends with the storm that filled it.
 */
const STARTS = {
  what: 'broker sign-ins',
  each: 3_000,
  windowSeconds: TRANSACTION_SECONDS,
  all: 500,
  allSeconds: 5,
};

const PURPOSE = 'pending sign-in';

/** Counts a sign-in before it goes to the broker. The keys that it is counted under, or TooManyAttempts. */
function countStart(from: { authMethodId: string; ip: string | null; requestId: string }): Promise<string[]> {
  return countAttempt(callerLimits(STARTS, from.ip), from);
}

/** The person is signed in, or was not sent to the broker: the start does not count. */
export async function takeBackStart(counted: readonly string[]): Promise<void> {
  await takeBackAttempt(counted.map((key) => ({ key })));
}

export async function keepPending(pending: PendingSignIn): Promise<void> {
  const { interaction, expectation } = pending;
  const age = Math.floor((now().getTime() - interaction.startedAt) / 1000);
  await keepBrokerState({
    stateHash: sha256(expectation.state),
    authMethodId: interaction.authMethodId,
    browserHash: Buffer.from(interaction.browser, 'base64url'),
    sealedRequest: seal(JSON.stringify(pending), PURPOSE, settings().secrets),
    seconds: TRANSACTION_SECONDS - age,
  });
}

/** The request that is pending under this state, and whether the state has been used; null: none. */
export async function findPending(
  state: string,
  browser: string | 'any',
): Promise<(PendingSignIn & { used: boolean }) | null> {
  const kept = await findBrokerState(sha256(state));
  if (!kept) return null;
  if (browser !== 'any' && !equalDigests(kept.browserHash, Buffer.from(browser, 'base64url'))) return null;
  const plain = unseal(kept.sealedRequest, PURPOSE, settings().secrets);
  return plain === null ? null : { ...(JSON.parse(plain) as PendingSignIn), used: kept.used };
}

/** Uses the state; false: it was used before. */
export function takePending(state: string): Promise<boolean> {
  return takeBrokerState(sha256(state));
}

// The page after a failed sign-in at a broker: what happened, and what to do next.

type BrokerTrouble = 'refused' | 'unavailable' | 'used' | 'unknown';

const WORDS: Record<BrokerTrouble, { status: number; heading: Plain; message: Plain }> = {
  refused: {
    status: 400,
    heading: 'sign_in.not_signed_in',
    message: 'sign_in.not_confirmed',
  },
  unavailable: {
    status: 503,
    heading: 'errors.moment',
    message: 'sign_in.broker_silent',
  },
  used: {
    status: 400,
    heading: 'factor.done_before',
    message: 'errors.used_step',
  },
  unknown: {
    status: 400,
    heading: 'errors.link',
    message: 'errors.elsewhere_or_late',
  },
};

/** `interaction`: the pending authorize request of this browser, where it is known. */
export function brokerPage(
  trouble: BrokerTrouble,
  request: HttpRequest,
  interaction: Interaction | null,
  headers: Record<string, string> = {},
): Answer {
  const { status, heading, message } = WORDS[trouble];
  log().info(
    { request_id: request.requestId, status, path: loggablePath(request) },
    wordsOf('en').t(message),
  );
  const giveUp = trouble === 'unavailable' ? ({ unavailable: true } as const) : ({ denied: true } as const);
  const again = interaction?.console;
  const ways =
    again !== undefined
      ? { link: { href: `${settings().baseUrl}${again}`, label: 'frame.try_again' as const } }
      : interaction
        ? {
            link: {
              href: continueLocation(interaction),
              label: trouble === 'used' ? ('frame.continue' as const) : ('frame.try_again' as const),
            },
            otherLink: {
              href: continueLocation({ ...interaction, ...giveUp }),
              label: 'frame.back' as const,
            },
          }
        : { link: { href: `${settings().baseUrl}/`, label: 'frame.what_this_is' as const } };
  const words = interactionWords(request.headers, interaction);
  const { requestId } = request;
  const body = renderPage({ title: heading, heading, message, requestId, ...ways }, words);
  const later = status === 503 ? { 'retry-after': '2' } : {};
  return html(status, body, { https: settings().secureCookies, words, headers: { ...later, ...headers } });
}

// The way to a broker without a page in between: from the authorize endpoint, or from the console. The request waits in
// the database under a state that only this browser can use.

type StartSignIn = NonNullable<AuthMethod['startSignIn']>;

/** `cookie` binds the callback to this browser. Throws TooManyAttempts. */
async function departTo(
  startSignIn: StartSignIn,
  asked: Omit<Parameters<StartSignIn>[0], 'state'>,
  interaction: Omit<Interaction, 'browser'>,
  { cookieHeader, ...from }: { cookieHeader: string | undefined; ip: string | null; requestId: string },
): Promise<{ location: string | null; cookie: string; interaction: Interaction }> {
  const { browser, cookie } = openTransaction(cookieHeader);
  const bound = { ...interaction, browser };
  const { authMethodId } = interaction;
  const counted = await countStart({ authMethodId, ip: from.ip, requestId: from.requestId });
  const departure = await startSignIn({ ...asked, state: randomToken('') });
  if (departure.kind === 'unavailable') {
    await takeBackStart(counted);
    return { location: null, cookie, interaction: bound };
  }
  await keepPending({ interaction: bound, expectation: departure.expectation, counted });
  return { location: departure.location, cookie, interaction: bound };
}

export async function toBroker(
  http: HttpRequest,
  ip: string | null,
  startSignIn: StartSignIn,
  { issuer, prompt, loginHint, maxAgeSeconds }: AuthorizeRequest,
  kept: Kept,
  earlier: Interaction | null,
): Promise<Answer> {
  const startedAt = earlier?.startedAt ?? now().getTime();
  const switching = earlier?.switching === true;
  const asked = {
    origin: callbackOrigin(),
    // a person who switches accounts is not the one that the client's hint names
    loginHint: switching ? null : loginHint,
    maxAgeSeconds,
    again: switching || ASKING.some((value) => prompt.has(value)),
  };
  const request = {
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    ...kept,
    startedAt,
    ...(earlier?.device && { device: earlier.device }),
  };
  const from = { cookieHeader: http.headers['cookie'], ip, requestId: http.requestId };
  const { location, cookie, interaction } = await departTo(startSignIn, asked, request, from);
  const headers = { 'set-cookie': cookie };
  return location === null
    ? brokerPage('unavailable', http, interaction, headers)
    : redirect(303, location, headers);
}

// Signing in to the console at a broker: like every broker sign-in, but without an authorize request, and with a
// console session at the end, or a proof for the one that there is.

type ConsoleDeparture =
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
type ConsoleSignIn = Interaction & { console: string };
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
