// Texts of every mail of the service, each with an example.

import type { ClientKind } from '#lib/catalogue/clients/definition.ts';
import { type Powers, reachOf } from '#lib/catalogue/subscriptions/definition.ts';
import { readableLine } from '#lib/kit/text.ts';
import type { Words } from '#lib/language/words.ts';
import { type DisplayText, textsByLanguage } from '#lib/registry/display-text.ts';
import { type ClientOrigin, documentHost } from '#lib/registry/unregistered.ts';
import { settings } from '#lib/settings/settings.ts';
import { type MailContent, type MailPart, namedIn, shortenedLines, truncateText } from './mail.ts';

// A kind of mail: its texts, the role of its recipient, and example data for previews.

export type MailKind<Facts> = {
  /** `visitor`: a user who signs in to an application, so the mail has the brand of the application */
  to: 'visitor' | 'person' | 'developer' | 'decider' | 'administrator';
  compose: (words: Words, facts: Facts) => MailContent;
  example: () => Facts;
};

const mailKind = <Facts>(kind: MailKind<Facts>): MailKind<Facts> => kind;

type NoFacts = Record<never, never>;
const noFacts = (): NoFacts => ({});

// Texts of mails about accounts: passwords, verification of addresses, deletion.

const ACCOUNT_EXAMPLE = 'EXAMPLE';

const accountMails = {
  'password-reset': mailKind<{ href: string; minutes: number }>({
    to: 'visitor',
    compose: ({ t }, { href, minutes }) => ({
      subject: t('mail.reset_subject'),
      parts: [
        { text: t('mail.reset', { minutes }), href, button: t('mail.button_password') },
        t('mail.reset_not_you'),
      ],
    }),
    example: () => ({
      href: `${settings().baseUrl}/account/reset-password?token=${ACCOUNT_EXAMPLE}`,
      minutes: 30,
    }),
  }),
  'password-adopted': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.password_adopted_subject'),
      parts: [t('mail.password_adopted'), t('mail.password_adopted_not_you')],
    }),
    example: noFacts,
  }),
  'no-account': mailKind({
    to: 'visitor',
    compose: ({ t }) => ({
      subject: t('mail.no_account_subject'),
      parts: [t('mail.no_account'), t('mail.no_account_you')],
    }),
    example: noFacts,
  }),
  invited: mailKind<{ href: string; days: number }>({
    to: 'person',
    compose: ({ t }, { href, days }) => {
      const { host } = new URL(settings().baseUrl);
      return {
        subject: t('mail.invited_subject'),
        parts: [
          { text: t('mail.invited', { host, days }), href, button: t('mail.button_invited') },
          t('mail.invited_unexpected'),
        ],
      };
    },
    example: () => ({ href: `${settings().authUrl}/register?invitation=${ACCOUNT_EXAMPLE}`, days: 7 }),
  }),
  'verify-address': mailKind<{ href: string }>({
    to: 'person',
    compose: ({ t }, { href }) => ({
      subject: t('mail.confirm_subject'),
      parts: [{ text: t('mail.verify'), href, button: t('mail.button_confirm') }],
    }),
    example: () => ({ href: `${settings().baseUrl}/account/verify-email?token=${ACCOUNT_EXAMPLE}` }),
  }),
  'account-deleted': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.account_deleted_subject'),
      parts: [t('mail.account_deleted'), t('mail.account_deleted_not_you')],
    }),
    example: noFacts,
  }),
  test: mailKind({
    to: 'administrator',
    compose: ({ t }) => ({ subject: t('mail.test_subject'), parts: [t('mail.test')] }),
    example: noFacts,
  }),
  'clients-without-owner': mailKind<{ links: readonly string[] }>({
    to: 'administrator',
    compose: ({ t }, { links }) => ({
      subject: t('mail.ownerless_subject'),
      parts: [{ text: t('mail.ownerless'), links }],
    }),
    example: () => ({ links: [`${settings().baseUrl}/admin/clients/${ACCOUNT_EXAMPLE}`] }),
  }),
};

// Texts of mails about registration: to new users, and to the users who approve them.

/**
 * Minutes for which a registration is valid: the time for which the browser keeps an interrupted request. The
 * mails contain this number.
 */
export const REGISTRATION_MINUTES = 10;

/** Groups digits as people read them aloud. */
const spaceDigits = (digits: string) => `${digits.slice(0, 3)} ${digits.slice(3)}`;

