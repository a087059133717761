// The notice on the next page, with the result of a form. The address contains only the id of the text and optional
// numbers, so a link cannot choose the words. The object that the notice names is sealed and shown once.
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english, type Plain, type Told } from '#lib/language/message.ts';
import { type StateReader, storeInSession, takeFromSession } from '#lib/sessions/page-state.ts';
import { toSay } from '../_texts/to-say.ts';
import { withQuery } from './with-query.ts';

export type EndedOfClient = { tokens: number; consents: number; delegations: number; people: number };

const isNothing = ({ tokens, consents, delegations }: EndedOfClient) => tokens + consents + delegations === 0;

/** Names the tokens, consents and delegations that the client would lose. */
export const endingWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('nothing, because there were no tokens and no consents.')
    : english(
        '{tokens, plural, one {# active sign-in or token} other {# active sign-ins and tokens}}, {consents, plural, one {# stored consent} other {# stored consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );

/** Names the tokens, consents and delegations that the client has lost. */
const revokedWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('Revoked. Nothing was affected, because there were no tokens and no consents.')
    : english(
        'Revoked. Affected: {tokens, plural, one {# active sign-in or token} other {# active sign-ins and tokens}}, {consents, plural, one {# stored consent} other {# stored consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );

/** Notices about the user's own account, in every language. */
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

/** Notices of the consoles for developers and administrators. */
const ENGLISH = toSay({
  'mail-sent': 'The email has been sent to you.',
  'factors-reset': 'The person’s factors are removed, and the person is signed out everywhere.',
  'signed-out-everywhere': 'The person is signed out everywhere, and their tokens are revoked.',
  'client-created': 'The application is registered.',
  'client-changed': 'The application is changed.',
  'client-unchanged': 'Nothing was changed.',
  'client-deleted': 'The application is deleted, with its subscriptions, consents and tokens.',
  'client-disabled': 'The client is disabled: it gets no more tokens.',
  'client-enabled': 'The client is enabled again.',
  'secret-dropped': 'The secret is no longer valid.',
  'redirect-added': 'The playground’s address is registered.',
  'redirect-removed': 'The playground’s address is removed.',
  'subscription-approved': 'The subscription is approved and takes effect immediately.',
  'subscription-idle': 'The subscription is approved, but no tokens are issued yet: see below.',
  'subscription-pending': 'The request is sent. You will be notified of the decision.',
  'subscription-changed': 'The subscription is changed.',
  'subscription-cancelled': 'Unsubscribed.',
  'decided-approve': 'Approved. It takes effect immediately, and the requester will be notified.',
  'decided-approve-untold': 'Approved. It takes effect immediately. There is no requester to notify.',
  'decided-reject-untold': 'Rejected. There is no requester to notify.',
  'decided-reject': 'Rejected. The requester will be notified of the reason.',
  'many-approve': 'Approved. The subscriptions take effect immediately, and the requesters will be notified.',
  'many-approve-untold':
    'Approved. The subscriptions take effect immediately. There is no requester to notify.',
  'many-approve-some':
    'Approved. The subscriptions take effect immediately. Requesters with an account will be notified.',
  'many-reject': 'Rejected. The requesters will be notified of the reason.',
  'many-reject-untold': 'Rejected. There is no requester to notify.',
  'many-reject-some': 'Rejected. Requesters with an account will be notified of the reason.',
  'credential-refused':
    'A token, code, password or secret must not be part of an address. It was removed. Paste the value into “Find anything” instead. If others can read the address, replace the value.',
  'decision-undone': 'Undone. The request is as it was before the decision.',
  'decisions-undone': 'Undone. The requests are as they were before the decisions.',
  'decided-suspend': 'Suspended. The next request of the client fails.',
  'decided-resume': 'Resumed. It takes effect immediately.',
  'decided-pending': 'Approval is needed, because the subscription has changed since its last approval.',
  'terms-changed': 'The terms are changed, including for existing consents and tokens.',
  'decided-revoke': 'Revoked. The tokens of the subscription are no longer valid.',
  'person-approved': 'Approved. The person can sign in and will be notified by email.',
  'person-rejected': 'Rejected. The person will be notified by email.',
  'invitation-withdrawn': 'Withdrawn. The link no longer works.',
  'invitation-renewed': 'A new link has been sent. The previous one no longer works.',
  'invitation-needless': 'No invitation was sent, because this address already has an account.',
  'api-created': 'The API is created.',
  'brand-saved': 'The brand is saved and shown from now on.',
  'texts-saved': 'The texts are saved and shown from now on.',
  'api-changed': 'The API is changed.',
  'api-deleted': 'The API is deleted.',
  'method-created': 'The sign-in method is created.',
  'method-changed': 'The sign-in method is changed.',
  'method-deleted': 'The sign-in method is deleted.',
  'group-created': 'The group is created.',
  'group-changed': 'The group is changed.',
  'group-deleted': 'The group is deleted.',
  'member-added': 'The person was added to the group manually.',
  'member-removed': 'The person’s manual membership in the group was removed.',
  'person-created': 'The person is created.',
  'person-changed': 'The person is changed.',
  'person-disabled': 'The person is disabled. All sign-ins and tokens are revoked.',
  'person-enabled': 'The person is enabled again.',
  'person-deleted': 'The person is deleted.',
  'role-granted': 'The role is granted.',
  'role-revoked': 'The role is removed.',
  'password-set': 'The password is set. All sign-ins have ended.',
  'reset-sent': 'A link to choose a new password has been sent.',
  'checklist-away':
    'The list is hidden. To show it again, use the page where you hid it, or the page Service.',
  'checklist-back': 'The list is shown again.',
  'step-done': 'Marked as done for all administrators.',
  'step-undone': 'Marked as open again.',
  'key-rotated': 'A new key starts signing now or shortly.',
  'key-retired': 'The key is retired: its tokens are rejected from now on.',
});

type Counts = `${number}.${number}.${number}.${number}`;
export type NoticeId = keyof typeof OWN | keyof typeof ENGLISH | `client-revoked.${Counts}`;

/** Ids of the notices without counts. */
export const NOTICE_IDS: readonly string[] = [...Object.keys(OWN), ...Object.keys(ENGLISH)];

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

// A notice that is shown once: the address after a form contains its id, and displaying the notice deletes it. A
// reloaded, saved or forwarded page shows none.

/** An action that failed, and why. `of`: name of its object, if the form concerned several objects. */
export type Problem = { of?: string; why: Told };

/** `undo`: fields of the undo form; a name can occur several times. */
export type Telling = {
  about: string | EnglishSentence | null;
  /** the actions that failed */
  problems?: readonly Problem[];
  undo?: readonly (readonly [name: string, value: string])[];
};

/** `notice`: name of the notice. `about`: the changed object, in the user's language. Null: the session has ended. */
export const storeNotice = (notice: string, telling: Telling, actor: StateReader): Promise<string | null> =>
  storeInSession({ kind: 'notice', about: notice }, telling, actor.session.idHash);

/**
 * Content of the notice and its age in seconds. Undefined: it belongs to another session or has another name, was
 * shown before, or has expired.
 */
export async function takeNotice(
  id: string,
  notice: string | undefined,
  actor: StateReader,
): Promise<(Telling & { secondsAgo: number }) | undefined> {
  const storedNotice = await takeFromSession<Telling>(id, { kind: 'notice', about: notice ?? '' }, actor);
  return storedNotice === null
    ? undefined
    : { ...storedNotice.value, secondsAgo: Math.floor(storedNotice.secondsAgo) };
}
