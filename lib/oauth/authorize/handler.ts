// GET and POST ISSUER/authorize (specification 4.5). Issuer and client first (404 and 400 pages), then everything
// else (a redirect with an error), then the person.
import { authMethod, TooManyAttempts } from '#lib/auth-methods/index.ts';
import {
  type Answer,
  callerAddress,
  type HttpRequest,
  html,
  isForFrame,
  NOT_IN_A_FRAME,
  type Params,
  type PathParams,
  parseForm,
  readBodyParams,
  redirect,
  renderPage,
} from '#lib/http/index.ts';
import { now } from '#lib/kit/index.ts';
import { openTransaction, readBrowser, readSessionHash } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  type AuthorizeAsk,
  assertCurrent,
  authorizeWithSession,
  isChallengeUsed,
  RegistryChanged,
} from '#lib/store/index.ts';
import { type Minted, mint } from '#lib/tokens/index.ts';
import { InvalidRequest, UnauthorizedClient } from '../errors.ts';
import { findIssuer, type Issuer } from '../issuer.ts';
import { noteRefusedAuthorize } from '../refusals.ts';
import { logError, toOAuthError } from '../respond-error.ts';
import { decide } from './decide.ts';
import { toBroker } from './departure.ts';
import { type Interaction, openInteraction, sealInteraction } from './interaction.ts';
import { type AuthorizeRequest, identify, type Recipient, UnidentifiedRequest, validate } from './request.ts';
import { codeRedirect, errorRedirect } from './response.ts';

export async function handleAuthorize(request: HttpRequest, path: PathParams): Promise<Answer> {
  const issuer = await findIssuer(path);
  const { params, query, interaction } = resume(request, issuer);
  const recipient = await identified(request, issuer, params);
  try {
    return await proceed(request, validate(recipient, params), params, query, interaction);
  } catch (thrown) {
    // a limit on the person's network is no answer to the client
    if (thrown instanceof RegistryChanged || thrown instanceof TooManyAttempts) throw thrown;
    await assertCurrent(issuer.snapshot, recipient.client.clientId);
    return refuse(request, recipient, params, thrown);
  }
}

async function identified(request: HttpRequest, issuer: Issuer, params: Params): Promise<Recipient> {
  try {
    return identify(issuer, params);
  } catch (thrown) {
    await assertCurrent(issuer.snapshot, params.values.get('client_id') ?? null);
    noteRefusedAuthorize(request, issuer, params, thrown);
    throw thrown;
  }
}

/** A POST becomes a GET: only there is the sign-in cookie read, and a body never reaches a log. */
export async function handleAuthorizePost(request: HttpRequest, path: PathParams): Promise<Answer> {
  const issuer = await findIssuer(path);
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new UnidentifiedRequest('The request must be a form.');
  }
  await readBodyParams(request);
  const body = Buffer.from((await request.body()) as Uint8Array).toString('utf8');
  if (body.length > 8_192 || !/^[\x21-\x7e]*$/.test(body))
    throw new UnidentifiedRequest('The form is too long or malformed.');
  return redirect(303, `${issuer.url}/authorize?${body.replaceAll('#', '%23')}`);
}

type Resumed = { params: Params; query: string; interaction: Interaction | null };

/** A request from a client, or one that comes back from our own pages with its interaction. */
function resume(request: HttpRequest, issuer: Issuer): Resumed {
  const params = parseForm(request.query);
  const sealed = params.values.get('interaction');
  if (sealed === undefined || params.values.has('client_id'))
    return { params, query: request.query, interaction: null };
  const interaction = openInteraction(sealed, readBrowser(request.headers['cookie']));
  const own =
    interaction !== 'expired' &&
    interaction?.authMethodId === issuer.method.id &&
    interaction.apiId === issuer.api.id;
  if (!own)
    throw new UnidentifiedRequest(
      'This sign-in was started elsewhere or too long ago. Go back to the application and start again.',
    );
  return { params: parseForm(interaction.query), query: interaction.query, interaction };
}

