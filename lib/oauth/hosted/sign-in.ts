// POST /login/submit: checks the password and starts the session. One message for every wrong attempt.
import { accountName, authMethodOf, passwordLimits, underLimits } from '#lib/auth-methods/index.ts';
import { type Answer, callerAddress, type HttpRequest, redirect } from '#lib/http/index.ts';
import { countSignIn } from '#lib/observability/index.ts';
import { findKnownDevice, rememberDevice, startSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/index.ts';
import { type Interaction, onCurrentRegistry } from '../authorize-request/index.ts';
import { logError, SlowDown, toOAuthError, UnknownIssuer } from '../errors/index.ts';
import {
  continueLocation,
  NOT_LET_IN,
  readHostedForm,
  recordSignInRefusal,
  signInAgain,
} from '../pages/index.ts';

const WRONG = 'E-mail or password is not right.';
const UNAVAILABLE = 'The service that checks your password is not answering. Try again in a moment.';

export async function handleSignIn(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const username = (fields.get('username') ?? '').trim().slice(0, 320);
  const password = fields.get('password') ?? '';
  const ip = callerAddress(request, settings().trustProxy);

  const outcome = await check(request, interaction, { username, password, ip });
  if (outcome.kind !== 'empty') countSignIn(interaction, COUNTED_AS[outcome.kind]);
  // no password was checked, so no refusal is recorded
  if (outcome.kind === 'slow_down' || outcome.kind === 'empty')
    return signInAgain(interaction, outcome.message, username);
  if (outcome.kind !== 'signed_in') {
    await recordSignInRefusal(request, interaction, outcome.kind);
    return signInAgain(interaction, outcome.message, username);
  }
  const { alert, username: _, ...rest } = interaction;
  const next = { ...rest, signedIn: outcome.session.idHash.toString('base64url') };
  const device = rememberDevice(request.headers['cookie'], outcome.account, outcome.person);
  return redirect(303, continueLocation(next), { 'set-cookie': [outcome.session.cookie, device] });
}

type Outcome =
  | {
      kind: 'signed_in';
      session: { cookie: string; idHash: Buffer };
      account: string;
      person: { personId: string; personEpoch: string };
    }
  | { kind: 'refused' | 'not-let-in' | 'unavailable' | 'slow_down' | 'empty'; message: string };

const COUNTED_AS = {
  signed_in: 'succeeded',
  refused: 'refused',
  'not-let-in': 'refused',
  unavailable: 'unavailable',
  slow_down: 'limited',
} as const;

type Attempt = { username: string; password: string; ip: string | null };

async function check(request: HttpRequest, interaction: Interaction, attempt: Attempt): Promise<Outcome> {
  try {
    const use = { read: recentSnapshot, clientId: async () => null };
    return await onCurrentRegistry(use, ({ methods, version }) => {
      const method = methods.get(interaction.authMethodId);
      if (!method) throw new UnknownIssuer('no such method');
      return signIn(request, { ...attempt, method, version, apiId: interaction.apiId });
    });
  } catch (thrown) {
    const error = toOAuthError(thrown);
    if (!(error instanceof SlowDown)) throw thrown;
    logError(error, request);
    return { kind: 'slow_down', message: error.message };
  }
}

async function signIn(
  request: HttpRequest,
  input: Attempt & { method: SnapshotMethod; version: string; apiId: string },
): Promise<Outcome> {
  const { method, username, password, ip } = input;
  const { verifyPassword } = authMethodOf(method);
  if (!verifyPassword) throw new UnknownIssuer('this method checks no passwords');
  if (username === '' || password === '') return { kind: 'empty', message: WRONG };
  const account = accountName(method, username);
  const device = await findKnownDevice(request.headers['cookie'], account);
  const limits = passwordLimits({ account, address: ip, confidentialClientId: null, device });
  const { requestId } = request;
  const reliedOn = { version: input.version, clientId: null };
  const verdict = await underLimits(
    limits,
    { authMethodId: method.id, apiId: input.apiId, requestId, ip, reliedOn },
    () => verifyPassword(username, password, device === null ? 'stranger' : 'known'),
    (result) => result.kind === 'refused',
    (result) => result.kind === 'identity',
  );
  if (verdict.kind === 'unavailable') return { kind: 'unavailable', message: UNAVAILABLE };
  if (verdict.kind !== 'identity') return { kind: 'refused', message: WRONG };
  if (verdict.letIn === false) return { kind: 'not-let-in', message: NOT_LET_IN };
  const session = await startSession({
    ...verdict,
    cookieHeader: request.headers['cookie'],
    authMethodId: method.id,
    methodEpoch: method.epoch,
    amr: ['pwd'],
    attempts: limits.map((limit) => limit.key),
    ip,
    userAgent: request.headers['user-agent'] ?? null,
    requestId,
  });
  return session
    ? { kind: 'signed_in', session, account, person: verdict }
    : { kind: 'refused', message: WRONG };
}
