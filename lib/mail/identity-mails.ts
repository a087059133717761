// The words of the mails about who else signs in as a person: linked methods, and agents that act for them.
import type { Words } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { settings } from '#lib/settings/settings.ts';
import { namedIn } from './mail.ts';
import { mailKind } from './mail-kind.ts';

type Linked = { method: DisplayText };

const named = (words: Words, text: DisplayText) => namedIn(words, words.shown(text).text);

const notYou = ({ t }: Words) => ({
  text: t('mail.link_not_you'),
  href: `${settings().baseUrl}/account/links`,
  button: t('mail.button_account'),
});

export const identityMails = {
  'identity-linked': mailKind<Linked>({
    to: 'person',
    compose: (words, { method }) => ({
      subject: words.t('mail.identity_linked_subject'),
      parts: [words.t('mail.identity_linked', { method: named(words, method) }), notYou(words)],
    }),
    example: () => ({ method: 'Campus account' }),
  }),
  'identity-unlinked': mailKind<Linked>({
    to: 'person',
    compose: (words, { method }) => ({
      subject: words.t('mail.identity_unlinked_subject'),
      parts: [words.t('mail.identity_unlinked', { method: named(words, method) }), notYou(words)],
    }),
    example: () => ({ method: 'Campus account' }),
  }),
  'delegation-given': mailKind<{ agent: DisplayText; api: DisplayText; until: Date }>({
    to: 'person',
    compose: (words, { agent, api, until }) => {
      const { t } = words;
      const what = {
        agent: named(words, agent),
        api: named(words, api),
        until: until.toISOString().slice(0, 10),
      };
      return {
        subject: t('mail.delegation_given_subject', { agent: what.agent, api: what.api }),
        parts: [
          t('mail.delegation_given', what),
          t('mail.factor_you'),
          {
            text: t('mail.delegation_not_you'),
            href: `${settings().baseUrl}/account`,
            button: t('mail.button_account'),
          },
        ],
      };
    },
    example: () => ({ agent: 'Assistant', api: 'Orders', until: new Date('2027-01-01T00:00:00Z') }),
  }),
};