async function proceed(
  http: HttpRequest,
  request: AuthorizeRequest,
  params: Params,
  query: string,
  interaction: Interaction | null,
): Promise<Answer> {
  const { issuer, client } = request;
  const silent = request.prompt.has('none');
  const code = mint('code');
  const sessionHash = await readSessionHash(http.headers['cookie'], issuer.method.id);
  const known =
    sessionHash && (await authorizeWithSession(askFor(http, request, sessionHash, interaction, code)));
  if (silent && request.codeChallenge !== null) {
    const used = known?.challengeUsed ?? (await isChallengeUsed(client.clientId, request.codeChallenge));
    if (used)
      throw new InvalidRequest('This code_challenge was used before; make a fresh one for each request.');
  }
  const facts = known?.facts ?? null;
  const session = facts && sessionHash ? nameOf(sessionHash) : null;
  const decision = decide({ request, facts, session, interaction, now: now() });
  const asksPerson = decision.kind === 'login' || decision.kind === 'consent';
  if (asksPerson && isForFrame(http.headers)) return notInAFrame(http);
  switch (decision.kind) {
    case 'error':
      throw decision.error;
    case 'login': {
      await assertCurrent(issuer.snapshot, client.clientId);
      const { startSignIn } = authMethod(issuer.method);
      if (startSignIn) return toBroker(http, startSignIn, request, params, interaction);
      return toPage(http, request, query, 'login', session, interaction);
    }
    case 'consent':
      await assertCurrent(issuer.snapshot, client.clientId);
      return toPage(http, request, query, 'consent', session, interaction);
    case 'issue':
      // the statement that saw these facts gave the code, or saw that client or subscription say no
      if (!known?.issued) throw new UnauthorizedClient('This client may no longer do this.');
      return codeRedirect(request, code.value);
  }
}

/** A session as interactions name it. */
function nameOf(sessionHash: Buffer): string {
  return sessionHash.toString('base64url');
}

/** Nobody is asked for a password or a yes inside another page: a browser would show nothing of it. */
function notInAFrame({ requestId }: HttpRequest): Answer {
  return html(403, renderPage({ ...NOT_IN_A_FRAME, requestId }), { https: settings().secureCookies });
}

/** Asks for the code at once where nothing but the facts can be in its way. */
function askFor(
  http: HttpRequest,
  request: AuthorizeRequest,
  idHash: Buffer,
  interaction: Interaction | null,
  code: Minted,
): AuthorizeAsk {
  const { issuer, client, redirectUri, scopes, scopeAsked, codeChallenge, maxAgeSeconds } = request;
  const best = { personId: '', label: '', authTime: now(), consented: scopes };
  const session = nameOf(idHash);
  const hoped = decide({ request, facts: best, session, interaction, now: now() });
  const basis = hoped.kind === 'issue' ? hoped.basis : null;
  // a sign-in for this very request is recent enough, whatever a broker says of its time
  const maxAge = interaction?.signedIn === session ? null : maxAgeSeconds;
  return {
    version: issuer.snapshot.version,
    idHash,
    idleSeconds: settings().sessionIdleSeconds,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    codeChallenge,
    freshChallenge: request.prompt.has('none'),
    code: basis && { hash: code.hash, redirectUri, scopes, scopeAsked, basis, maxAgeSeconds: maxAge },
    requestId: http.requestId,
    ip: callerAddress(http, settings().trustProxy),
  };
}

/** To a hosted page, with the request sealed and bound to this browser. */
function toPage(
  http: HttpRequest,
  { issuer }: AuthorizeRequest,
  query: string,
  page: 'login' | 'consent',
  session: string | null,
  earlier: Interaction | null,
): Answer {
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const interaction: Interaction = {
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    query,
    startedAt: earlier?.startedAt ?? now().getTime(),
    browser,
    ...(earlier?.signedIn === undefined ? {} : { signedIn: earlier.signedIn }),
    ...(page === 'consent' && session !== null ? { asked: session } : {}),
  };
  const location = `${settings().authUrl}/${page}?interaction=${sealInteraction(interaction)}`;
  return redirect(303, location, { 'set-cookie': cookie });
}

function refuse(http: HttpRequest, recipient: Recipient, params: Params, thrown: unknown): Answer {
  const error = toOAuthError(thrown);
  logError(error, http);
  noteRefusedAuthorize(http, recipient.issuer, params, error);
  return errorRedirect(recipient, error);
}
