// The forms about one's own factors, and those of people who have not made the second step yet.
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { backWith, done, type Forms, type Outcome } from '#app/(console)/_forms/form.ts';
import type { NoticeId } from '#app/(console)/_forms/notices.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { now } from '#lib/kit/clock.ts';
import { nameMyDevice } from '#lib/management/account/my-devices.ts';
import {
  addMyPasskey,
  addMyTotp,
  forgetMyBrowsers,
  removeMyPasskey,
  removeMyTotp,
  renameMyPasskey,
  renameMyTotp,
  renewMyRecoveryCodes,
  replaceMyTotp,
} from '#lib/management/account/my-factors.ts';
import { signInToConsoleByPasskey } from '#lib/management/account/passkey-sign-in.ts';
import {
  confirmByCode,
  confirmByPasskey,
  putOffSetUp,
  setUpFirst,
} from '#lib/management/account/second-step.ts';
import { endConsoleSession } from '#lib/sessions/console.ts';
import { pageAfter } from './page-after.ts';

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

/** The new codes, where there are any, and then the page. */
function afterAdding(
  { cookie, codes }: { cookie: string; codes: string[] | null },
  to: string,
  notice?: NoticeId,
): Outcome {
  if (codes !== null) return { ...shownCodes(codes, to), cookie } as Outcome;
  return { kind: 'done', to, cookie, ...(notice && { notice }) };
}

const STATUS = { refused: 422, 'must-change': 422, 'slow-down': 429, unavailable: 503 };
type SignedIn = Awaited<ReturnType<typeof signInToConsoleByPasskey>>;
const afterSignIn = (result: SignedIn, fields: Fields): Outcome =>
  result.kind === 'signed-in'
    ? { kind: 'done', to: pageAfter(fields), cookie: result.cookie }
    : { kind: 'refused', status: STATUS[result.kind], told: result.told };

export const securityForms: Forms = {
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
      const asked = { ...browser, ...answerOf(fields), authMethodId, again: actor };
      return afterSignIn(await signInToConsoleByPasskey(asked), fields);
    },
  },
  'confirm-code': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields, { browser }) => {
      const cookie = await confirmByCode(who, fields.one('code'), browser);
      return { kind: 'done', to: pageAfter(fields), cookie };
    },
  },
  'confirm-passkey': {
    public: 'half',
    page: pageAfter,
    run: async (who, fields, { browser }) => {
      const cookie = await confirmByPasskey(who, answerOf(fields), browser);
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
      return done(pageAfter(fields));
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
      return done(SECURITY, 'app-replaced');
    },
  },
  'app-rename': {
    page: totpPage,
    run: async (actor, fields) => {
      await renameMyTotp(actor, { id: fields.one('id'), name: fields.one('name') });
      return done(SECURITY, 'app-renamed');
    },
  },
  'app-remove': {
    page: totpPage,
    run: async (actor, fields) => {
      await removeMyTotp(actor, { id: fields.one('id') });
      return done(SECURITY, 'factor-removed');
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
      return done(SECURITY, 'passkey-renamed');
    },
  },
  'passkey-remove': {
    page: passkeyPage,
    run: async (actor, fields) => {
      await removeMyPasskey(actor, { id: fields.one('id') });
      return done(SECURITY, 'factor-removed');
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
      return done(device === 'browser' ? SECURITY : '/account', 'device-named');
    },
  },
  'browser-forget': backWith(security, 'browser-forgotten', (actor, fields) =>
    forgetMyBrowsers(actor, { id: fields.one('id') }),
  ),
};