const hostOf = () => new URL(settings().baseUrl).host;

const registrationMails = {
  'registration-code': mailKind<{ digits: string; link: string }>({
    to: 'visitor',
    compose: ({ t }, { digits, link }) => {
      const code = spaceDigits(digits);
      return {
        subject: t('mail.confirm_subject'),
        parts: [
          { text: t('mail.code', { code, minutes: REGISTRATION_MINUTES }), code },
          { text: t('mail.code_link'), href: link, button: t('mail.button_confirm') },
          t('mail.code_not_you'),
        ],
      };
    },
    example: () => ({ digits: '123456', link: `${settings().authUrl}/register?link=EXAMPLE` }),
  }),
  'has-account': mailKind({
    to: 'visitor',
    compose: ({ t }) => {
      const account = `${settings().baseUrl}/account`;
      return {
        subject: t('mail.has_account_subject'),
        parts: [
          t('mail.has_account'),
          { text: t('mail.has_account_you'), href: account, button: t('mail.button_account') },
          { text: t('mail.has_account_password'), href: `${account}/forgot-password` },
          t('mail.has_account_not_you'),
        ],
      };
    },
    example: noFacts,
  }),
  admitted: mailKind({
    to: 'visitor',
    compose: ({ t }) => {
      const href = `${settings().authUrl}/register?done=approved`;
      return {
        subject: t('mail.admitted_subject'),
        parts: [{ text: t('mail.admitted'), href, button: t('mail.button_sign_in') }],
      };
    },
    example: noFacts,
  }),
  rejected: mailKind<{ reason: string | null }>({
    to: 'visitor',
    compose: ({ t }, { reason }) => ({
      subject: t('mail.rejected_subject'),
      parts: [
        t('mail.rejected', { host: hostOf() }),
        ...(reason === null ? [] : [{ text: t('mail.decided_why'), quote: reason }]),
      ],
    }),
    example: () => ({ reason: 'Please ask with your work address.' }),
  }),
  'waiting-ended': mailKind({
    to: 'visitor',
    compose: ({ t }) => ({
      subject: t('mail.waiting_ended_subject'),
      parts: [t('mail.waiting_ended', { host: hostOf() })],
    }),
    example: noFacts,
  }),
  'person-waits': mailKind({
    to: 'decider',
    compose: ({ t }) => {
      const href = `${settings().baseUrl}/admin/approvals`;
      return {
        subject: t('mail.person_waits_subject'),
        parts: [
          { text: t('mail.person_waits'), href, button: t('mail.button_look') },
          t('mail.person_waits_hourly'),
        ],
      };
    },
    example: noFacts,
  }),
};

// Texts of mails about a change of address: a code to each address, and a notice to the old address.

/** Minutes for which a change of address is valid. The mails and the page contain this number. */
export const ADDRESS_CHANGE_MINUTES = 15;

type Code = { digits: string };

const addressMails = {
  'address-code-old': mailKind<Code>({
    to: 'person',
    compose: ({ t }, { digits }) => {
      const code = spaceDigits(digits);
      const href = `${settings().baseUrl}/account/password`;
      return {
        subject: t('mail.address_code_subject'),
        parts: [
          t('mail.address_code_old'),
          { text: t('mail.address_code', { code, minutes: ADDRESS_CHANGE_MINUTES }), code },
          { text: t('mail.address_code_old_not_you'), href },
        ],
      };
    },
    example: () => ({ digits: '123456' }),
  }),
  'address-code-new': mailKind<Code>({
    to: 'person',
    compose: ({ t }, { digits }) => {
      const code = spaceDigits(digits);
      return {
        subject: t('mail.address_code_subject'),
        parts: [
          t('mail.address_code_new'),
          { text: t('mail.address_code', { code, minutes: ADDRESS_CHANGE_MINUTES }), code },
          t('mail.address_code_new_not_you'),
        ],
      };
    },
    example: () => ({ digits: '123456' }),
  }),
  'address-taken': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.address_taken_subject'),
      parts: [t('mail.address_taken'), t('mail.address_taken_you')],
    }),
    example: noFacts,
  }),
  'address-changed': mailKind<{ email: string }>({
    to: 'person',
    compose: (words, { email }) => ({
      subject: words.t('mail.address_changed_subject'),
      parts: [
        words.t('mail.address_moved', { email: namedIn(words, email) }),
        words.t('mail.address_moved_links'),
        words.t('mail.address_changed_unknown'),
      ],
    }),
    example: () => ({ email: 'new@example.com' }),
  }),
  'address-changed-by-administrator': mailKind({
    to: 'person',
    compose: ({ t }) => ({
      subject: t('mail.address_changed_subject'),
      parts: [t('mail.address_changed'), t('mail.address_changed_ended'), t('mail.address_changed_unknown')],
    }),
    example: noFacts,
  }),
};

