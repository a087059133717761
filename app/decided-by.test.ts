// A page that asks for a decision shows the deciding user every text, in every language, that users will later read
// because of the decision. The test replaces the texts of other users with marks. If another page shows texts of
// these objects, add that page to the list.
import { createElement as e, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConsentRow } from '#lib/catalogue/people/definition.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import type { Agent } from '#lib/management/delegations.ts';
import { waitingPage } from '#lib/oauth/authorize.ts';
import { brandStyle, consentShown, pageColours, scopeText } from '#lib/oauth/pages/frame.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import {
  at,
  branded,
  type Client,
  client,
  described,
  email,
  invitation,
  listingOf,
  mark,
  name,
  OPENID,
  requestOf,
  subscriptionOf,
  waiting,
} from '#testing/in-process/marked.ts';
import { Tile } from './_components/hosted-parts.tsx';
import { FormValues } from './(console)/_kit/draft.ts';
import { BrandPreview } from './(console)/_subjects/brand-panel.tsx';
import { PersonFacts } from './(console)/_subjects/inbox.tsx';
import { RequestFacts } from './(console)/_subjects/subscription-decision.tsx';
import { ApproveTerms } from './(console)/_subjects/subscription-terms.tsx';
import { LetActForm } from './(console)/account/agents/let-act-form.tsx';
import { Consents, Delegations } from './(console)/account/panels.tsx';
import { AgentAt, AgentShown, JoinWho, LinkFacts } from './(console)/account/shown.tsx';
import { InvitationFacts } from './(console)/admin/people/items.tsx';
import { ConsentPage } from './(hosted)/consent/consent-page.tsx';
import { Invited } from './(hosted)/pages.tsx';

