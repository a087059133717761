// Forms of /account, and forms for signed-out users.
import { backWith, type Forms, type Outcome, redirectAfter } from '#app/(console)/_kit/console-form.ts';
import type { NoticeId } from '#app/(console)/_kit/notices.ts';
import type { Fields } from '#app/(console)/_kit/posted.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { byProfileName } from '#lib/catalogue/people/profile.ts';
import { now } from '#lib/kit/clock.ts';
import {
  type Browser,
  confirmSignIn,
  putOffSetUp,
  setUpFirst,
  signInByNewPassword,
  signInToConsole,
  signInToConsoleByPasskey,
} from '#lib/management/console-sign-in.ts';
import { endMyDelegation, giveDelegation } from '#lib/management/delegations.ts';
import { linkIdentity, proveLink, startLink, unlinkIdentity } from '#lib/management/links.ts';
import {
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
} from '#lib/management/mail-links.ts';
import {
  addMyPasskey,
  addMyTotp,
  changeMyPassword,
  changeMyProfile,
  deleteMyAccount,
  endMySession,
  endMySessions,
  finishAddressChange,
  forgetMyBrowsers,
  nameMyDevice,
  removeMyPasskey,
  removeMyTotp,
  renameMyPasskey,
  renameMyTotp,
  renewMyRecoveryCodes,
  replaceMyTotp,
  startAddressChange,
  withdrawConsent,
} from '#lib/management/my-account.ts';
import { Refused } from '#lib/management/refused.ts';
import { startBrokerConsoleSignIn } from '#lib/oauth/broker.ts';
import { cameWith, interruptedSignIn, PASSWORD_RESET, signInAddress } from '#lib/oauth/pages/sign-in.ts';
import { endConsoleSession } from '#lib/sessions/console.ts';
import { forgetInterrupted, keepInterrupted, readInterrupted } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';

// The forms of /account/address.

const ADDRESS = '/account/address';

const addressForms: Forms = {
  'address-start': {
    page: () => ADDRESS,
    run: async (actor, fields) => {
      const { handle } = await startAddressChange(actor, { email: fields.one('email') });
      return redirectAfter(withQuery(ADDRESS, { change: handle }));
    },
  },
  'address-finish': {
    page: (fields) => withQuery(ADDRESS, { change: fields.one('handle') }),
    run: async (actor, fields) => {
      const [codeHere, codeThere] = [fields.one('codeHere'), fields.one('codeThere')];
      await finishAddressChange(actor, { handle: fields.one('handle'), codeHere, codeThere });
      return redirectAfter('/account', 'address-changed');
    },
  },
};

// Forms for linking sign-in methods.

const LINKS = '/account/links';
const JOIN = `${LINKS}/join`;
type Departing = Parameters<typeof startBrokerConsoleSignIn>[0];

/** Redirects to a broker, which redirects users back to the console. */
async function departure(input: Departing): Promise<Outcome> {
  const started = await startBrokerConsoleSignIn(input);
  if (started.kind === 'depart') return { kind: 'depart', href: started.location, cookie: started.cookie };
  if (started.kind === 'slow-down')
    throw new Refused('link.too_many', {}, { retryAfterSeconds: started.waitSeconds });
  return started.kind === 'unknown'
    ? { kind: 'refused', status: 404, told: 'link.no_longer_there' }
    : { kind: 'refused', status: 503, told: 'link.silent' };
}

const linkForms: Forms = {
  'link-elsewhere': {
    page: () => LINKS,
    run: async (actor, fields, { browser }) => {
      const authMethodId = fields.one('authMethodId');
      const proves = await startLink(actor, { authMethodId });
      return departure({ ...browser, authMethodId, returnTo: JOIN, proves });
    },
  },
  'link-password': {
    page: () => LINKS,
    run: async (actor, fields, { browser }) => {
      const [authMethodId, username] = [fields.one('authMethodId'), fields.one('username')];
      const credentials = { authMethodId, username, password: fields.one('secret'), browser };
      return redirectAfter(withQuery(JOIN, { proof: await proveLink(actor, credentials) }));
    },
  },
  'link-join': {
    page: (fields) => withQuery(JOIN, { proof: fields.one('proof') }),
    run: async (actor, fields) => {
      await linkIdentity(actor, { proof: fields.one('proof') });
      return redirectAfter(LINKS, 'link-added');
    },
  },
  'link-remove': backWith(
    () => LINKS,
    'link-removed',
    (actor, fields) => unlinkIdentity(actor, { authMethodId: fields.one('authMethodId') }),
  ),
};

