// The words of the mails about subscriptions: to the deciders of a request, and to the requester after the decision.
import { readableLine } from '#lib/kit/index.ts';
import type { Words } from '#lib/language/index.ts';
import { type DisplayText, textsByLanguage } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { namedIn } from './mail.ts';
import { mailKind } from './mail-kind.ts';

type Pair = { clientId: string; clientName: string; api: string; apiName: string };

type Asking = Pair & {
  /** who asks; null: it is not known */
  by: string | null;
  trusted: boolean;
  machine: boolean;
  /** all of them, where there are several */
  clientNames: DisplayText;
  message: string | null;
};

type Decision = Pair & {
  reason: string | null;
  /** people meet it at an address of its own, and go on there */
  unregistered: boolean;
};

const EXAMPLE: Pair = { clientId: 'shop-web', clientName: 'Shop', api: 'orders', apiName: 'Orders' };

/** A line for each. */
const namesByLanguage = (names: DisplayText) =>
  textsByLanguage(names)
    .map(({ tag, text }) => `${tag ?? '*'}: ${readableLine(text) ?? ''}`)
    .join('\n');

const namesIn = (words: Words, { clientName, clientId: id, apiName }: Pair) => ({
  client: namedIn(words, clientName),
  id,
  api: namedIn(words, apiName),
});

function asked(
  { t }: Words,
  { trusted, machine }: Asking,
  names: { who: string; client: string; id: string; api: string },
): string {
  if (trusted && machine) return t('mail.asks_both', names);
  if (trusted) return t('mail.asks_trusted', names);
  return machine ? t('mail.asks_machine', names) : t('mail.asks', names);
}

const DECIDED = {
  approved: ['mail.decided_approved', 'mail.decided_approved_subject'],
  rejected: ['mail.decided_rejected', 'mail.decided_rejected_subject'],
  suspended: ['mail.decided_suspended', 'mail.decided_suspended_subject'],
  resumed: ['mail.decided_resumed', 'mail.decided_resumed_subject'],
  revoked: ['mail.decided_revoked', 'mail.decided_revoked_subject'],
  undone: ['mail.decided_undone', 'mail.decided_undone_subject'],
} as const;
export type DecisionTold = keyof typeof DECIDED;

const decided = (decision: DecisionTold) =>
  mailKind<Decision>({
    to: 'developer',
    compose: (words, facts) => {
      const { t } = words;
      const [what, subject] = DECIDED[decision];
      const names = namesIn(words, facts);
      const href = `${settings().baseUrl}/developer/clients/${encodeURIComponent(facts.clientId)}/apis/${facts.api}`;
      return {
        subject: t(subject, { client: names.client, api: names.api }),
        parts: [
          t(what, names),
          ...(facts.reason ? [{ text: t('mail.decided_why'), quote: facts.reason }] : []),
          facts.unregistered ? t('mail.decided_goes_on') : { href, button: t('mail.button_look') },
        ],
      };
    },
    example: () => ({ ...EXAMPLE, reason: 'We have talked about it.', unregistered: false }),
  });

export const subscriptionMails = {
  'subscription-asked': mailKind<Asking>({
    to: 'decider',
    compose: (words, facts) => {
      const { t } = words;
      const names = namesIn(words, facts);
      const href = `${settings().baseUrl}/admin?${new URLSearchParams({ client: facts.clientId, api: facts.api })}`;
      return {
        subject: t('mail.asks_subject', { client: names.client, api: names.api }),
        parts: [
          asked(words, facts, { who: facts.by ?? t('mail.somebody'), ...names }),
          ...(typeof facts.clientNames === 'string'
            ? []
            : [{ text: t('mail.asks_names'), quote: namesByLanguage(facts.clientNames) }]),
          ...(facts.message ? [{ text: t('mail.asks_message'), quote: facts.message }] : []),
          { text: t('mail.asks_decide'), href, button: t('mail.button_look') },
        ],
      };
    },
    example: () => ({
      ...EXAMPLE,
      by: 'dev@example.com',
      trusted: true,
      machine: false,
      clientNames: 'Shop',
      message: 'For the new shop.',
    }),
  }),
  'subscription-approved': decided('approved'),
  'subscription-rejected': decided('rejected'),
  'subscription-suspended': decided('suspended'),
  'subscription-resumed': decided('resumed'),
  'subscription-revoked': decided('revoked'),
  'subscription-undone': decided('undone'),
};
