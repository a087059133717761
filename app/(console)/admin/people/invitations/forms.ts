// The forms about invitations. An answer names each address with what became of it.
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { done, type Forms } from '#app/(console)/_forms/form.ts';
import type { Labels } from '#app/(console)/_forms/labels.ts';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { invitePeople, withdrawInvitation } from '#lib/management/people/invitations.ts';
import type { InvitationResult } from '#lib/registry/objects/invitation.ts';

export const INVITE_LABELS = toSay({
  emails: { label: 'Addresses' },
  authMethodId: { label: 'They sign in with' },
  name: { label: 'Their name' },
}) satisfies Labels;

export const INVITATIONS = '/admin/people/invitations';

/** Addresses as people have them: one a line, or with commas between them, with empty ones. */
const addressesIn = (fields: Fields): string[] =>
  fields
    .one('emails')
    .split(/[\r\n,;]+/)
    .map((email) => email.trim())
    .filter((email) => email !== '');

const OUTCOMES: Readonly<Record<InvitationResult['outcome'], string>> = toSay({
  invited: 'Invited',
  'invited-again': 'Invited again: the older link no longer works',
  'has-account': 'Has an account already, which this method lets in',
  invalid: 'Not invited',
});

const wordsOf = ({ outcome, message }: InvitationResult): EnglishSentence =>
  message === null ? { text: OUTCOMES[outcome] } : english('Not invited: {why}', { why: message });

export const invitationForms: Forms = {
  invite: {
    labels: INVITE_LABELS,
    page: () => INVITATIONS,
    run: async (actor, fields) => {
      const results = await invitePeople(actor, {
        emails: addressesIn(fields),
        authMethodId: fields.given('authMethodId'),
        name: fields.given('name'),
      });
      const sent = results.filter(({ outcome }) => outcome.startsWith('invited')).length;
      return {
        kind: 'shown',
        shown: {
          heading: english('{sent} of {all} invited', { sent, all: results.length }),
          message: english('The mails go out now, a few at a time.'),
          values: results.map((one) => [{ text: one.email }, wordsOf(one)]),
          copied: false,
          next: { href: INVITATIONS, label: english('Back to the invitations') },
        },
      };
    },
  },
  invitation: {
    page: () => INVITATIONS,
    run: async (actor, fields) => {
      const [id, email, authMethodId] = ['id', 'email', 'authMethodId'].map((name) => fields.one(name));
      if (fields.one('action') === 'withdraw') {
        await withdrawInvitation(actor, { id: id ?? '' });
        return done(INVITATIONS, 'invitation-withdrawn');
      }
      const [result] = await invitePeople(actor, {
        emails: [email ?? ''],
        authMethodId,
        name: fields.one('name'),
      });
      return done(
        INVITATIONS,
        result?.outcome === 'has-account' ? 'invitation-needless' : 'invitation-renewed',
      );
    },
  },
};