const CONSOLE_PAGE = /^\/(?:account|developer|admin)(?:[/?#]|$)/;

/** Returns the console page that the form field `to` names; for any other value, the account page. */
function pageAfter(fields: Fields): string {
  const to = fields.one('to');
  const { baseUrl } = settings();
  const fits = CONSOLE_PAGE.test(to) && URL.canParse(to, baseUrl) && new URL(to, baseUrl).origin === baseUrl;
  return fits ? to : '/account';
}

// Forms for the sign-in factors of a user, including a user who has not completed the second step.

const SECURITY = '/account/security';
const security = () => SECURITY;
const addPage = () => `${SECURITY}/add`;
const replacePage = (fields: Fields) => withQuery(`${SECURITY}/replace`, { id: fields.one('id') });
const totpPage = (fields: Fields) => withQuery(`${SECURITY}/app`, { id: fields.one('id') });
const passkeyPage = (fields: Fields) => withQuery(`${SECURITY}/passkey`, { id: fields.one('id') });
const deviceIn = (fields: Fields) => (fields.one('device') === 'browser' ? 'browser' : 'session');
const devicePage = (fields: Fields) => withQuery('/account/device', { [deviceIn(fields)]: fields.one('id') });

const answerOf = (fields: Fields) => ({
  state: fields.one('passkey_state'),
  response: fields.one('credential'),
});
const totpOf = (fields: Fields) => ({ sealed: fields.one('sealed'), code: fields.one('code') });

const shownCodes = (codes: string[], next: string): Outcome => ({
  kind: 'shown',
  shown: {
    heading: 'step.codes_your',
    message: 'step.codes_keep',
    values: [['security.codes', codes.join('\n')]],
    keptAs: 'recovery-codes.txt',
    next: { href: next, label: 'step.codes_kept' },
  },
});

/** Shows new recovery codes if some were created, otherwise the page. */
function afterAdding(
  { cookie, codes }: { cookie: string; codes: string[] | null },
  to: string,
  notice?: NoticeId,
): Outcome {
  if (codes !== null) return { ...shownCodes(codes, to), cookie } as Outcome;
  return { kind: 'done', to, cookie, ...(notice && { notice }) };
}

const STATUS = { refused: 422, 'must-change': 422, 'slow-down': 429, unavailable: 503 };
type SignedIn = Awaited<ReturnType<typeof signInToConsole | typeof signInToConsoleByPasskey>>;
function afterSignIn(result: SignedIn, fields: Fields): Outcome {
  const to = pageAfter(fields);
  if (result.kind === 'signed-in') return { kind: 'done', to, cookie: [result.cookie, ...result.device] };
  if (result.kind === 'owes-password')
    return {
      kind: 'done',
      to: withQuery('/account/new-password', { owed: result.owed, to }),
      cookie: result.cookie,
    };
  return { kind: 'refused', status: STATUS[result.kind], told: result.told };
}

const securityForms: Forms = {
  'passkey-sign-in': {
    public: true,
    page: pageAfter,
    run: async (fields, { browser }) => {
      const authMethodId = fields.one('authMethodId');
      return afterSignIn(
        await signInToConsoleByPasskey({ ...browser, ...answerOf(fields), authMethodId }),
        fields,
      );
    },
  },
  'passkey-again': {
    page: (fields) => withQuery('/account/again', { to: pageAfter(fields) }),
    run: async (actor, fields, { browser }) => {
      const { authMethodId } = actor.session;
      const passkeyAnswer = { ...browser, ...answerOf(fields), authMethodId, again: actor };
      return afterSignIn(await signInToConsoleByPasskey(passkeyAnswer), fields);
    },
  },
  'confirm-code': {
    public: 'half',
    page: pageAfter,
    run: async (unfinishedSignIn, fields, { browser }) => {
      const cookie = await confirmSignIn(unfinishedSignIn, { code: fields.one('code') }, browser);
      return { kind: 'done', to: pageAfter(fields), cookie };
    },
  },
  'confirm-passkey': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields, { browser }) => {
      const cookie = await confirmSignIn(who, answerOf(fields), browser);
      return { kind: 'done', to: pageAfter(fields), cookie };
    },
  },
  'confirm-cancel': {
    public: 'half',
    page: pageAfter,
    run: async (_who, _fields, { browser }) => {
      const cookie = await endConsoleSession(browser.cookieHeader, browser);
      return { kind: 'done', to: '/account', notice: 'signed-out', cookie };
    },
  },
  'set-up-app': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields, { browser }) =>
      afterAdding(await setUpFirst(who, totpOf(fields), browser, now()), pageAfter(fields)),
  },
  'set-up-passkey': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields, { browser }) => {
      const passkey = { ...answerOf(fields), name: fields.one('name') };
      return afterAdding(await setUpFirst(who, passkey, browser, now()), pageAfter(fields));
    },
  },
  'set-up-later': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields) => {
      await putOffSetUp(who);
      return redirectAfter(pageAfter(fields));
    },
  },
  'app-add': {
    page: addPage,
    run: async (actor, fields, { browser }) =>
      afterAdding(
        await addMyTotp(actor, { ...totpOf(fields), name: fields.one('name'), browser }),
        SECURITY,
        'factor-added',
      ),
  },
  'app-replace': {
    page: replacePage,
    run: async (actor, fields) => {
      await replaceMyTotp(actor, totpOf(fields));
      return redirectAfter(SECURITY, 'app-replaced');
    },
  },
  'app-rename': {
    page: totpPage,
    run: async (actor, fields) => {
      await renameMyTotp(actor, { id: fields.one('id'), name: fields.one('name') });
      return redirectAfter(SECURITY, 'app-renamed');
    },
  },
  'app-remove': {
    page: totpPage,
    run: async (actor, fields) => {
      await removeMyTotp(actor, { id: fields.one('id') });
      return redirectAfter(SECURITY, 'factor-removed');
    },
  },
  'passkey-add': {
    page: addPage,
    run: async (actor, fields, { browser }) => {
      const passkey = { ...answerOf(fields), name: fields.one('name'), browser };
      return afterAdding(await addMyPasskey(actor, passkey), SECURITY, 'factor-added');
    },
  },
  'passkey-rename': {
    page: passkeyPage,
    run: async (actor, fields) => {
      await renameMyPasskey(actor, { id: fields.one('id'), name: fields.one('name') });
      return redirectAfter(SECURITY, 'passkey-renamed');
    },
  },
  'passkey-remove': {
    page: passkeyPage,
    run: async (actor, fields) => {
      await removeMyPasskey(actor, { id: fields.one('id') });
      return redirectAfter(SECURITY, 'factor-removed');
    },
  },
  'recovery-codes': {
    page: security,
    run: async (actor) => shownCodes(await renewMyRecoveryCodes(actor), SECURITY),
  },
  'device-name': {
    page: devicePage,
    run: async (actor, fields) => {
      const device = deviceIn(fields);
      await nameMyDevice(actor, { device, id: fields.one('id'), name: fields.one('name') });
      return redirectAfter(device === 'browser' ? SECURITY : '/account', 'device-named');
    },
  },
  'browser-forget': backWith(security, 'browser-forgotten', (actor, fields) =>
    forgetMyBrowsers(actor, { id: fields.one('id') }),
  ),
};

