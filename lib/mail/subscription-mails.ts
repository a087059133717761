// The words of the mails about subscriptions: to the deciders of a request, and to the requester after the decision.
import { readableLine } from '#lib/kit/text/readable-text.ts';
import type { Words } from '#lib/language/words.ts';
import type { ClientKind } from '#lib/registry/clients/client.ts';
import { type ClientOrigin, documentHost } from '#lib/registry/clients/unregistered.ts';
import { type DisplayText, textsByLanguage } from '#lib/registry/fields/display-text.ts';
import { type Powers, reachOf } from '#lib/registry/objects/subscription-states.ts';
import { settings } from '#lib/settings/settings.ts';
import { type MailPart, namedIn, shortened, shortenedLines } from './mail.ts';
import { mailKind } from './mail-kind.ts';

type Pair = { clientId: string; clientName: string; api: string; apiName: string };

/** A request as its deciders read it. */
export type MailedRequest = Pair &
  Powers & {
    /** the requester; null: it is not known */
    by: string | null;
    clientKind: ClientKind;
    clientOrigin: ClientOrigin;
    /** all of them, if there are several */
    clientNames: DisplayText;
    scopes: readonly string[];
    apiScopes: readonly { name: string; description: DisplayText }[];
    message: string | null;
  };

/** `unlisted`: the number of further requests. */
type Requests = { requests: readonly MailedRequest[]; unlisted: number };

type Decision = Pair & {
  reason: string | null;
  /** people meet it at an address of its own, and go on there */
  unregistered: boolean;
};

const EXAMPLE: Pair = { clientId: 'shop-web', clientName: 'Shop', api: 'orders', apiName: 'Orders' };

const EXAMPLE_REQUEST: MailedRequest = {
  ...EXAMPLE,
  by: 'dev@example.com',
  ...{ trusted: true, machine: false, device: false, clientKind: 'browser', clientOrigin: null },
  clientNames: 'Shop',
  scopes: [],
  apiScopes: [
    { name: 'orders:read', description: 'Read orders' },
    { name: 'orders:write', description: 'Place and change orders' },
  ],
  message: 'For the new shop.',
};

/** Texts of others, by which a mail could become as long as a stranger likes. */
const MOST = {
  name: 60,
  id: 200,
  requester: 100,
  scopes: 10,
  scope: 100,
  message: { characters: 500, lines: 10 },
  names: { characters: 1_000, lines: 10 },
};

/** A line for each. */
const namesByLanguage = (names: DisplayText) =>
  textsByLanguage(names)
    .map(({ tag, text }) => `${tag ?? '*'}: ${readableLine(text) ?? ''}`)
    .join('\n');

const namesIn = (words: Words, { clientName, clientId: id, apiName }: Pair) => ({
  client: namedIn(words, shortened(clientName, MOST.name)),
  id: shortened(id, MOST.id),
  api: namedIn(words, shortened(apiName, MOST.name)),
});

const pageOf = (path: string, query?: Record<string, string>) =>
  `${settings().baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ''}`;

const RUNS = {
  confidential: 'mail.asks_on_server',
  browser: 'mail.asks_in_browser',
  native: 'mail.asks_on_device',
} as const;

/** A line for each fact. */
function factsIn(words: Words, of: MailedRequest): string {
  const { t } = words;
  const { trusted, machine, device, clientOrigin, clientId } = of;
  const host = documentHost({ clientId, origin: clientOrigin });
  return [
    t(trusted ? 'mail.asks_trusted' : 'mail.asks_untrusted'),
    ...(machine ? [t('mail.asks_machine')] : []),
    ...(device ? [t('mail.asks_device')] : []),
    t(RUNS[of.clientKind]),
    ...(host === null ? [] : [t('mail.asks_by_document', { host })]),
    ...(clientOrigin === 'registration' ? [t('mail.asks_by_itself')] : []),
    ...scopesIn(words, of),
  ].join('\n');
}

