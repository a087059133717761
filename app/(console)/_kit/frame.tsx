// Console frame: navigation on the left (behind a button on phones), page, and guide.
import type { ComponentProps, ReactNode } from 'react';
import { type HostedFrame, LanguageChooser, Mark, ThemeChooser } from '#app/_components/frame.tsx';
import { Name } from '#app/_components/pieces.tsx';
import { guidePath } from '#app/documentation/_guides/addresses.ts';
import { ownValue } from '#lib/kit/wire.ts';
import type { Plain } from '#lib/language/message.ts';
import type { Words } from '#lib/language/words.ts';
import { type Action, type Actor, mayDo } from '#lib/management/policy.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { inBrowser } from '../_texts/browser-texts.ts';
import { TextsInBrowser } from '../_texts/in-browser.tsx';
import type { PageWords } from '../_texts/page-words.ts';
import { FindKey } from './find-key.tsx';
import { Form, Submit } from './form.tsx';
import { type FormStart, Notice } from './page-start.tsx';
import { INBOX } from './subscription-words.ts';

// Navigation of the console. It hides pages that the user cannot open. Each page also checks permissions itself.

type Place = { href: string; label: Plain; action: Action };
export type Group = { title: Plain; places: readonly Place[] };

const GROUPS: readonly Group[] = [
  {
    title: 'console.you',
    places: [{ href: '/account', label: 'my.heading', action: 'account.read' }],
  },
  {
    title: 'console.build',
    places: [
      { href: '/developer', label: 'console.applications', action: 'clients.see-own' },
      { href: '/developer/catalogue', label: 'console.catalogue', action: 'clients.see-own' },
      { href: '/developer/playground', label: 'console.playground', action: 'clients.see-own' },
      { href: '/developer/expiring', label: 'console.expiring', action: 'clients.see-own' },
    ],
  },
  {
    title: 'console.run',
    places: [
      { href: '/admin', label: 'console.operations', action: 'audit.read' },
      { href: '/admin/approvals', label: 'console.approvals', action: 'subscriptions.decide' },
      { href: '/admin/subscriptions', label: 'console.subscriptions', action: 'subscriptions.decide' },
      { href: '/admin/apis', label: 'console.apis', action: 'registry.read' },
      { href: '/admin/auth-methods', label: 'console.methods', action: 'registry.read' },
      { href: '/admin/clients', label: 'console.clients', action: 'clients.see-all' },
      { href: '/admin/people', label: 'console.people', action: 'people.read' },
      { href: '/admin/groups', label: 'console.groups', action: 'groups.read' },
      { href: '/admin/mails', label: 'console.mails', action: 'registry.read' },
      { href: '/admin/sessions', label: 'console.sessions', action: 'sessions.read' },
      { href: '/admin/keys', label: 'console.keys', action: 'keys.read' },
      { href: '/admin/audit', label: 'console.audit', action: 'audit.read' },
      { href: '/admin/service', label: 'console.service', action: 'audit.read' },
    ],
  },
];

function groupsFor(actor: Actor): Group[] {
  return GROUPS.map(({ title, places }) => ({
    title,
    places: places.filter(({ action }) => mayDo(actor, action)),
  })).filter(({ places }) => places.length > 0);
}

/** Maximum length of pasted text: the longest token that Gatehouse parses. */
const LONGEST_TOKEN = 32_768;

// Search field of every console page. The form posts even without JavaScript, because an address must not contain a
// pasted token.

type FindFieldProps = {
  start: { action: string; token: string };
  id: string;
  label: string;
  button: string;
  value?: string;
  className: string;
  /** the label is visible; otherwise only screen readers read it */
  labelled?: boolean;
};

export function FindField({ start, id, label, button, value, className, labelled = false }: FindFieldProps) {
  return (
    <search className={className} aria-label={label}>
      <form method="post" action={start.action}>
        <input type="hidden" name="anti_forgery" value={start.token} />
        <label htmlFor={id} className={labelled ? undefined : 'unseen'}>
          {label}
        </label>
        <span className="find-line">
          <input
            id={id}
            name="q"
            defaultValue={value}
            placeholder={labelled ? undefined : label}
            maxLength={LONGEST_TOKEN}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            dir="auto"
            aria-keyshortcuts={labelled ? undefined : '/'}
          />
          <button type="submit" className="button plain small">
            {button}
          </button>
        </span>
      </form>
    </search>
  );
}

export type FrameNotice = Omit<ComponentProps<typeof Notice>, 'told'>;

type FrameProps = FrameNotice & {
  actor: ConsoleActor;
  here: string;
  pending: number;
  signOut: FormStart;
  /** the search form; null: the user has no role and cannot search */
  find: FormStart | null;
  /** the address of the guide about the page */
  guide: string;
  words: PageWords;
  frame: HostedFrame;
  children: ReactNode;
};

