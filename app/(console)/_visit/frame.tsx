// The frame of the console: navigation on the left (on a phone behind a button), the page beside it.
import type { ComponentProps, ReactNode } from 'react';
import { LanguageChooser } from '#app/_components/language-chooser.tsx';
import { Mark } from '#app/_components/mark.tsx';
import { Name } from '#app/_components/name.tsx';
import { ThemeChooser } from '#app/_components/theme-chooser.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Words } from '#lib/language/words.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { inBrowser } from '../_texts/browser-texts.ts';
import { TextsInBrowser } from '../_texts/in-browser.tsx';
import type { PageWords } from '../_texts/page-words.ts';
import { FindField } from '../_ui/find-field.tsx';
import { FindKey } from '../_ui/find-key.tsx';
import { Form } from '../_ui/form.tsx';
import { Submit } from '../_ui/submit.tsx';
import { INBOX } from '../_ui/subscription-words.ts';
import { type Group, groupsFor } from './navigation.ts';
import { Notice } from './notice.tsx';
import type { FormStart } from './start-form.ts';

export type FrameNotice = Omit<ComponentProps<typeof Notice>, 'told'>;

type FrameProps = FrameNotice & {
  actor: ConsoleActor;
  here: string;
  pending: number;
  signOut: FormStart;
  /** null: not for people without a role */
  find: FormStart | null;
  /** the address of the page's guide */
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
