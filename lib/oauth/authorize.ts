// The authorize endpoint with two pages: one for a user who may not use the client, and one for a user who waits for
// approval.
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { returnHost } from '#lib/catalogue/clients/definition.ts';
import { isOpenToAll } from '#lib/catalogue/methods/questions.ts';
import { hasPasskeyHere } from '#lib/factors/passkeys.ts';
import { type Answer, type HttpRequest, html, redirect } from '#lib/http/message.ts';
import { isForFrame } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { withFirstKeys } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import type { Words } from '#lib/language/words.ts';
import { documentHost } from '#lib/registry/unregistered.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { openTransaction, readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Authorized, authorize } from '#lib/store/hot/authorize.ts';
import { findSignInSession } from '#lib/store/hot/sessions.ts';
import { RegistryChanged } from '#lib/store/snapshot.ts';
import { mint } from '#lib/tokens/formats.ts';
import {
  type Interaction,
  type Kept,
  openInteraction,
  ownReturnOf,
  sealInteraction,
  strengthAsked,
} from './authorize/interaction.ts';
import {
  type AuthorizeDecision,
  type AuthorizeQuestion,
  AuthorizeRefused,
  type AuthorizeRequest,
  askingOf,
  codeBasis,
  codeRedirect,
  decideAuthorize,
  forSession,
  identify,
  keptQuery,
  type Recipient,
  signedInHere,
  validate,
} from './authorize/request.ts';
import { toBroker } from './broker.ts';
import type { IssuerRequest } from './client.ts';
import {
  connectDevice,
  denyDevice,
  isConnected,
  isDenial,
  isOfDevice,
  nextForDevice,
  requireDevices,
  secondsLeft,
} from './device.ts';
import { InvalidRequest, InvalidRequestUri, UnauthorizedClient, UnidentifiedRequest } from './errors.ts';
import { browserAddress, type Issuer, knowFormerKeys, personMeant } from './issuer.ts';
import { postedQuery } from './openid.ts';
import {
  brandStyle,
  continueLocation,
  notInAFrame,
  pageColours,
  requestWords,
  scopesShown,
  scopeText,
} from './pages/frame.ts';
import { type Pushed, pushedRequest, pushedUse, requireUsable } from './par.ts';
import { idTokenAlg } from './rules.ts';
import { requestApproval, withUnregisteredClient } from './unregistered.ts';

// Page for a signed-in user without access to the client. Its links return access_denied to the client (RFC 6749
// §4.1.2.1), or start a new sign-in to switch accounts or update claims.

function personRefusedPage(
  http: HttpRequest,
  { issuer, client }: AuthorizeRequest,
  storedRequest: Kept,
): Answer {
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const { method, api } = issuer;
  const here = {
    authMethodId: method.id,
    apiId: api.id,
    ...storedRequest,
    startedAt: now().getTime(),
    browser,
  };
  const heading = 'agent.not_for_you';
  const words = requestWords(http);
  const page = renderPage(
    {
      title: heading,
      heading,
      message: {
        code: 'agent.not_for_you_lead',
        values: { client: words.shown(client.name).text, api: words.shown(api.name).text },
      },
      requestId: http.requestId,
      link: { href: continueLocation({ ...here, refused: true }), label: 'frame.back' },
      otherLink: { href: continueLocation({ ...here, switching: true }), label: 'agent.sign_in_again' },
    },
    words,
  );
  return html(403, page, { https: settings().secureCookies, words, headers: { 'set-cookie': cookie } });
}

// A signed-in user requests approval of an unregistered client and sees a waiting page. The authorize endpoint itself
// returns that page, so the page's link continues after the approval.

async function askForApproval(
  http: HttpRequest,
  ip: string | null,
  request: AuthorizeRequest,
  personId: string,
  storedRequest: Kept,
): Promise<Answer> {
  const { issuer, client, scopes, scopeNamed } = request;
  const approvalRequest = { api: issuer.api, client, scopes, scopeNamed };
  const requestId = await requestApproval(approvalRequest, { personId, requestId: http.requestId, ip });
  // a rule or an approver decided the request meanwhile, so the authorize request is repeated
  if (requestId === null) throw new RegistryChanged('the request is decided on');
  const words = requestWords(http);
  if (!storedRequest.pushed) {
    const href = `${issuer.url}/authorize?${storedRequest.query}`;
    return waitingPage(request, words, { href, requestId });
  }
  // a pushed request can be opened only once
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const ids = { authMethodId: issuer.method.id, apiId: issuer.api.id };
  const href = continueLocation({ ...ids, ...storedRequest, startedAt: now().getTime(), browser });
  return waitingPage(request, words, { href, requestId, headers: { 'set-cookie': cookie } });
}

type Shown = { href: string; requestId: string; headers?: Record<string, string> };

/**
 * Returns the page for a client that waits for approval. It shows the same client details as the later consent page.
 */
