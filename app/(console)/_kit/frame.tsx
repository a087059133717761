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
import { NavigationState } from './navigation-state.tsx';
import { type FormStart, Notice } from './page-start.tsx';
import { INBOX } from './subscription-words.ts';

// Navigation of the console. It hides pages that the user cannot open. Each page also checks permissions itself.

type Place = { href: string; label: Plain; action: Action; icon: string };
export type Group = { title: Plain; places: readonly Place[] };

/** `icon`: path in a square of 16 units. */
const place = (href: string, label: Plain, action: Action, icon: string): Place => ({
  href,
  label,
  action,
  icon,
});

const GROUPS: readonly Group[] = [
  {
    title: 'console.you',
    places: [
      place(
        '/account',
        'my.heading',
        'account.read',
        'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14a5.5 5.5 0 0 1 11 0',
      ),
    ],
  },
  {
    title: 'console.build',
    places: [
      place('/developer', 'console.applications', 'clients.see-own', 'M2 3h12v10H2zM2 6h12'),
      place(
        '/developer/catalogue',
        'console.catalogue',
        'clients.see-own',
        'M2.5 2.5h4v11h-4zM6.5 2.5h4v11h-4zM10.8 3.2l2.7 10',
      ),
      place('/developer/playground', 'console.playground', 'clients.see-own', 'M4.5 2.5l8 5.5-8 5.5z'),
      place(
        '/developer/expiring',
        'console.expiring',
        'clients.see-own',
        'M4 2h8M4 14h8M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14',
      ),
    ],
  },
  {
    title: 'console.access',
    places: [
      place('/admin/apis', 'console.apis', 'registry.read', 'M5 4L1.5 8 5 12M11 4l3.5 4-3.5 4M9.5 2.5l-3 11'),
      place('/admin/clients', 'console.clients', 'clients.see-all', 'M2 3h12v8H2zM5.5 14h5M8 11v3'),
      place(
        '/admin/subscriptions',
        'console.subscriptions',
        'subscriptions.decide',
        'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 0 1 3 8.5L4.5 7',
      ),
      place(
        '/admin/approvals',
        'console.approvals',
        'subscriptions.decide',
        'M2 9.5h3.5l1 2h3l1-2H14M2 9.5L4 3h8l2 6.5V13H2z',
      ),
    ],
  },
  {
    title: 'console.people',
    places: [
      place(
        '/admin/people',
        'console.people',
        'people.read',
        'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13a4.5 4.5 0 0 1 9 0M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.2a4.5 4.5 0 0 1 2.5 3.8',
      ),
      place(
        '/admin/groups',
        'console.groups',
        'groups.read',
        'M6 10a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10 14a4 4 0 1 0 0-8 4 4 0 0 0 0 8z',
      ),
      place(
        '/admin/sessions',
        'console.sessions',
        'sessions.read',
        'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
      ),
      place(
        '/admin/people/invitations',
        'console.invitations',
        'people.manage',
        'M10 3.5H2v9h12V8M2 4l6 4.5L10 7M13 1.5v5M10.5 4h5',
      ),
    ],
  },
  {
    title: 'console.sign_in',
    places: [
      place(
        '/admin/auth-methods',
        'console.methods',
        'registry.read',
        'M6.5 2h7v12h-7M1.5 8h8M7 5.5L9.5 8 7 10.5',
      ),
      place('/admin/mails', 'console.mails', 'registry.read', 'M2 3.5h12v9H2zM2 4l6 4.5L14 4'),
    ],
  },
  {
    title: 'console.run',
    places: [
      place('/admin', 'console.operations', 'audit.read', 'M2 14h12M4 14V8.5M8 14V3M12 14V6'),
      place('/admin/audit', 'console.audit', 'audit.read', 'M3 2h10v12H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3'),
      place(
        '/admin/keys',
        'console.keys',
        'keys.read',
        'M5 14a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7 9l6.5-6.5M11 5l2 2M13 3l1 1',
      ),
      place('/admin/service', 'console.service', 'audit.read', 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h0M4.5 11h0'),
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
            <a href="/documentation">
              <Icon path="M8 4c-1.5-1.2-3.5-1.5-6-1.5v10c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5v-10c-2.5 0-4.5.3-6 1.5zM8 4v10" />
              {t('console.documentation')}
            </a>
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
      <NavigationState />
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
    <details key={title} className="console-group" data-group={title} open>
      <summary>{t(title)}</summary>
      <ul>
        {places.map(({ href, label, icon }) => (
          <li key={href}>
            <a href={href} aria-current={href === here ? 'page' : undefined}>
              <Icon path={icon} />
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
    </details>
  ));
}

const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);

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
