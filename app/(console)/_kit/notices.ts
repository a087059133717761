// What the next page says was done. The address holds only the id of the text, and numbers at the most, so that a link
// cannot choose the words; what it is about is sealed, and shown once.
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english, type Plain, type Told } from '#lib/language/message.ts';
import { type StateReader, storeInSession, takeFromSession } from '#lib/sessions/page-state.ts';
import { toSay } from '../_texts/to-say.ts';
import { withQuery } from './with-query.ts';

export type EndedOfClient = { tokens: number; consents: number; delegations: number; people: number };

const isNothing = ({ tokens, consents, delegations }: EndedOfClient) => tokens + consents + delegations === 0;

/** What would end of a client. */
export const endingWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('nothing, for it held no token and nobody had allowed it anything.')
    : english(
        '{tokens, plural, one {# living sign-in or token} other {# living sign-ins and tokens}}, {consents, plural, one {# remembered consent} other {# remembered consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );

/** What has ended. */
const revokedWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('Revoked. What has ended: nothing, for it held no token and nobody had allowed it anything.')
    : english(
        'Revoked. What has ended: {tokens, plural, one {# living sign-in or token} other {# living sign-ins and tokens}}, {consents, plural, one {# remembered consent} other {# remembered consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );

/** Of one's own account, in every language. */
const OWN = {
  'name-changed': 'told.name_changed',
  'profile-changed': 'told.profile_changed',
  'account-deleted': 'told.account_deleted',
  'password-changed': 'told.password_changed',
  'password-reset': 'told.password_reset',
  'reset-asked': 'account.reset_notice',
  'address-changed': 'told.address_changed',
  'email-verified': 'told.email_verified',
  'verification-sent': 'told.verification_sent',
  'factor-added': 'told.factor_added',
  'app-replaced': 'told.app_replaced',
  'app-renamed': 'told.app_renamed',
  'factor-removed': 'told.factor_removed',
  'passkey-renamed': 'told.passkey_renamed',
  'device-named': 'told.device_named',
  'browser-forgotten': 'told.browser_forgotten',
  'link-added': 'told.identity_linked',
  'link-removed': 'told.identity_unlinked',
  'session-ended': 'told.session_ended',
  'sessions-ended': 'told.sessions_ended',
  'consent-withdrawn': 'told.consent_withdrawn',
  'delegation-given': 'told.delegation_given',
  'delegation-ended': 'told.delegation_ended',
  'signed-out': 'told.signed_out',
} as const satisfies Record<string, Plain>;

/** Of the consoles of developers and administrators. */
const ENGLISH = toSay({
  'mail-sent': 'The mail is on its way to you.',
  'factors-reset': 'Their factors are gone, and they are signed out everywhere.',
  'signed-out-everywhere': 'They are signed out everywhere, and their tokens have ended.',
  'client-created': 'The application is registered.',
  'client-changed': 'The application is changed.',
  'client-unchanged': 'Nothing was changed.',
  'client-deleted': 'The application is deleted, with its subscriptions, consents and tokens.',
  'client-disabled': 'The client is disabled: it gets nothing any more.',
  'client-enabled': 'The client is enabled again.',
  'secret-dropped': 'That secret has ended.',
  'redirect-added': 'The playground’s address is registered.',
  'redirect-removed': 'The playground’s address is removed.',
  'subscription-approved': 'The subscription is approved. It works at once.',
  'subscription-idle': 'The subscription is approved. It gives no tokens yet: see below.',
  'subscription-pending': 'The request is sent. You are told when it is decided.',
  'subscription-changed': 'The subscription is changed.',
  'subscription-cancelled': 'Unsubscribed.',
  'decided-approve': 'Approved. It works at once, and the requester is told.',
  'decided-approve-untold': 'Approved. It works at once. There is no requester to tell.',
  'decided-reject-untold': 'Rejected. There is no requester to tell.',
  'decided-reject': 'Rejected. The requester is told why.',
  'many-approve': 'Approved. They work at once, and those who asked are told.',
  'many-approve-untold': 'Approved. They work at once. There is no requester to tell.',
  'many-approve-some': 'Approved. They work at once. Requesters with an account are told.',
  'many-reject': 'Rejected. Those who asked are told why.',
  'many-reject-untold': 'Rejected. There is no requester to tell.',
  'many-reject-some': 'Rejected. Requesters with an account are told why.',
  'credential-refused':
    'A token, code, password or secret does not belong into an address: it was left out. Paste it into “Find anything”. If others can read the address, replace it.',
  'decision-undone': 'Undone. It is as it was before the decision.',
  'decisions-undone': 'Undone. They are as they were before the decisions.',
  'decided-suspend': 'Suspended. The next request of the client fails.',
  'decided-resume': 'Resumed. It works again at once.',
  'decided-pending':
    'It waits for approval: it was changed since it was last approved, and nobody has approved what it is now.',
  'terms-changed': 'Its terms are changed, for what was given already too.',
  'decided-revoke': 'Revoked. Its tokens have ended.',
  'person-approved': 'Approved. They can sign in, and a mail tells them.',
  'person-rejected': 'Rejected. A mail tells them.',
  'invitation-withdrawn': 'Withdrawn: the link no longer works.',
  'invitation-renewed': 'A new link is on its way. The older one no longer works.',
  'invitation-needless': 'No invitation was sent: the address has an account already.',
  'api-created': 'The API is created.',
  'brand-saved': 'The brand is saved. People see it from now on.',
  'texts-saved': 'The texts are saved. People read them from now on.',
  'api-changed': 'The API is changed.',
  'api-deleted': 'The API is deleted.',
  'method-created': 'The sign-in method is created.',
  'method-changed': 'The sign-in method is changed.',
  'method-deleted': 'The sign-in method is deleted.',
  'group-created': 'The group is created.',
  'group-changed': 'The group is changed.',
  'group-deleted': 'The group is deleted.',
  'member-added': 'They are in the group by hand.',
  'member-removed': 'They are no longer in the group by hand.',
  'person-created': 'The person is created.',
  'person-changed': 'The person is changed.',
  'person-disabled': 'The person is disabled: every sign-in and token has ended.',
  'person-enabled': 'The person is enabled again.',
  'person-deleted': 'The person is deleted.',
  'role-granted': 'The role is granted.',
  'role-revoked': 'The role is taken back.',
  'password-set': 'The password is set. Every sign-in has ended.',
  'reset-sent': 'A link to choose a new password is on its way.',
  'checklist-away': 'The list is put away. It comes back where it was put away, or on the page Service.',
  'checklist-back': 'The list is back.',
  'step-done': 'It counts as done, for every administrator.',
  'step-undone': 'It counts as open again.',
  'key-rotated': 'A new key signs from now on, or soon.',
  'key-retired': 'The key is retired: its tokens are refused from now on.',
});

type Counts = `${number}.${number}.${number}.${number}`;
export type NoticeId = keyof typeof OWN | keyof typeof ENGLISH | `client-revoked.${Counts}`;

const REVOKED = /^client-revoked\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

export const revokedNotice = ({ tokens, consents, delegations, people }: EndedOfClient): NoticeId =>
  `client-revoked.${tokens}.${consents}.${delegations}.${people}`;

export function noticeOf(id = ''): Told | null {
  const counts = REVOKED.exec(id)?.slice(1).map(Number);
  if (counts) {
    const [tokens = 0, consents = 0, delegations = 0, people = 0] = counts;
    return revokedWords({ tokens, consents, delegations, people });
  }
  const english = ownValue(ENGLISH, id);
  return english === undefined ? (ownValue(OWN, id) ?? null) : { text: english };
}

export function withNotice(to: string, notice: NoticeId | undefined): string {
  return withQuery(to, { done: notice ?? '' });
}

// A notice is shown once: the address after a form holds its id, and the page that shows the notice deletes it. A page
// that is loaded again, kept or sent on says nothing of it.

/** Why something was not done. `of`: its name, where it was one of several. */
export type Problem = { of?: string; why: EnglishSentence };

/** `undo`: the fields of the form that takes back what was done, of which one name may come several times. */
export type Telling = {
  about: string | EnglishSentence | null;
  /** what was not done */
  problems?: readonly Problem[];
  undo?: readonly (readonly [name: string, value: string])[];
};

/** `notice`: its name. `about`: what was decided on, in the words that people have for it. Null: the session has ended. */
export const storeNotice = (notice: string, telling: Telling, actor: StateReader): Promise<string | null> =>
  storeInSession({ kind: 'notice', about: notice }, telling, actor.session.idHash);

/**
 * What the notice says, and how many seconds ago it was; undefined: it is no notice of this session and name, or was
 * shown, or is too old.
 */
export async function takeNotice(
  id: string,
  notice: string | undefined,
  actor: StateReader,
): Promise<(Telling & { secondsAgo: number }) | undefined> {
  const found = await takeFromSession<Telling>(id, { kind: 'notice', about: notice ?? '' }, actor);
  return found === null ? undefined : { ...found.value, secondsAgo: Math.floor(found.secondsAgo) };
}