export function waitingPage(
  authorizeRequest: AuthorizeRequest,
  texts: Words,
  { href, requestId, headers = {} }: Shown,
): Answer {
  const { issuer, client, redirectUri } = authorizeRequest;
  const host = documentHost(client);
  const { api } = issuer;
  const name = texts.shown(client.name);
  const asksFor = scopesShown(authorizeRequest).map((scope) => scopeText(scope, texts));
  // uses the API's colours only, because nobody has reviewed those of the client
  const style = brandStyle(pageColours(null, api));
  const page = renderPage(
    {
      title: 'agent.waiting',
      heading: 'agent.waiting',
      message: {
        code: 'agent.waiting_lead',
        values: { client: name.text, api: texts.shown(api.name).text },
      },
      details: [
        ['agent.application', [name]],
        ...(host === null ? [] : ([['agent.from', host]] as const)),
        ['agent.returns_to', returnHost(redirectUri)],
        ...(asksFor.length === 0 ? [] : ([['agent.asks_for', asksFor]] as const)),
      ],
      requestId,
      link: { href, label: 'agent.look_again' },
      style,
    },
    texts,
  );
  return html(200, page, { https: settings().secureCookies, words: texts, style, headers });
}

// GET and POST ISSUER/authorize (specification 4.5). The endpoint checks the issuer and the client first (error pages
// with 404 and 400). Then it checks all other parameters (a redirect with an error), and finally the user.

export async function handleAuthorize({ http, ip, issuer }: IssuerRequest): Promise<Answer> {
  if (issuer.host !== null) return redirect(303, browserAddress(issuer, 'authorize', http.query));
  const resumed = resume(http, issuer);
  let recipient: Recipient | null = null;
  try {
    const asker = { address: ip, requestId: http.requestId };
    const extendedIssuer = await withUnregisteredClient(
      issuer,
      resumed.params.values.get('client_id'),
      asker,
    );
    recipient = identify(
      extendedIssuer,
      resumed.params,
      resumed.interaction && ownReturnOf(resumed.interaction),
    );
    if (isOfDevice(resumed.interaction)) requireDevices(issuer.api);
    else requireUsable(recipient, resumed);
    await knowFormerKeys(recipient.issuer);
    return await proceed(http, ip, validate(recipient, resumed.params), resumed);
  } catch (thrown) {
    if (thrown instanceof RegistryChanged) throw thrown;
    const { params, interaction } = resumed;
    const ofDevice = isOfDevice(interaction);
    if (ofDevice && isDenial(thrown)) return denyDevice({ http, interaction, personId: null });
    // a device receives the error when it polls, so the browser stays on a Gatehouse page
    throw new AuthorizeRefused(params, ofDevice ? null : recipient, thrown);
  }
}

/** Redirects the POST to a GET, because only a GET receives the sign-in cookie, and logs contain no body. */
export async function handleAuthorizePost({ http, issuer }: IssuerRequest): Promise<Answer> {
  const query = await postedQuery(http, issuer);
  if (query === null)
    throw new UnidentifiedRequest({
      text: 'The request must be a form of at most 8,192 bytes, not counting id_token_hint.',
    });
  return redirect(303, browserAddress(issuer, 'authorize', query));
}

type Resumed = { params: Params; interaction: Interaction | null; pushed: Pushed | null; late: boolean };

/**
 * Reads the authorize request: a client's new one, direct or pushed, or the one in the interaction with which a
 * Gatehouse page continues.
 */
function resume(http: HttpRequest, issuer: Issuer): Resumed {
  const params = parseForm(http.query);
  const sealed = params.values.get('interaction');
  if (sealed === undefined || params.values.has('client_id')) {
    const request = pushedRequest(params, issuer) ?? { params, pushed: null, late: false };
    return { ...request, interaction: null };
  }
  const interaction = openInteraction(sealed, readBrowser(http.headers['cookie']));
  const isOwnInteraction =
    interaction !== 'expired' &&
    interaction?.authMethodId === issuer.method.id &&
    interaction.apiId === issuer.api.id;
  if (!isOwnInteraction) throw new UnidentifiedRequest('errors.started_elsewhere_or_late');
  const { query, pushed = null } = interaction;
  return { params: parseForm(query), interaction, pushed, late: false };
}

