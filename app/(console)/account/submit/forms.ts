// The forms of /account, and those of somebody who is not signed in.

import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, done, type Forms, type Outcome } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import {
  type Browser,
  changeMyName,
  changeMyPassword,
  endMyDelegation,
  endMySession,
  endMySessions,
  giveDelegation,
  Refused,
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  signInToConsole,
  verifyEmail,
  withdrawConsent,
} from '#lib/management/index.ts';
import {
  interruptedSignIn,
  PASSWORD_RESET,
  signInAddress,
  startBrokerConsoleSignIn,
} from '#lib/oauth/index.ts';
import {
  endConsoleSession,
  forgetInterrupted,
  keepInterrupted,
  readInterrupted,
} from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

const CONSOLE_PAGE = /^\/(?:account|developer|admin)(?:[/?#]|$)/;

/** The page of the console that the form names in `to`; the account page where `to` is anything else. */
function pageAfter(fields: Fields): string {
  const to = fields.one('to');
  const { baseUrl } = settings();
  const fits = CONSOLE_PAGE.test(to) && URL.canParse(to, baseUrl) && new URL(to, baseUrl).origin === baseUrl;
  return fits ? to : '/account';
}

async function checkPassword(
  fields: Fields,
  browser: Browser,
  authMethodId: string,
  username: string,
): Promise<Outcome> {
  const password = fields.one('password');
  const result = await signInToConsole({ ...browser, authMethodId, username, password });
  if (result.kind === 'signed-in') {
    return { kind: 'done', to: pageAfter(fields), cookie: result.cookie };
  }
  const status = { refused: 422, 'slow-down': 429, unavailable: 503 }[result.kind];
  return { kind: 'refused', status, message: result.message };
}

const NO_SUCH_WAY = 'That way of signing in is not there any more. Choose another one.';
const TOO_MANY = 'Too many sign-ins from your network. Wait a while, then try again.';
const ELSEWHERE_UNAVAILABLE = 'That service is not answering. Try again in a moment.';

const account = () => '/account';
/** The page with these fields of the form as its parameters. */
const pageWith =
  (page: string, ...names: string[]) =>
  (fields: Fields) =>
    withQuery(page, Object.fromEntries(names.map((name) => [name, fields.one(name)])));
const agentPage = (fields: Fields) =>
  withQuery('/account/agents', { client: fields.one('clientId'), api: fields.one('api') });
const forgotPage = pageWith('/account/forgot-password', 'interaction');

export const forms: Forms = {
  'sign-in': {
    public: true,
    page: pageAfter,
    run: (fields, { browser }) =>
      checkPassword(fields, browser, fields.one('authMethodId'), fields.one('username')),
  },
  'sign-in-elsewhere': {
    public: true,
    page: pageAfter,
    run: async (fields, { browser }) => {
      const authMethodId = fields.one('authMethodId');
      const departure = await startBrokerConsoleSignIn({
        ...browser,
        authMethodId,
        returnTo: pageAfter(fields),
      });
      if (departure.kind === 'depart') {
        return { kind: 'depart', href: departure.location, cookie: departure.cookie };
      }
      if (departure.kind === 'slow-down') {
        throw new Refused(TOO_MANY, 'slow-down', { retryAfterSeconds: departure.waitSeconds });
      }
      return departure.kind === 'unknown'
        ? { kind: 'refused', status: 404, message: NO_SUCH_WAY }
        : { kind: 'refused', status: 503, message: ELSEWHERE_UNAVAILABLE };
    },
  },
  'sign-in-again': {
    page: (fields) => withQuery('/account/again', { to: pageAfter(fields) }),
    run: (actor, fields, { browser }) =>
      checkPassword(fields, browser, actor.session.authMethodId, actor.email ?? ''),
  },
  'forgot-password': {
    public: true,
    page: forgotPage,
    run: async (fields, { browser }) => {
      const signIn = interruptedSignIn(fields.given('interaction'));
      const after = signIn === undefined ? 'account' : 'application';
      await requestPasswordReset({ ...browser, email: fields.one('email'), after });
      const cookie = signIn === undefined ? forgetInterrupted() : keepInterrupted(signIn);
      return { kind: 'done', to: forgotPage(fields), notice: 'reset-asked', cookie };
    },
  },
  'reset-password': {
    public: true,
    page: pageWith('/account/reset-password', 'token', 'after'),
    run: async (fields, { browser }) => {
      const [token, password] = [fields.one('token'), fields.one('password')];
      await resetPassword({ ...browser, token, password });
      if (fields.one('after') !== 'application') return done('/account', 'password-reset');
      const signIn = interruptedSignIn(readInterrupted(browser.cookieHeader));
      const href = signInAddress(signIn, PASSWORD_RESET);
      return { kind: 'depart', href, cookie: forgetInterrupted() };
    },
  },
  'verify-email': {
    public: true,
    page: pageWith('/account/verify-email', 'token'),
    run: async (fields, { browser }) => {
      await verifyEmail({ ...browser, token: fields.one('token') });
      return done('/account', 'email-verified');
    },
  },
  'email-verification': backWith(account, 'verification-sent', requestEmailVerification),
  'sign-out': {
    page: account,
    run: async (_actor, _fields, { browser }) => {
      const cookie = await endConsoleSession(browser.cookieHeader, browser);
      return { kind: 'done', to: '/account', notice: 'signed-out', cookie };
    },
  },
  name: backWith(account, 'name-changed', (actor, fields) =>
    changeMyName(actor, { name: fields.one('name') }),
  ),
  password: {
    page: () => '/account/password',
    run: async (actor, fields, { browser }) => {
      const { cookie } = await changeMyPassword(actor, {
        oldPassword: fields.one('oldPassword'),
        password: fields.one('password'),
        browser,
      });
      return { kind: 'done', to: '/account', notice: 'password-changed', cookie };
    },
  },
  'session-end': backWith(account, 'session-ended', (actor, fields) =>
    endMySession(actor, { id: fields.one('id') }),
  ),
  'sessions-end': backWith(account, 'sessions-ended', (actor) => endMySessions(actor, { keepCurrent: true })),
  'delegation-give': {
    page: agentPage,
    run: async (actor, fields) => {
      const [clientId, api, scopes] = [fields.one('clientId'), fields.one('api'), fields.list('scopes')];
      // to the end of the day; what is no date is refused
      const until = new Date(`${fields.one('until').trim()}T23:59:59Z`);
      await giveDelegation(actor, { clientId, api, scopes, until });
      return done('/account', 'delegation-given');
    },
  },
  'delegation-end': backWith(account, 'delegation-ended', (actor, fields) =>
    endMyDelegation(actor, { id: fields.one('id') }),
  ),
  'consent-withdraw': backWith(account, 'consent-withdrawn', (actor, fields) =>
    withdrawConsent(actor, { id: fields.one('id') }),
  ),
};