function scopesIn(words: Words, of: MailedRequest): string[] {
  const { t, shown } = words;
  const reach = reachOf(of);
  if (reach.length === 0) return [];
  const listed = reach.slice(0, MOST.scopes).map(({ name, description }) => {
    const text = shown(description).text;
    const id = shortened(name, MOST.scope);
    return text === '' ? `- ${id}` : `- ${namedIn(words, shortened(text, MOST.scope))} (${id})`;
  });
  const further = reach.length - listed.length;
  return [
    t(reach.length === of.apiScopes.length ? 'mail.asks_all_scopes' : 'mail.asks_scopes'),
    ...listed,
    ...(further > 0 ? [t('mail.asks_more_scopes', { count: further })] : []),
  ];
}

/** What is asked for, without the link. */
function requestIn(words: Words, of: MailedRequest): MailPart[] {
  const { t } = words;
  const who = of.by === null ? t('mail.somebody') : namedIn(words, shortened(of.by, MOST.requester));
  return [
    t('mail.asks', { who, ...namesIn(words, of) }),
    factsIn(words, of),
    ...(typeof of.clientNames === 'string'
      ? []
      : [
          {
            text: t('mail.asks_names'),
            quote: shortenedLines(namesByLanguage(of.clientNames), MOST.names),
          },
        ]),
    ...(of.message
      ? [{ text: t('mail.asks_message'), quote: shortenedLines(of.message, MOST.message) }]
      : []),
  ];
}

const requestHref = ({ clientId, api }: Pair) => pageOf('/admin', { client: clientId, api });

/** In the order of the first request of each API. */
const byApi = (requests: readonly MailedRequest[]): MailedRequest[][] => [
  ...Map.groupBy(requests, ({ api }) => api).values(),
];

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
      const href = pageOf(`/developer/clients/${encodeURIComponent(facts.clientId)}/apis/${facts.api}`);
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
  'subscription-asked': mailKind<MailedRequest>({
    to: 'decider',
    compose: (words, facts) => {
      const { t } = words;
      const { client, api } = namesIn(words, facts);
      return {
        subject: t('mail.asks_subject', { client, api }),
        parts: [
          ...requestIn(words, facts),
          { text: t('mail.asks_decide'), href: requestHref(facts), button: t('mail.button_look') },
          t('mail.asks_pause'),
        ],
      };
    },
    example: () => EXAMPLE_REQUEST,
  }),
  'subscriptions-asked': mailKind<Requests>({
    to: 'decider',
    compose: (words, { requests, unlisted }) => {
      const { t } = words;
      const count = requests.length + unlisted;
      return {
        subject: t('mail.asks_several_subject', { count }),
        parts: [
          t('mail.asks_several', { count }),
          ...byApi(requests).flatMap((group) => [
            ...group.slice(0, 1).map((of) => ({ heading: namesIn(words, of).api })),
            ...group.flatMap((of) => [...requestIn(words, of), { href: requestHref(of) }]),
          ]),
          ...(unlisted > 0 ? [t('mail.asks_unlisted', { count: unlisted })] : []),
          { text: t('mail.asks_decide'), href: pageOf('/admin/approvals'), button: t('mail.button_look') },
          t('mail.asks_pause'),
        ],
      };
    },
    example: () => ({
      requests: [
        EXAMPLE_REQUEST,
        {
          ...EXAMPLE_REQUEST,
          ...{ clientId: 'nightly-report', clientName: 'Nightly report', clientNames: 'Nightly report' },
          ...{ trusted: false, machine: true, clientKind: 'confidential', scopes: ['orders:read'] },
          message: null,
        },
      ],
      unlisted: 0,
    }),
  }),
  'subscription-approved': decided('approved'),
  'subscription-rejected': decided('rejected'),
  'subscription-suspended': decided('suspended'),
  'subscription-resumed': decided('resumed'),
  'subscription-revoked': decided('revoked'),
  'subscription-undone': decided('undone'),
};