async function checkPassword(
  fields: Fields,
  browser: Browser,
  authMethodId: string,
  username: string,
): Promise<Outcome> {
  const password = fields.one('password');
  return afterSignIn(await signInToConsole({ ...browser, authMethodId, username, password }), fields);
}

const account = () => '/account';
/** Returns the address of a page with these fields of the form as parameters. */
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
      const signIn = interruptedSignIn(fields.text('interaction'));
      const after = signIn === undefined ? 'account' : 'application';
      const resetRequest = { email: fields.one('email'), after, cameWith: cameWith(signIn) } as const;
      await requestPasswordReset({ ...browser, ...resetRequest });
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
      if (fields.one('after') !== 'application') return redirectAfter('/account', 'password-reset');
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
      const { cookie, device } = await signInByNewPassword({ ...browser, owed, password, code });
      const cookies = [cookie, ...device];
      return { kind: 'done', to: pageAfter(fields), notice: 'password-changed', cookie: cookies };
    },
  },
  'verify-email': {
    public: true,
    page: pageWith('/account/verify-email', 'token'),
    run: async (fields, { browser }) => {
      await verifyEmail({ ...browser, token: fields.one('token') });
      return redirectAfter('/account', 'email-verified');
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
    changeMyProfile(
      actor,
      byProfileName((name) => fields.one(name)),
    ),
  ),
  password: {
    page: () => '/account/password',
    run: async (actor, fields, { browser }) => {
      const signedIn = await changeMyPassword(actor, {
        oldPassword: fields.one('oldPassword'),
        password: fields.one('password'),
        browser,
      });
      const cookie = signedIn && [signedIn.cookie, ...signedIn.device];
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
      // the delegation ends at the end of the selected day; the operation rejects an invalid date
      const until = new Date(`${fields.one('until').trim()}T23:59:59Z`);
      const seen = fields.one('identityChangedAt');
      const identityChangedAt = seen === '' ? null : new Date(seen);
      await giveDelegation(actor, { clientId, api, scopes, until, identityChangedAt });
      return redirectAfter('/account', 'delegation-given');
    },
  },
  'delegation-end': backWith(account, 'delegation-ended', (actor, fields) =>
    endMyDelegation(actor, { id: fields.one('id') }),
  ),
  'consent-withdraw': backWith(account, 'consent-withdrawn', (actor, fields) =>
    withdrawConsent(actor, { id: fields.one('id') }),
  ),
};