export function Frame({
  actor,
  here,
  pending,
  signOut,
  find,
  guide,
  words,
  frame,
  children,
  ...notice
}: FrameProps) {
  const { t, told } = words;
  const groups = groupsFor(actor);
  const hasRole = actor.roles.length > 0;
  const links = (
    <>
      <Links groups={groups} here={here} pending={pending} words={words} />
      {hasRole && (
        <ul className="console-group">
          <li>
            <a href="/documentation">{t('console.documentation')}</a>
          </li>
        </ul>
      )}
    </>
  );
  const page = (
    <div className="console">
      <a className="skip" href="#content">
        {t('console.content')}
      </a>
      <header className="console-bar">
        <a className="brand" href="/">
          <Mark />
          <span>{frame.serviceName}</span>
        </a>
        <details className="console-menu">
          <summary>{t('console.menu')}</summary>
          <nav aria-label={t('console.name_menu')}>{links}</nav>
        </details>
        {find && (
          <FindField
            start={find}
            id="find-anything"
            label={words.say('Find anything')}
            button={words.say('Find')}
            className="console-find"
          />
        )}
        <nav className="console-nav" aria-label={t('console.name')}>
          {links}
        </nav>
        <div className="console-person">
          <p>
            <span className="unseen">{t('console.signed_in_as')} </span>
            <strong>
              <Name>{actor.name || actor.email || t('console.you')}</Name>
            </strong>
            {actor.name && actor.email && <bdi>{actor.email}</bdi>}
          </p>
          <Form {...signOut} className="inline">
            <Submit tone="link">{t('sign_out.heading')}</Submit>
          </Form>
          <LanguageChooser {...frame} />
          <ThemeChooser {...frame} />
        </div>
      </header>
      {find && <FindKey />}
      <main id="content" className="console-main" tabIndex={-1}>
        <Notice {...notice} told={told} />
        {children}
        {hasRole && (
          <p className="page-guide">
            <a href={guide}>{t('console.guide')}</a>
          </p>
        )}
      </main>
    </div>
  );
  return <TextsInBrowser texts={inBrowser(words)}>{page}</TextsInBrowser>;
}

type LinksProps = { groups: Group[]; here: string; pending: number; words: Words };

function Links({ groups, here, pending, words: { t } }: LinksProps) {
  return groups.map(({ title, places }) => (
    <div key={title} className="console-group">
      {groups.length > 1 && <p aria-hidden="true">{t(title)}</p>}
      <ul>
        {places.map(({ href, label }) => (
          <li key={href}>
            <a href={href} aria-current={href === here ? 'page' : undefined}>
              {t(label)}
              {href === INBOX && pending > 0 && (
                <span className="count">
                  {pending}
                  <span className="unseen"> {t('console.waiting')}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </div>
  ));
}

// Guide of each console section. A test requires an entry for every page folder.

/** Keyed by the first two path parts: the guide, or its heading about the page. */
export const GUIDES: Readonly<Record<string, string>> = {
  '/account': 'accounts',
  '/account/address': 'accounts',
  '/account/again': 'second-factors',
  '/account/agents': 'delegate',
  '/account/data': 'accounts',
  '/account/delete': 'accounts',
  '/account/device': 'second-factors#trusted-browsers',
  '/account/forgot-password': 'accounts',
  '/account/links': 'accounts',
  '/account/mail': 'settings',
  '/account/new-password': 'accounts',
  '/account/password': 'accounts',
  '/account/reset-password': 'accounts',
  '/account/security': 'second-factors',
  '/account/sign-ins': 'audit',
  '/account/verify-email': 'accounts',
  '/developer': 'connect-a-client',
  '/developer/catalogue': 'connect-a-client',
  '/developer/clients': 'connect-a-client',
  '/developer/expiring': 'run#what-expires',
  '/developer/find': 'troubleshoot',
  '/developer/playground': 'connect-a-client',
  '/admin': 'run#the-operators-page',
  '/admin/apis': 'configuration#apis',
  '/admin/approvals': 'approve',
  '/admin/audit': 'audit',
  '/admin/auth-methods': 'configuration#auth_methods',
  '/admin/clients': 'connect-a-client',
  '/admin/connections': 'monitor#testing-a-connection',
  '/admin/find': 'run#credentials-in-searches-and-addresses',
  '/admin/groups': 'groups',
  '/admin/keys': 'protect-an-api',
  '/admin/mails': 'branding#mails',
  '/admin/people': 'accounts',
  '/admin/service': 'run#the-first-day',
  '/admin/sessions': 'openid-connect#sign-out',
  '/admin/subscriptions': 'approve#what-a-decision-does',
};

/** Guides for the pages below a client's or an API's page. */
const BELOW: Readonly<Record<string, string>> = {
  requests: 'troubleshoot#when-something-fails',
  texts: 'branding#texts',
  why: 'troubleshoot#why',
};

/** The address of the guide about the page. */
export function guideOfPage(path: string): string {
  const below = /^\/(?:developer|admin)\/(?:clients|apis)\/[^/?]+\/(\w+)/.exec(path)?.[1];
  const guide = ownValue(BELOW, below ?? '');
  if (guide !== undefined) return guidePath(guide);
  const [, area = '', part] = path.split(/[/?]/);
  const key = part ? `/${area}/${part}` : `/${area}`;
  return guidePath(ownValue(GUIDES, key) ?? 'connect-a-client');
}
