// Frames of pages: the hosted page, the public page, the choosers of language and theme, and the mark of the service.
// The error page of the browser loads this file, too, so it imports no code of the server.
import type { ReactNode } from 'react';
import type { Words } from '#lib/language/words.ts';
import type { ThemeChoice } from '#lib/sessions/choices.ts';

/** Data that the frame of every page in several languages needs. */
export type HostedFrame = {
  words: Words;
  serviceName: string;
  /** parameters of the page's address that a change of language preserves */
  kept: readonly (readonly [name: string, value: string])[];
  languages: readonly string[];
  /** shown on error pages */
  requestId?: string;
};

/** Parameter of the address that selects the page language. */
export const LANGUAGE_PARAMETER = 'language';

/** Parameter of the address that selects the theme, light or dark. */
export const THEME_PARAMETER = 'theme';

/** The logo. Hidden from screen readers, because the name is next to it. */
export function Mark({ className = 'mark' }: { className?: string }) {
  return (
    <svg
      className={className}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M4 21V11a8 8 0 0 1 16 0v10M9 21v-9a3 3 0 0 1 6 0v9" />
    </svg>
  );
}

/**
 * One card in the middle of the page: sign-in, consent, sign-out and errors. `frame`: for pages in several languages.
 */
export function HostedPage({ frame, children }: { frame?: HostedFrame; children: ReactNode }) {
  return (
    <div className="hosted">
      <main className="card">{children}</main>
      <footer className="hosted-footer">
        <Mark />
        <span>{frame ? <bdi>{frame.serviceName}</bdi> : 'Gatehouse'}</span>
        {frame && <LanguageChooser {...frame} />}
        {frame && <ThemeChooser {...frame} />}
      </footer>
    </div>
  );
}

/** Shows an id that users can quote when they ask for help. */
export function Reference({ name, id }: { name: string; id: string }) {
  return (
    <dl className="facts">
      <div>
        <dt>{name}</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </div>
    </dl>
  );
}

type SitePageProps = {
  frame: HostedFrame;
  here?: 'apis' | 'documentation';
  wide?: boolean;
  children: ReactNode;
};

/** Frame of public pages, in the reader's language. The content of these pages is English. */
export function SitePage({ frame, here, wide = false, children }: SitePageProps) {
  const { t } = frame.words;
  return (
    <div className="site">
      <a className="skip" href="#content">
        {t('console.content')}
      </a>
      <header className="site-header">
        <a className="brand" href="/">
          <Mark />
          <span dir="auto">{frame.serviceName}</span>
        </a>
        <nav aria-label={t('site.main_menu')}>
          <a href="/apis" aria-current={here === 'apis' ? 'page' : undefined}>
            {t('console.apis')}
          </a>
          <a href="/documentation" aria-current={here === 'documentation' ? 'page' : undefined}>
            {t('console.documentation')}
          </a>
        </nav>
      </header>
      <main id="content" className={wide ? 'site-main wide' : 'site-main'} tabIndex={-1} {...ENGLISH}>
        {children}
      </main>
      <footer className="site-footer">
        <Mark />
        <span>{t('site.tagline', { service: frame.serviceName })}</span>
        <ThemeChooser {...frame} />
      </footer>
    </div>
  );
}

/** HTML attributes that mark English content on a page in another language. */
const ENGLISH = { lang: 'en', dir: 'ltr' } as const;

/**
 * Links to the current page in each other language; the browser then stores the choice. They work without JavaScript.
 * The choosers are links, so that the page's own form remains its only form.
 */
export function LanguageChooser({ words: { language, t }, kept, languages }: HostedFrame) {
  // the query contains all parameters of the page, so each link adds only its language
  const query = new URLSearchParams(Object.fromEntries([...kept, [LANGUAGE_PARAMETER, '']])).toString();
  return (
    <details className="languages">
      <summary>
        <span className="unseen">{t('frame.language')}: </span>
        {ownName(language)}
      </summary>
      <ul>
        {languages.map((tag) => (
          <li key={tag}>
            <a
              href={`?${query}${tag}`}
              lang={tag}
              hrefLang={tag}
              aria-current={tag === language ? 'true' : undefined}
            >
              {ownName(tag)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

const names = new Map<string, string>();

/** The name of a language in that language. */
export function ownName(tag: string): string {
  let languageName = names.get(tag);
  if (languageName === undefined) {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    languageName = name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
    names.set(tag, languageName);
  }
  return languageName;
}

const CHOICES = [
  ['system', 'frame.theme_system'],
  ['light', 'frame.theme_light'],
  ['dark', 'frame.theme_dark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/**
 * Shows every page light, dark, or as the system prefers. The chooser works without a script, like LanguageChooser.
 */
export function ThemeChooser({ words: { t, theme }, kept }: Pick<HostedFrame, 'words' | 'kept'>) {
  const query = new URLSearchParams(Object.fromEntries([...kept, [THEME_PARAMETER, '']])).toString();
  return (
    <details className="languages themes">
      <summary>{t('frame.theme')}</summary>
      <ul>
        {CHOICES.map(([choice, name]) => (
          <li key={choice}>
            <a
              href={`?${query}${choice}`}
              data-choose-theme={choice}
              aria-current={choice === (theme ?? 'system') ? 'true' : undefined}
            >
              {t(name)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