async function proceed(
  http: HttpRequest,
  ip: string | null,
  asRequested: AuthorizeRequest,
  { params, interaction, pushed }: Resumed,
): Promise<Answer> {
  const { issuer, client, codeChallenge, dpopJkt } = asRequested;
  const idHash = await readSessionHash(http.headers['cookie'], issuer.method.id);
  const request = await forSession(asRequested, idHash);
  const expectedPersonId = await personMeant(client, request.expectedSub, issuer, async () => {
    const session = idHash && (await findSignInSession(idHash, issuer.method.id));
    return session?.personId ?? null;
  });
  const session = idHash?.toString('base64url') ?? null;
  const { secondFactorGraceDays: graceDays, sessionIdleSeconds: idleSeconds } = settings();
  const question = { request, interaction, session, expectedPersonId, graceDays };
  // creates and publishes the first key before the first ID token is issued
  if (request.openid) await withFirstKeys([idTokenAlg(issuer.api, client)], issuer.snapshot);
  const device = isOfDevice(interaction) ? interaction : null;
  const basis = device && !isConnected(device, session) ? null : codeBasis(question);
  const code = mint('code');
  const { redirectUri, scopes, scopeAsked, consentScopes, openid } = request;
  // a sign-in for this request is recent enough, even if a broker reports an earlier time
  const maxAgeSeconds = signedInHere(question) ? null : request.maxAgeSeconds;
  const { facts, issued, challengeUsed, pushedUsed } = await authorize({
    version: issuer.snapshot.version,
    signIn: idHash ? { kind: 'session', idHash, idleSeconds } : { kind: 'none' },
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    restricted: request.restricted,
    consentSince: request.consentSince,
    issuerHost: issuer.host,
    codeChallenge: device ? null : codeChallenge,
    dpopJkt,
    freshChallenge: request.prompt.has('none'),
    pushed: pushedUse(pushed),
    strength: strengthAsked(askingOf(question), settings().trustedBrowserDays),
    code: basis && {
      hash: code.hash,
      redirectUri,
      scopes,
      scopeAsked,
      basis,
      ...(device && { scopeAsked: false, basis: 'device', seconds: secondsLeft(device) }),
      consentScopes,
      maxAgeSeconds,
      openid,
      expectedPersonId,
    },
    requestId: http.requestId,
    ip,
  });
  if (pushedUsed) throw new InvalidRequestUri();
  if (challengeUsed)
    throw new InvalidRequest('This code_challenge was already used. Create a new one for each request.');
  const keep = (): Kept => ({ query: keptQuery(params), ...(pushed && { pushed }) });
  const decision = await decide(question, facts);
  const asksDevice = device !== null && nextForDevice(decision, device, session) === 'ask';
  const asksPerson = asksDevice || (decision.kind !== 'issue' && decision.kind !== 'error');
  if (asksPerson && isForFrame(http.headers)) return notInAFrame(http);
  if (asksDevice) return toPage(http, request, 'device', keep(), interaction, { asked: session });
  switch (decision.kind) {
    case 'error':
      throw decision.error;
    case 'login': {
      const { startSignIn } = authMethodOf(issuer.method);
      if (startSignIn) return toBroker(http, ip, startSignIn, request, keep(), interaction);
      // Initiating User Registration 1.0 §3: `prompt=create` shows the registration page
      const creates = request.prompt.has('create') && isOpenToAll(issuer.method);
      return toPage(http, request, creates ? 'register' : 'login', keep(), interaction);
    }
    case 'confirm':
    case 'set-up': {
      const { kind, ...secondFactor } = decision;
      return toPage(http, request, kind, keep(), interaction, { asked: session, secondFactor });
    }
    case 'approval':
      return askForApproval(http, ip, request, facts?.personId ?? '', keep());
    case 'refused':
      return personRefusedPage(http, request, keep());
    case 'consent':
      return toPage(http, request, 'consent', keep(), interaction, { asked: session });
    case 'issue':
      // the statement found that the client was disabled, or that the subscription ended
      if (!issued) throw new UnauthorizedClient('The client is no longer allowed to do this.');
      if (device) return connectDevice({ http, interaction: device, facts, client }, code.hash);
      return codeRedirect(request, code.value, () => requestWords(http));
  }
}

/**
 * Decides the next step. If the user’s passkey belongs to another domain, it cannot be used. The user proves another
 * factor first, then adds a passkey.
 */
async function decide(
  authorizeQuestion: AuthorizeQuestion,
  facts: Authorized['facts'],
): Promise<AuthorizeDecision> {
  const decision = decideAuthorize(authorizeQuestion, facts, now());
  const byPasskey = decision.kind === 'confirm' && decision.level === 3;
  if (!(facts && byPasskey) || (await hasPasskeyHere(facts.personId))) return decision;
  return decideAuthorize(authorizeQuestion, { ...facts, factorLevel: 2 }, now());
}

/** Members that the interaction keeps for the next page. */
const CARRIED = ['signedIn', 'postponed', 'proved', 'device', 'connected'] as const;

type OfPage = { asked: string | null } & Pick<Interaction, 'secondFactor'>;

/**
 * Redirects to a hosted page, with the request sealed for this browser. `asked`: session to which the page belongs.
 */
function toPage(
  http: HttpRequest,
  { issuer }: AuthorizeRequest,
  page: 'login' | 'register' | 'confirm' | 'set-up' | 'device' | 'consent',
  storedRequest: Kept,
  earlier: Interaction | null,
  { asked, ...ofPage }: OfPage = { asked: null },
): Answer {
  const { browser, cookie } = openTransaction(http.headers['cookie']);
  const interaction: Interaction = {
    authMethodId: issuer.method.id,
    apiId: issuer.api.id,
    ...storedRequest,
    startedAt: earlier?.startedAt ?? now().getTime(),
    browser,
    ...Object.fromEntries(
      CARRIED.flatMap((name) => (earlier?.[name] === undefined ? [] : [[name, earlier[name]]])),
    ),
    ...(asked === null ? {} : { asked }),
    ...ofPage,
  };
  const location = `${settings().authUrl}/${page}?interaction=${sealInteraction(interaction)}`;
  return redirect(303, location, { 'set-cookie': cookie });
}