// Texts of mails about second factors.

/** `name`: name of the factor, if it has one */
type Named = { name: string };

/** `page`: address of the page on which users can undo a change that they did not make. */
const news = (
  say: (words: Words, name: string) => { subject: string; what: string },
  page = '/account/security',
): MailKind<Named> =>
  mailKind({
    to: 'person',
    compose: (words, { name }) => {
      const { t } = words;
      const { subject, what } = say(words, namedIn(words, name));
      const href = `${settings().baseUrl}${page}`;
      return {
        subject,
        parts: [
          what,
          t('mail.factor_you'),
          { text: t('mail.factor_not_you'), href, button: t('mail.button_account') },
        ],
      };
    },
    example: () => ({ name: 'My phone' }),
  });

const factorMails = {
  'factor-passkey-added': news(({ t }, name) => ({
    subject: t('mail.passkey_added_subject'),
    what: t('mail.passkey_added', { name }),
  })),
  'factor-passkey-renamed': news(({ t }, name) => ({
    subject: t('mail.passkey_renamed_subject'),
    what: t('mail.passkey_renamed', { name }),
  })),
  'factor-passkey-removed': news(({ t }, name) => ({
    subject: t('mail.passkey_removed_subject'),
    what: t('mail.passkey_removed', { name }),
  })),
  'factor-app-added': news(({ t }) => ({ subject: t('mail.app_added_subject'), what: t('mail.app_added') })),
  'factor-app-removed': news(({ t }) => ({
    subject: t('mail.app_removed_subject'),
    what: t('mail.app_removed'),
  })),
  'factor-app-renamed': news(({ t }, name) => ({
    subject: t('mail.app_renamed_subject'),
    what: t('mail.app_renamed', { name }),
  })),
  'factor-app-replaced': news(({ t }) => ({
    subject: t('mail.app_replaced_subject'),
    what: t('mail.app_replaced'),
  })),
  'factor-codes-made': news(({ t }) => ({
    subject: t('mail.codes_made_subject'),
    what: t('mail.codes_made'),
  })),
  'factor-code-used': news(({ t }) => ({ subject: t('mail.code_used_subject'), what: t('mail.code_used') })),
  'factor-browser-trusted': news(({ t }) => ({
    subject: t('mail.browser_trusted_subject'),
    what: t('mail.browser_trusted'),
  })),
  'factor-device-connected': news(
    ({ t }, name) => ({
      subject: t('mail.device_connected_subject'),
      what: t('mail.device_connected', { name }),
    }),
    '/account',
  ),
  'factor-codes-guessed': news(({ t }) => ({
    subject: t('mail.codes_guessed_subject'),
    what: t('mail.codes_guessed'),
  })),
  'factor-codes-ended': news(({ t }) => ({
    subject: t('mail.codes_ended_subject'),
    what: t('mail.codes_ended'),
  })),
  'factor-reset': news(({ t }) => ({
    subject: t('mail.factors_reset_subject'),
    what: t('mail.factors_reset'),
  })),
};

export type FactorNews = keyof typeof factorMails extends `factor-${infer News}` ? News : never;

// Texts of mails about linked sign-in methods, and about agents that act for the user.

type Linked = { method: DisplayText };

const nameText = (words: Words, text: DisplayText) => namedIn(words, words.shown(text).text);

const notYou = ({ t }: Words) => ({
  text: t('mail.link_not_you'),
  href: `${settings().baseUrl}/account/links`,
  button: t('mail.button_account'),
});

