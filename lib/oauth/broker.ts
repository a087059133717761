// Sign-in at a broker: the redirect to the broker, the pending request, the callback, the sign-in to the console, and
// the error page.

import { z } from 'zod';
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { callbackOrigin, ownCallback, SHARED_CALLBACK } from '#lib/auth-methods/callback.ts';
import type { AuthMethod, BrokerAnswer, Expectation, Verdict } from '#lib/auth-methods/method.ts';
import { namesInForm } from '#lib/auth-methods/person-claims.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { callerAddress } from '#lib/http/forwarding.ts';
import {
  type Answer,
  type HttpRequest,
  html,
  json,
  type PathParams,
  redirect,
  type ValidationError,
  validationError,
} from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { parseForm, UnreadableParams } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { equalDigests, randomToken, sha256 } from '#lib/kit/random.ts';
import { seal, sealJson, unseal, unsealJson } from '#lib/kit/seal.ts';
import { readableLine } from '#lib/kit/text.ts';
import type { Plain } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { countSignIn } from '#lib/observability/metrics.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { startConsoleSession } from '#lib/sessions/console.ts';
import { isFreshProof, RECENT_SECONDS, storeProvedSignIn } from '#lib/sessions/page-state.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { openTransaction, readBrowser, TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { noteSignIn } from '#lib/sign-in/steps.ts';
import { findBrokerState, keepBrokerState, takeBrokerState } from '#lib/store/hot/authorize.ts';
import { callerLimits, takeBackAttempt } from '#lib/store/hot/limits.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import type { Interaction, Kept } from './authorize/interaction.ts';
import { ASKING, type AuthorizeRequest } from './authorize/request.ts';
import {
  bodyTooLarge,
  broken,
  type Declaration,
  type DeclaredError,
  InvalidRequest,
  identifier,
  methodNotAllowed,
  plainPage,
  prefetched,
  refuses,
  serviceErrors,
  showsPage,
  UnknownIssuer,
  unavailable,
} from './errors.ts';
import { continueLocation, interactionWords } from './pages/frame.ts';
import { loggablePath, prefersHtml } from './refusals.ts';
import { NO_AUTH_TIME } from './rules.ts';

// While a user signs in at a broker, the authorize request is stored in the database, sealed under the hash of
// `state`. It can be continued once, in one browser, within the interaction’s ten minutes. The user is not
// authenticated yet, so pending requests per network are limited. Successful sign-ins are not counted.

/** A sign-in that waits for the broker's response. `counted`: keys of the limits that counted this sign-in. */
export type PendingSignIn = { interaction: Interaction; expectation: Expectation; counted: string[] };

/**
 * Limits of started sign-ins. One address may send many, because a whole campus may share it. If the address is
 * unknown, only the global limit applies, whose window of five seconds ends soon after a flood.
 */
const STARTS = {
  what: 'broker sign-ins',
  each: 3_000,
  windowSeconds: TRANSACTION_SECONDS,
  all: 500,
  allSeconds: 5,
};

const PURPOSE = 'pending sign-in';

/** Counts a sign-in before the redirect to the broker. Returns the keys of the limits, or throws TooManyAttempts. */
function countStart(from: { authMethodId: string; ip: string | null; requestId: string }): Promise<string[]> {
  return countAttempt(callerLimits(STARTS, from.ip), from);
}

/** Takes the sign-in off the limits with these keys, after it succeeded or if the redirect to the broker failed. */
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

/** Finds the pending request of this state, and whether the state was used. Null: unknown state. */
export async function findPending(
  state: string,
  browser: string | 'any',
): Promise<(PendingSignIn & { used: boolean }) | null> {
  const brokerState = await findBrokerState(sha256(state));
  if (!brokerState) return null;
  if (browser !== 'any' && !equalDigests(brokerState.browserHash, Buffer.from(browser, 'base64url')))
    return null;
  const plain = unseal(brokerState.sealedRequest, PURPOSE, settings().secrets);
  return plain === null ? null : { ...(JSON.parse(plain) as PendingSignIn), used: brokerState.used };
}

/** Marks the state as used. Returns false if it was used before. */
export function takePending(state: string): Promise<boolean> {
  return takeBrokerState(sha256(state));
}

// Page after a failed sign-in at a broker: the reason and the next step.

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