const COLOUR = /--(?:accent|on-accent):(#[0-9a-f]{6})/g;
const start = { action: '/', token: '', message: null, faults: {} };
const frameOf = (words: Words) => ({ words, serviceName: 'Gatehouse', kept: [], languages: LANGUAGES });
const html = (...shown: ReactNode[]) => renderToStaticMarkup(e('div', null, ...shown));

const consentOf = (of: Client, words: Words, label = mark('person.label')) => {
  const bindings = { kind: 'ready', locale: null, alert: null, interaction: '', antiForgery: '' } as const;
  const view = { ...consentShown(requestOf(of), label), ...bindings };
  return html(e(ConsentPage, { view, frame: frameOf(words) }));
};
const waitingOf = (of: Client, words: Words) =>
  String(waitingPage(requestOf(of), words, { href: '', requestId: '' }).body);
const approvalOf = (of: Client) => {
  const view = subscriptionOf(of);
  return html(
    e(RequestFacts, { of: view }),
    of.origin !== null && e(ApproveTerms, { of: view, typed: null }),
  );
};
const consentsOf = (of: Client, words: Words) =>
  html(e(Consents, { consents: [listingOf(of) as ConsentRow], withdraw: start, words }));
const delegationsOf = (of: Client, words: Words) =>
  html(e(Delegations, { delegations: [listingOf(of) as never], end: start, words }));
const lettingAct = (of: Client, words: Words) => {
  const agent = { ...listingOf(of), maxDays: null, identityChangedAt: null } as Agent;
  const typed = new FormValues(null);
  const form = e(LetActForm, { agent, start, typed, words });
  return html(e(AgentAt, { agent, words }), e(AgentShown, { agent, words }), form);
};

type Row = {
  /** renders the page on which a user decides */
  decides: (words: Words) => string;
  /** renders the pages that users see after the decision */
  shows: (words: Words) => string[];
  /** texts written by others: the pages show exactly these, in the reader's language */
  of: string[];
};
const CLIENT = ['client.name', 'client.tos', 'client.policy'];
const SCOPES = ['scope.read', 'scope.write'];
const FACTS: Record<string, Row> = {
  'an approver, on the subscription of a registered client': {
    decides: () => approvalOf(client),
    shows: (words) => [consentOf(client, words), consentsOf(client, words), delegationsOf(client, words)],
    of: [...CLIENT, ...SCOPES, 'client.logo', 'client.host'],
  },
  'an approver, on the subscription of a client with a brand': {
    decides: () => approvalOf(branded),
    shows: (words) => [consentOf(branded, words), styleOf(branded)],
    of: [...CLIENT, ...SCOPES, 'client.brand', 'client.host', ...colours()],
  },
  'an approver, on the subscription of a client that describes itself': {
    decides: () => approvalOf(described),
    shows: (words) => [
      waitingOf(described, words),
      consentOf(described, words),
      consentsOf(described, words),
    ],
    of: [...CLIENT, ...SCOPES, 'client.from'],
  },
  'a person, on the consent of a registered client': {
    decides: (words) => consentOf(client, words),
    shows: (words) => [consentsOf(client, words)],
    of: ['client.name', ...SCOPES, 'client.logo', 'api.name'],
  },
  'a person, on the consent of a client that describes itself': {
    decides: (words) => consentOf(described, words),
    shows: (words) => [consentsOf(described, words)],
    of: ['client.name', ...SCOPES, 'client.from', 'api.name'],
  },
  'a person, on letting a client act for them': {
    decides: (words) => lettingAct(branded, words),
    shows: (words) => [delegationsOf(branded, words)],
    of: ['client.name', ...SCOPES, 'client.brand', 'api.name'],
  },
  'a person, on letting a client act for them that describes itself': {
    decides: (words) => lettingAct(described, words),
    shows: (words) => [delegationsOf(described, words)],
    of: ['client.name', ...SCOPES, 'client.from', 'api.name'],
  },
  'a person, on joining another way of signing in': {
    decides: (words) => html(e(JoinWho, { label: email, me: mark('me'), words })),
    shows: (words) => [
      html(e(LinkFacts, { of: { email, current: false, lastSeenAt: at.toISOString() } as never, words })),
    ],
    of: ['email'],
  },
  'an administrator, on an invitation': {
    decides: () => html(email, e(InvitationFacts, { of: invitation })),
    shows: (words) => {
      const view = {
        kind: 'invited',
        email,
        name: invitation.name,
        alert: null,
        minLength: 8,
        invitation: '',
      } as const;
      return [html(e(Invited, { view, frame: frameOf(words) }))];
    },
    of: ['email', 'person.name'],
  },
  'an approver, on a person who waits for an account': {
    decides: () => html(e(PersonFacts, { of: waiting })),
    shows: () => [name, email],
    of: ['person.first', 'person.last', 'email'],
  },
  'an administrator, on the brand of an API': {
    decides: () => html(e(BrandPreview, { name: 'x', brand: branded.brand })),
    shows: () => [
      styleOf({ ...client, brand: null }, branded.brand),
      html(e(Tile, { of: 'api', id: 'orders', name: 'x', logoUri: branded.brand.logo })),
    ],
    of: ['client.brand', ...colours()],
  },
};

function styleOf(of: Client, brand: object | null = null): string {
  return brandStyle(pageColours(of as never, { id: 'orders', brand } as never)) ?? '';
}
function colours(): string[] {
  return [...styleOf(branded).matchAll(COLOUR)].map(([, colour = '']) => colour);
}
/** Finds every mark and every button colour in the HTML of the pages. */
const readIn = (pages: string[]): string[] =>
  pages.flatMap((page) =>
    [...page.matchAll(/zq\..+?\.qz/g), ...page.matchAll(COLOUR)].map(([all, one]) => one ?? all),
  );
const plainName = (read: string) =>
  read.replace(/^zq\.|\.qz$/g, '').replace(/^((?:client|api)\.name|scope\.\w+)\..*/, '$1');

beforeAll(() => {
  const secret = Buffer.alloc(32, 1).toString('base64url');
  loadSettings({ ...process.env, DATABASE_URL: 'postgres://u:p@db.example/g', GATEHOUSE_SECRET: secret });
});

describe.each(Object.entries(FACTS))(
  'texts that the approver of this request sees: %s',
  (_, { decides, shows, of }) => {
    it.each(LANGUAGES)('the decision page shows everything that users will read (%s)', (language) => {
      const words = wordsOf(language);
      const isTheirs = (read: string) => of.includes('api.name') || !read.startsWith('zq.api.');
      const read = readIn(shows(words)).filter((one) => isTheirs(one) && one !== mark('person.label'));
      expect(new Set(read.map(plainName))).toEqual(new Set(of));
      const shown = decides(words);
      expect(read.filter((one) => !shown.includes(one))).toEqual([]);
    });
  },
);

it('approvers see each scope that consent can show, including OpenID Connect scopes', () => {
  const shown = approvalOf(client);
  const { scopes: said } = consentShown(requestOf(client), '');
  const english = said.map(({ description }) => description).filter((one) => typeof one === 'string');
  expect(english).toHaveLength(OPENID.length);
  for (const text of english) expect(shown).toContain(text);
});

it('the page of a waiting user describes OpenID Connect scopes in the words of the consent page', () => {
  for (const language of LANGUAGES) {
    const words = wordsOf(language);
    const [consent, page] = [consentOf(described, words), waitingOf(described, words)];
    const ours = consentShown(requestOf(described), '').scopes.slice(0, OPENID.length);
    for (const scope of ours) {
      const text = scopeText(scope, words).text.replaceAll("'", '&#x27;');
      expect(consent).toContain(text);
      expect(page.replaceAll('&#39;', '&#x27;')).toContain(text);
    }
  }
});
