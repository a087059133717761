// The addresses that a broker sends the person back to (specification 4.2, contract section 6): the code in the path,
// always answered with JSON, or the broker's ordinary redirect, answered with pages in a browser, at the address that
// all brokers may use and at one for each method. auth-methods/callback.ts decides whether an answer may be this
// broker's.
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { namesInForm } from '#lib/auth-methods/broker-presets.ts';
import { ownCallback, SHARED_CALLBACK } from '#lib/auth-methods/callback.ts';
import type { Verdict } from '#lib/auth-methods/method.ts';
import type { Answer, HttpRequest, PathParams } from '#lib/http/message.ts';
import { parseForm } from '#lib/http/params.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { json, redirect, validationError } from '#lib/http/respond.ts';
import { countSignIn } from '#lib/observability/tally.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { startConsoleSession } from '#lib/sessions/console.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { noteSignIn } from '#lib/sign-in/note.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { UnknownIssuer } from '../errors/errors.ts';
import { brokerPage } from '../pages/broker-page.ts';
import { continueLocation } from '../pages/form.ts';
import { prefersHtml } from '../refusals/render-error.ts';
import { NO_AUTH_TIME } from '../rules/prompt.ts';
import {
  answerAsQuery,
  codeErrors,
  issErrors,
  nameOfForm,
  type ReadAnswer,
  readAnswer,
  readAnswerForm,
  stateErrors,
} from './broker-callback-input.ts';
import { backToConsole, provedForConsole } from './console-sign-in.ts';
import { findPending, type PendingSignIn, takeBackStart, takePending } from './pending-sign-in.ts';

type Returned = ReadAnswer & {
  request: HttpRequest;
  /** answered with pages, or with JSON */
  pages: boolean;
};

/** The code in the path, the state in the query. */
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

/** The broker's ordinary redirect, at the address that all brokers may use. */
export function handleBrokerRedirect(request: HttpRequest): Promise<Answer> {
  return readRedirect(request, SHARED_CALLBACK);
}

/** The broker's ordinary redirect, at the address of one method. */
export async function handleOwnBrokerRedirect(request: HttpRequest, path: PathParams): Promise<Answer> {
  return readRedirect(request, await ownAddress(path));
}

/** The same answers by a form that the browser posts (OAuth 2.0 Form Post Response Mode §2). */
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

/** A POST from the broker's site comes without our Lax cookie; the GET that it is sent on to brings it. */
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
    if ('error' in outcome) return failed(outcome.error, outcome.description);
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
    description: 'The broker refused the code, or its answer can not be believed.',
  },
  unavailable: { error: 'temporarily_unavailable', description: 'The broker is not reachable right now.' },
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
  // a page of ours moves on by itself: one chain of redirects from the broker's form to the client would have to be
  // allowed by the broker's own CSP form-action
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
  if (!pages) return failed(why.error, why.description);
  // trying again would not help: the client is told
  if (untimed) return redirect(303, continueLocation({ ...interaction, untimed }));
  return brokerPage(trouble, request, interaction);
}

function failed(error: string, description: string): Answer {
  return json(200, { status: 'failed', error, error_description: description });
}