/** `interaction`: this browser's pending authorize request, if found. */
function brokerPage(
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

// Redirects directly to a broker, from the authorize endpoint or the console. The database stores the request under a
// state, which is bound to one browser.

type StartSignIn = NonNullable<AuthMethod['startSignIn']>;

/** Starts a sign-in at the broker. `cookie` binds the callback to this browser. Throws TooManyAttempts. */
async function departTo(
  startSignIn: StartSignIn,
  signInOptions: Omit<Parameters<StartSignIn>[0], 'state'>,
  interaction: Omit<Interaction, 'browser'>,
  { cookieHeader, ...from }: { cookieHeader: string | undefined; ip: string | null; requestId: string },
): Promise<{ location: string | null; cookie: string; interaction: Interaction }> {
  const { browser, cookie } = openTransaction(cookieHeader);
  const bound = { ...interaction, browser };
  const { authMethodId } = interaction;
  const counted = await countStart({ authMethodId, ip: from.ip, requestId: from.requestId });
  const departure = await startSignIn({ ...signInOptions, state: randomToken('') });
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
  storedRequest: Kept,
  earlier: Interaction | null,
): Promise<Answer> {
  const startedAt = earlier?.startedAt ?? now().getTime();
  const switching = earlier?.switching === true;
  const signInOptions = {
    origin: callbackOrigin(),
    // the client’s hint names a user other than the one who signs in now
    loginHint: switching ? null : loginHint,
    maxAgeSeconds,
    again: switching || ASKING.some((value) => prompt.has(value)),
  };
  const request = {
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    ...storedRequest,
    startedAt,
    ...(earlier?.device && { device: earlier.device }),
  };
  const from = { cookieHeader: http.headers['cookie'], ip, requestId: http.requestId };
  const { location, cookie, interaction } = await departTo(startSignIn, signInOptions, request, from);
  const headers = { 'set-cookie': cookie };
  return location === null
    ? brokerPage('unavailable', http, interaction, headers)
    : redirect(303, location, headers);
}

// Console sign-in at a broker, without an authorize request. The result is a console session, or a proof for the
// existing session.

type ConsoleDeparture =
  | { kind: 'depart'; location: string; cookie: string }
  | { kind: 'unavailable' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** unknown method, or a method without a broker */
  | { kind: 'unknown' };

/**
 * Starts a console sign-in at a broker. `cookie` binds the callback to this browser. `returnTo`: console page
 * after the sign-in.
 */
export async function startBrokerConsoleSignIn(input: {
  authMethodId: string;
  cookieHeader: string | undefined;
  returnTo: string;
  /** hash of the console session that this sign-in confirms; missing: it starts a session */
  proves?: Uint8Array;
  ip: string | null;
  requestId: string;
}): Promise<ConsoleDeparture> {
  const { authMethodId, proves } = input;
  const method = (await currentSnapshot()).methods.get(authMethodId);
  const startSignIn = method && authMethodOf(method).startSignIn;
  if (!startSignIn) return { kind: 'unknown' };
  const signInOptions = {
    // the browser must send the console's cookie to this address; with two hosts, both are registered at the broker
    origin: settings().baseUrl,
    loginHint: null,
    maxAgeSeconds: null,
    // the console’s limit for a recent sign-in; `auth_time` shows whether the sign-in is older
    freshSeconds: RECENT_SECONDS,
    again: proves !== undefined,
  };
  const interaction = {
    ...{ authMethodId, apiId: '', query: '', startedAt: now().getTime(), console: pathOf(input.returnTo) },
    ...(proves && { proves: Buffer.from(proves).toString('base64url') }),
  };
  try {
    const { location, cookie } = await departTo(startSignIn, signInOptions, interaction, input);
    return location === null ? { kind: 'unavailable' } : { kind: 'depart', location, cookie };
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

/** Returns a path of the account pages. Other values become `/account`, which prevents open redirects. */
function pathOf(returnTo: string): string {
  return /^\/account(?:[/?][\w\-./?=&%]*)?$/.test(returnTo) && !returnTo.includes('//')
    ? returnTo
    : '/account';
}

type Came = { request: HttpRequest; pages: boolean };
type ConsoleSignIn = Interaction & { console: string };
type Identified = Extract<Verdict, { kind: 'identity' }>;

/** Returns null if the broker did not authenticate the user again. */
async function provedForConsole(
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

function backToConsole(
  { request, pages }: Came,
  interaction: ConsoleSignIn,
  message: Plain,
  headers: Record<string, string>,
): Answer {
  const href = `${settings().baseUrl}${interaction.console}`;
  if (!pages) return json(200, { status: 'authenticated', continue: href }, headers);
  // a Gatehouse page redirects automatically, because browsers omit a `SameSite=Strict` cookie after a redirect from
  // the broker
  const words = interactionWords(request.headers, interaction);
  const title = 'frame.one_moment';
  const page = renderPage({ title, heading: title, message, refresh: { href } }, words);
  return html(200, page, {
    https: settings().secureCookies,
    words,
    headers: { ...headers, refresh: `0; url=${href}` },
  });
}

// Callback after a sign-in at a broker.

// Limits of the callback: a code of 1 to 4,096 visible ASCII characters, a state of at most 2,048, and one iss. Other
// values return 422 (specification 2.4).

const CODE_MAX = 4_096;
const STATE_MAX = 2_048;
type Location = ['path' | 'query', 'code' | 'state' | 'iss'];

/**
 * Parameters that the callback parses, so they must be UTF-8. All other parameters are texts for humans in any
 * encoding.
 */
const MACHINE_READ = ['code', 'state', 'iss'];

type ReadAnswer = {
  state: string | null;
  outcome: BrokerAnswer | { error: string; description: string };
};

/** Parses code, state or error of a broker’s redirect or form (RFC 6749 §4.1.2.1). Throws UnreadableParams. */
export function readAnswer(query: string, arrivedAt: string): ReadAnswer | { errors: ValidationError[] } {
  const { values, repeated } = parseForm(query, MACHINE_READ);
  const name = nameFrom(values.get('user'), values.get('state') ?? '');
  const iss = values.get('iss') ?? null;
  const [code, state, error] = [values.get('code'), values.get('state') ?? null, values.get('error')];
  const errors = [
    ...(error === undefined ? codeErrors(code, ['query', 'code'], repeated.has('code')) : []),
    ...stateErrors(state, repeated.has('state')),
    ...issErrors(iss, repeated.has('iss')),
  ];
  if (errors.length > 0) return { errors };
  if (error === undefined) return { state, outcome: { code: code ?? '', iss, arrivedAt, whole: true, name } };
  const description = values.get('error_description') ?? 'The broker refused the sign-in.';
  return { state, outcome: { error: error.slice(0, 200), description: description.slice(0, 500) } };
}

/** Reads the body of the broker's form post. Texts can have any encoding; fields that the callback parses are ASCII. */
async function readAnswerForm(request: HttpRequest): Promise<string> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new UnreadableParams('the content type must be application/x-www-form-urlencoded');
  const bytes = await request.body();
  if (bytes === 'too-large') throw new UnreadableParams('the body is larger than 64 KiB', 413);
  return Buffer.from(bytes).toString('latin1');
}

/**
 * Seals the user name of a form post (`user`, sent by Apple) together with its state for the redirect. The name stays
 * out of logs and cannot be forged. `null`: no name.
 */
export function nameOfForm(form: string): string | null {
  const { values, repeated } = parseForm(form, MACHINE_READ);
  const name = repeated.has('user') ? null : toldName(values.get('user') ?? '');
  const state = values.get('state') ?? '';
  return name === null ? null : sealJson({ state, name }, NAME, settings().secrets);
}

const NAME = 'name of a form';
const nameSchema = z.object({ state: z.string(), name: z.string() });

function nameFrom(sealed: string | undefined, state: string): string | null {
  const storedName = sealed === undefined ? null : unsealJson(nameSchema, sealed, NAME, settings().secrets);
  return storedName?.state === state ? storedName.name : null;
}

const part = z.string().max(100).catch('');
const userSchema = z.object({ name: z.object({ firstName: part, lastName: part }) });

function toldName(json: string): string | null {
  try {
    const { firstName, lastName } = userSchema.parse(JSON.parse(json)).name;
    return readableLine(`${firstName} ${lastName}`.trim()) || null;
  } catch {
    return null;
  }
}

/**
 * The form's answer as a query, limited to parameters that the callback reads. `sealedName`: result of `nameOfForm`.
 */
function answerAsQuery({ state, outcome }: ReadAnswer, sealedName: string | null): string {
  const { error, description, code, iss } = {
    error: null,
    description: null,
    code: null,
    iss: null,
    ...outcome,
  };
  const parameters = { code, error, error_description: description, state, iss, user: sealedName };
  return String(
    new URLSearchParams(Object.entries(parameters).flatMap(([k, v]) => (v === null ? [] : [[k, v]]))),
  );
}

function codeErrors(code: string | undefined, loc: Location, repeated = false): ValidationError[] {
  if (code === undefined) return [{ loc, msg: 'Field required', type: 'missing', input: null }];
  if (repeated) return [givenTwice(loc, code)];
  if (code.length > CODE_MAX) return [tooLong(loc, code, CODE_MAX)];
  if (/^[\x21-\x7e]+$/.test(code)) return [];
  return [
    {
      loc,
      msg: 'String should be visible ASCII characters',
      type: 'string_pattern_mismatch',
      input: code,
      ctx: { pattern: '^[\\x21-\\x7e]+$' },
    },
  ];
}

function stateErrors(state: string | null, repeated: boolean): ValidationError[] {
  const loc: Location = ['query', 'state'];
  if (repeated) return [givenTwice(loc, state)];
  return state !== null && state.length > STATE_MAX ? [tooLong(loc, state, STATE_MAX)] : [];
}

/**
 * Errors of the parameter `iss`. It may not be repeated: the callback might check one value while the broker means the
 * other.
 */
function issErrors(iss: string | null, repeated: boolean): ValidationError[] {
  return repeated ? [givenTwice(['query', 'iss'], iss)] : [];
}

function givenTwice(loc: Location, input: string | null): ValidationError {
  return { loc, msg: 'Input should be given once', type: 'string_type', input };
}

function tooLong(loc: Location, input: string, max: number): ValidationError {
  return {
    loc,
    msg: `String should have at most ${max} characters`,
    type: 'string_too_long',
    input,
    ctx: { max_length: max },
  };
}

// The redirect URIs to which a broker sends the user back (specification 4.2, contract section 6). If the path contains
// the code, the response is always JSON. After the broker’s ordinary redirect, a browser receives pages, at the shared
// redirect URI or at the method's redirect URI. The file lib/auth-methods/callback.ts decides whether an answer may
// come from this broker.

type Returned = ReadAnswer & {
  request: HttpRequest;
  /** true: answers are pages; false: answers are JSON */
  pages: boolean;
};

/** Reads the path parameter `code` and the query parameter `state`. */
export async function handleBrokerCallback(request: HttpRequest, path: PathParams): Promise<Answer> {
  const { values, repeated } = parseForm(request.query);
  const [code, state] = [path['code'] ?? '', values.get('state') ?? null];
  const iss = values.get('iss') ?? null;
  const errors = [
    ...codeErrors(code, ['path', 'code']),
    ...stateErrors(state, repeated.has('state')),
    ...issErrors(iss, repeated.has('iss')),
  ];
  if (errors.length > 0) return validationError(errors);
  const outcome = { code, iss, arrivedAt: SHARED_CALLBACK, whole: false };
  return settle({ request, state, outcome, pages: false });
}

/** Handles the broker’s ordinary redirect to the shared redirect URI of all brokers. */
export function handleBrokerRedirect(request: HttpRequest): Promise<Answer> {
  return readRedirect(request, SHARED_CALLBACK);
}

/** Handles the broker’s ordinary redirect to the redirect URI of one method. */
export async function handleOwnBrokerRedirect(request: HttpRequest, path: PathParams): Promise<Answer> {
  return readRedirect(request, await ownAddress(path));
}

/**
 * Handles a broker's answer that the browser posts as a form to the shared redirect URI (OAuth 2.0 Form Post
 * Response Mode §2).
 */
export const handleBrokerForm = (request: HttpRequest): Promise<Answer> =>
  onward(request, SHARED_CALLBACK, () => null);

export async function handleOwnBrokerForm(request: HttpRequest, path: PathParams): Promise<Answer> {
  const method = await ownMethod(path);
  return onward(request, ownCallback(method.id), namesInForm(method) ? nameOfForm : () => null);
}

const ownAddress = async (path: PathParams): Promise<string> => ownCallback((await ownMethod(path)).id);

async function ownMethod(path: PathParams): Promise<SnapshotMethod> {
  const method = (await currentSnapshot()).methods.get(path['authMethodId'] ?? '');
  if (!method || !methodCan(method, 'redirects')) throw new UnknownIssuer('no broker method of this name');
  return method;
}

/**
 * A POST from the broker's site arrives without the Lax cookie. After a redirect to a GET, the browser sends the
 * cookie.
 */
async function onward(
  request: HttpRequest,
  arrivedAt: string,
  nameIn: (form: string) => string | null,
): Promise<Answer> {
  const form = await readAnswerForm(request);
  const read = readAnswer(form, arrivedAt);
  if ('errors' in read) return validationError(read.errors);
  const sealedName = 'error' in read.outcome ? null : nameIn(form);
  return redirect(303, `${arrivedAt}?${answerAsQuery(read, sealedName)}`);
}

async function readRedirect(request: HttpRequest, arrivedAt: string): Promise<Answer> {
  const read = readAnswer(request.query, arrivedAt);
  if ('errors' in read) return validationError(read.errors);
  return settle({ request, ...read, pages: prefersHtml(request) });
}

async function settle(returned: Returned): Promise<Answer> {
  const { request, state, outcome, pages } = returned;
  const browser = readBrowser(request.headers['cookie']);
  const pending = state === null || browser === null ? null : await findPending(state, browser);
  const taken = pending !== null && state !== null && !pending.used && (await takePending(state));
  if (!pending || !taken) {
    if (pages) return brokerPage(pending ? 'used' : 'unknown', request, pending?.interaction ?? null);
    if ('error' in outcome) return failedStatus(outcome.error, outcome.description);
    const token_endpoint = `${settings().baseUrl}/auth/token`;
    return json(200, { status: 'received', code: outcome.code, state, token_endpoint });
  }
  if ('error' in outcome) return refuse(returned, pending, 'refused', outcome);
  const method = (await currentSnapshot()).methods.get(pending.interaction.authMethodId);
  const finish = method && authMethodOf(method).finishSignIn;
  if (!finish) return refuse(returned, pending, 'refused');
  const verdict = await finish(outcome, pending.expectation);
  if (verdict.kind === 'refused') return refuse(returned, pending, verdict.because ?? 'refused');
  if (verdict.kind === 'unavailable') return refuse(returned, pending, 'unavailable');
  await takeBackStart(pending.counted);
  return signedIn(returned, pending, verdict, method.epoch);
}

const FAILURES = {
  refused: {
    error: 'invalid_grant',
    description: 'The broker refused the code, or its response is not valid.',
  },
  unavailable: { error: 'temporarily_unavailable', description: 'The broker is not reachable.' },
  'no-auth-time': { error: 'access_denied', description: NO_AUTH_TIME },
} as const;

async function signedIn(
  returned: Returned,
  pending: PendingSignIn,
  verdict: Extract<Verdict, { kind: 'identity' }>,
  methodEpoch: string,
): Promise<Answer> {
  const { request, pages } = returned;
  const { interaction } = pending;
  const { console } = interaction;
  const forConsole = console === undefined ? null : { ...interaction, console };
  if (forConsole?.proves !== undefined) {
    const answer = await provedForConsole(returned, forConsole, verdict, methodEpoch);
    if (!answer) return refuse(returned, pending, 'refused');
    countSignIn(interaction, 'succeeded');
    return answer;
  }
  const session = await (forConsole ? startConsoleSession : startSession)({
    ...verdict,
    methodEpoch,
    cookieHeader: request.headers['cookie'],
    authMethodId: interaction.authMethodId,
    ip: callerAddress(request, settings().trustProxy),
    userAgent: request.headers['user-agent'] ?? null,
    requestId: request.requestId,
  });
  if (!session) return refuse(returned, pending, 'refused');
  countSignIn(interaction, 'succeeded');
  const headers = { 'set-cookie': session.cookie };
  if (forConsole) return backToConsole(returned, forConsole, 'sign_in.signed_in', headers);
  // a Gatehouse page redirects automatically; otherwise the broker’s CSP form-action would have to allow every redirect
  // to the client
  const location = continueLocation({ ...interaction, signedIn: session.idHash.toString('base64url') });
  if (pages) return redirect(303, location, headers);
  return json(200, { status: 'authenticated', continue: location }, headers);
}

async function refuse(
  { request, pages }: Returned,
  { interaction }: PendingSignIn,
  trouble: keyof typeof FAILURES,
  why: { error: string; description: string } = FAILURES[trouble],
): Promise<Answer> {
  const untimed = trouble === 'no-auth-time';
  await noteSignIn(
    {
      authMethodId: interaction.authMethodId,
      ...(interaction.apiId && { apiId: interaction.apiId }),
      requestId: request.requestId,
      ip: callerAddress(request, settings().trustProxy),
    },
    trouble === 'unavailable' ? trouble : 'refused',
    trouble,
  );
  if (!pages) return failedStatus(why.error, why.description);
  // retries cannot help, so the client receives the error
  if (untimed) return redirect(303, continueLocation({ ...interaction, untimed }));
  return brokerPage(trouble, request, interaction);
}

function failedStatus(error: string, description: string): Answer {
  return json(200, { status: 'failed', error, error_description: description });
}

// Parameters and responses of the redirect URIs for brokers (specification 4.2 and 2.4).

const state = optional(
  z.string().max(STATE_MAX).nullable(),
  'The state that Gatehouse sent to the broker, at most 2,048 characters. It works once, and only in the browser that started the sign-in.',
);
const iss = optional(
  z.url(),
  "The broker's issuer (RFC 9207), at most once. If it is sent, it must be correct. It is required if the broker's metadata announces it, or if several brokers share this address.",
);
const code = z.string().min(1).max(CODE_MAX);

const BrokerCallbackResponse = z.discriminatedUnion('status', [
  z.object({ status: z.literal('authenticated'), continue: z.url() }),
  z.object({
    status: z.literal('received'),
    code: z.string(),
    state: z.string().nullable(),
    token_endpoint: z.url(),
  }),
  z.object({ status: z.literal('failed'), error: z.string(), error_description: z.string().optional() }),
]);

function invalid(when: string): DeclaredError {
  return { status: 422, error: 'HTTPValidationError', when, as: 'validation' };
}

const inputErrors = (): DeclaredError[] => [
  invalid(
    'state is longer than 2,048 characters: `loc` is `["query","state"]`, `type` is `string_too_long`, with the offending `input` and the limit in `ctx`.',
  ),
  invalid('state or iss is repeated: `loc` is `["query","state"]` or `["query","iss"]`.'),
];

const errors: readonly DeclaredError[] = [
  ...inputErrors(),
  ...refuses(InvalidRequest, [
    'The query cannot be read: a malformed percent escape in code, state or iss, or more than 100 parameters.',
  ]),
  prefetched,
  ...serviceErrors,
];

export const brokerCodeDeclaration: Declaration = {
  path: z.object({
    code: code.describe("The broker's code, URL-encoded: 1 to 4,096 visible ASCII characters."),
  }),
  query: z.object({ state, iss }),
  answers: { BrokerCallbackResponse },
  errors: [
    invalid(
      'code is longer than 4,096 characters or has a character that is not visible ASCII: `loc` is `["path","code"]`.',
    ),
    ...errors,
  ],
};

const answer = z.object({
  code: requiredOf(code, 'unless error is sent', "The broker's code: 1 to 4,096 visible ASCII characters."),
  state,
  iss,
  error: optional(
    z.string(),
    "The broker's error code, if it refused. The response then has the status `failed`.",
  ),
  error_description: optional(z.string(), "The broker's explanation of its error."),
});

const noCode = () =>
  invalid(
    'Both code and error are missing, or code is repeated or not 1 to 4,096 visible ASCII characters: `loc` is `["query","code"]`.',
  );

const noMethod: DeclaredError = {
  status: 404,
  error: 'not_found',
  when: 'No broker method has this id. The response is JSON, or an HTML page for a browser.',
  as: 'json',
};

export const brokerRedirectDeclaration: Declaration = {
  query: answer,
  answers: { BrokerCallbackResponse },
  errors: [
    noCode(),
    ...showsPage(plainPage(400), [
      'In a browser: the broker refused, or the state does not belong to this browser. The page explains the error and has a link back.',
    ]),
    ...showsPage(plainPage(503), ['In a browser: the broker cannot be reached. The page has a link back.']),
    ...errors,
  ],
};

export const ownBrokerRedirectDeclaration: Declaration = {
  ...brokerRedirectDeclaration,
  path: z.object({ auth_method_id: identifier.describe('The broker method, for example `partner`.') }),
  errors: [noMethod, ...brokerRedirectDeclaration.errors],
};

export const brokerFormDeclaration: Declaration = {
  body: answer,
  bodyTypes: ['application/x-www-form-urlencoded'],
  answers: {},
  errors: [
    noCode(),
    ...inputErrors(),
    ...refuses(InvalidRequest, [
      'The form cannot be read: it has another content type, a malformed percent escape in code, state or iss, or more than 100 fields.',
    ]),
    bodyTooLarge,
    methodNotAllowed,
  ],
};

export const ownBrokerFormDeclaration: Declaration = {
  ...brokerFormDeclaration,
  path: ownBrokerRedirectDeclaration.path as z.ZodObject,
  errors: [noMethod, ...brokerFormDeclaration.errors, unavailable, broken],
};
