import type { ReactNode } from 'react';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { ThemeChooser } from './choosers.tsx';
import { Mark } from './hosted-page.tsx';

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
