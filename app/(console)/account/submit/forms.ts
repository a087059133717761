// The forms of /account, and those of people who are not signed in.

import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, done, type Forms, type Outcome } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import {
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  withdrawConsent,
} from '#lib/management/account/account.ts';
import { deleteMyAccount } from '#lib/management/account/my-deletion.ts';
import { type Browser, signInByNewPassword, signInToConsole } from '#lib/management/account/sign-in.ts';
import {
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
} from '#lib/management/people/mail-links.ts';
import { endMyDelegation, giveDelegation } from '#lib/management/subscriptions/delegations.ts';
import {
  cameWith,
  interruptedSignIn,
  PASSWORD_RESET,
  signInAddress,
} from '#lib/oauth/hosted/forgotten-password.ts';
import { endConsoleSession } from '#lib/sessions/console.ts';
import { forgetInterrupted, keepInterrupted, readInterrupted } from '#lib/sessions/interrupted.ts';
import { addressForms } from './address-forms.ts';
import { departure, linkForms } from './link-forms.ts';
import { pageAfter } from './page-after.ts';
import { securityForms } from './security-forms.ts';

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
  if (result.kind === 'owes-password') {
    const to = withQuery('/account/new-password', { owed: result.owed, to: pageAfter(fields) });
    return { kind: 'done', to, cookie: result.cookie };
  }
  const status = { refused: 422, 'must-change': 422, 'slow-down': 429, unavailable: 503 }[result.kind];
  return { kind: 'refused', status, told: result.told };
}

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
  ...securityForms,
  ...linkForms,
  ...addressForms,
  'sign-in': {
    public: true,
    page: pageAfter,
    run: (fields, { browser }) =>
      checkPassword(fields, browser, fields.one('authMethodId'), fields.one('username')),
  },
  'sign-in-elsewhere': {
    public: true,
    page: pageAfter,
    run: (fields, { browser }) =>
      departure({ ...browser, authMethodId: fields.one('authMethodId'), returnTo: pageAfter(fields) }),
  },
  'sign-in-again': {
    page: (fields) => withQuery('/account/again', { to: pageAfter(fields) }),
    run: (actor, fields, { browser }) =>
      checkPassword(fields, browser, actor.session.authMethodId, actor.email ?? actor.username ?? ''),
  },
  'forgot-password': {
    public: true,
    page: forgotPage,
    run: async (fields, { browser }) => {
      const signIn = interruptedSignIn(fields.given('interaction'));
      const after = signIn === undefined ? 'account' : 'application';
      const asked = { email: fields.one('email'), after, cameWith: cameWith(signIn) } as const;
      await requestPasswordReset({ ...browser, ...asked });
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
  'new-password': {
    public: true,
    page: pageWith('/account/new-password', 'owed', 'to'),
    run: async (fields, { browser }) => {
      const [owed, password, code] = [fields.one('owed'), fields.one('password'), fields.one('code')];
      const cookie = await signInByNewPassword({ ...browser, owed, password, code });
      return { kind: 'done', to: pageAfter(fields), notice: 'password-changed', cookie };
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
    changeMyProfile(actor, { name: fields.one('name') }),
  ),
  profile: backWith(account, 'profile-changed', (actor, fields) =>
    changeMyProfile(actor, {
      picture: fields.one('picture'),
      locale: fields.one('locale'),
      zoneinfo: fields.one('zoneinfo'),
    }),
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
  'account-delete': {
    page: () => '/account/delete',
    run: async (actor, fields, { browser }) => {
      await deleteMyAccount(actor, { word: fields.one('word') });
      const cookie = await endConsoleSession(browser.cookieHeader, browser);
      return { kind: 'done', to: '/account', notice: 'account-deleted', cookie };
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
      const seen = fields.one('identityChangedAt');
      const identityChangedAt = seen === '' ? null : new Date(seen);
      await giveDelegation(actor, { clientId, api, scopes, until, identityChangedAt });
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