const identityMails = {
  'identity-linked': mailKind<Linked>({
    to: 'person',
    compose: (words, { method }) => ({
      subject: words.t('mail.identity_linked_subject'),
      parts: [words.t('mail.identity_linked', { method: nameText(words, method) }), notYou(words)],
    }),
    example: () => ({ method: 'Campus account' }),
  }),
  'identity-unlinked': mailKind<Linked>({
    to: 'person',
    compose: (words, { method }) => ({
      subject: words.t('mail.identity_unlinked_subject'),
      parts: [words.t('mail.identity_unlinked', { method: nameText(words, method) }), notYou(words)],
    }),
    example: () => ({ method: 'Campus account' }),
  }),
  'delegation-given': mailKind<{ agent: DisplayText; api: DisplayText; until: Date }>({
    to: 'person',
    compose: (words, { agent, api, until }) => {
      const { t } = words;
      const what = {
        agent: nameText(words, agent),
        api: nameText(words, api),
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

// Texts of mails about subscriptions: about requests, for the users who decide, and about decisions, for the users who
// requested.

type Pair = { clientId: string; clientName: string; api: string; apiName: string };

/** Data of a request, for the users who decide on it. */
export type MailedRequest = Pair &
  Powers & {
    /** the requesting user; `null`: not known */
    by: string | null;
    clientKind: ClientKind;
    clientOrigin: ClientOrigin;
    /** name of the client in all languages */
    clientNames: DisplayText;
    scopes: readonly string[];
    apiScopes: readonly { name: string; description: DisplayText }[];
    message: string | null;
  };

/** `unlisted`: number of further requests that the mail does not list. */
type Requests = { requests: readonly MailedRequest[]; unlisted: number };

type Decision = Pair & {
  /** reason for this decision */
  reason: string | null;
  /** the client is unregistered; users continue at its own address */
  unregistered: boolean;
};

const SUBSCRIPTION_EXAMPLE: Pair = {
  clientId: 'shop-web',
  clientName: 'Shop',
  api: 'orders',
  apiName: 'Orders',
};

const EXAMPLE_REQUEST: MailedRequest = {
  ...SUBSCRIPTION_EXAMPLE,
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

/** Maximum lengths of texts from others, so that strangers cannot make mails long. */
const MOST = {
  name: 60,
  id: 200,
  requester: 100,
  scopes: 10,
  scope: 100,
  message: { characters: 500, lines: 10 },
  names: { characters: 1_000, lines: 10 },
};

/** The name in each language, one line per language. */
const namesByLanguage = (names: DisplayText) =>
  textsByLanguage(names)
    .map(({ tag, text }) => `${tag ?? '*'}: ${readableLine(text) ?? ''}`)
    .join('\n');

const namesIn = (words: Words, { clientName, clientId: id, apiName }: Pair) => ({
  client: namedIn(words, truncateText(clientName, MOST.name)),
  id: truncateText(id, MOST.id),
  api: namedIn(words, truncateText(apiName, MOST.name)),
});

const pageOf = (path: string, query?: Record<string, string>) =>
  `${settings().baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ''}`;

const RUNS = {
  confidential: 'mail.asks_on_server',
  browser: 'mail.asks_in_browser',
  native: 'mail.asks_on_device',
} as const;

/** The facts about a request, one line per fact. */
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

function scopesIn(words: Words, of: Pick<MailedRequest, 'scopes' | 'apiScopes'>): string[] {
  const { t, shown } = words;
  const reach = reachOf(of);
  if (reach.length === 0) return [];
  const listed = reach.slice(0, MOST.scopes).map(({ name, description }) => {
    const text = shown(description).text;
    const id = truncateText(name, MOST.scope);
    return text === '' ? `- ${id}` : `- ${namedIn(words, truncateText(text, MOST.scope))} (${id})`;
  });
  const further = reach.length - listed.length;
  return [
    t(reach.length === of.apiScopes.length ? 'mail.asks_all_scopes' : 'mail.asks_scopes'),
    ...listed,
    ...(further > 0 ? [t('mail.asks_more_scopes', { count: further })] : []),
  ];
}

/** Details of a request, without the link. */
function requestIn(words: Words, of: MailedRequest): MailPart[] {
  const { t } = words;
  const who = of.by === null ? t('mail.somebody') : namedIn(words, truncateText(of.by, MOST.requester));
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

/** Groups requests by API, in the order of the first request of each API. */
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

/** Data of a decision, for the requesting user. */
export type MailedDecision = Decision & { decision: DecisionTold } & Pick<
    MailedRequest,
    'scopes' | 'apiScopes'
  >;

/** `unlisted`: number of further decisions that the mail does not list. */
type Decisions = { decisions: readonly MailedDecision[]; unlisted: number };

const decisionHref = ({ clientId, api }: Pair) =>
  pageOf(`/developer/clients/${encodeURIComponent(clientId)}/apis/${api}`);

const reasonIn = ({ t }: Words, reason: string | null): MailPart[] =>
  reason ? [{ text: t('mail.decided_why'), quote: shortenedLines(reason, MOST.message) }] : [];

/** Groups adjacent decisions with the same outcome and reason. */
function byReason(decisions: readonly MailedDecision[]): MailedDecision[][] {
  const groups: MailedDecision[][] = [];
  for (const decision of decisions) {
    const last = groups.at(-1);
    if (last?.[0]?.decision === decision.decision && last[0].reason === decision.reason) last.push(decision);
    else groups.push([decision]);
  }
  return groups;
}

const decisionMail = (decision: DecisionTold) =>
  mailKind<Decision>({
    to: 'developer',
    compose: (words, facts) => {
      const { t } = words;
      const [what, subject] = DECIDED[decision];
      const names = namesIn(words, facts);
      const href = decisionHref(facts);
      return {
        subject: t(subject, { client: names.client, api: names.api }),
        parts: [
          t(what, names),
          ...(facts.reason ? [{ text: t('mail.decided_why'), quote: facts.reason }] : []),
          facts.unregistered ? t('mail.decided_goes_on') : { href, button: t('mail.button_look') },
        ],
      };
    },
    example: () => ({ ...SUBSCRIPTION_EXAMPLE, reason: 'We have talked about it.', unregistered: false }),
  });

const subscriptionMails = {
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
  'subscriptions-decided': mailKind<Decisions>({
    to: 'developer',
    compose: (words, { decisions, unlisted }) => {
      const { t } = words;
      const count = decisions.length + unlisted;
      return {
        subject: t('mail.decided_several_subject', { count }),
        parts: [
          t('mail.decided_several', { count }),
          ...byReason(decisions).flatMap((group) => [
            ...group.flatMap((mailedDecision): MailPart[] => [
              [
                t(DECIDED[mailedDecision.decision][0], namesIn(words, mailedDecision)),
                ...scopesIn(words, mailedDecision),
              ].join('\n'),
              mailedDecision.unregistered
                ? t('mail.decided_goes_on')
                : { href: decisionHref(mailedDecision) },
            ]),
            ...reasonIn(words, group[0]?.reason ?? null),
          ]),
          ...(unlisted > 0 ? [t('mail.decided_unlisted', { count: unlisted })] : []),
          { href: pageOf('/developer/clients'), button: t('mail.button_look') },
        ],
      };
    },
    example: () => {
      const { apiScopes } = EXAMPLE_REQUEST;
      const decision = { ...SUBSCRIPTION_EXAMPLE, apiScopes, unregistered: false } as const;
      const report = { clientId: 'nightly-report', clientName: 'Nightly report' };
      return {
        decisions: [
          { ...decision, decision: 'approved', scopes: [], reason: 'We have talked about it.' },
          { ...decision, ...report, decision: 'rejected', scopes: ['orders:read'], reason: 'Who uses it?' },
        ],
        unlisted: 0,
      };
    },
  }),
  'subscription-approved': decisionMail('approved'),
  'subscription-rejected': decisionMail('rejected'),
  'subscription-suspended': decisionMail('suspended'),
  'subscription-resumed': decisionMail('resumed'),
  'subscription-revoked': decisionMail('revoked'),
  'subscription-undone': decisionMail('undone'),
};

const MAILS = {
  ...registrationMails,
  ...accountMails,
  ...addressMails,
  ...factorMails,
  ...identityMails,
  ...subscriptionMails,
} as const;

export type MailName = keyof typeof MAILS;
export type FactsOf<Name extends MailName> =
  (typeof MAILS)[Name] extends MailKind<infer Facts> ? Facts : never;

const KINDS: { [Name in MailName]: MailKind<FactsOf<Name>> } = MAILS;

export const mailOf = <Name extends MailName>(name: Name): MailKind<FactsOf<Name>> => KINDS[name];

export const isMailName = (name: string): name is MailName => Object.hasOwn(MAILS, name);

export const MAIL_NAMES: readonly MailName[] = Object.keys(MAILS).filter(isMailName);
