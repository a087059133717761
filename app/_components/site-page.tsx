import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';

type SitePageProps = { here?: 'apis' | 'documentation'; wide?: boolean; children: ReactNode };

/** The frame of the public pages. */
export function SitePage({ here, wide = false, children }: SitePageProps) {
  return (
    <div className="site">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="site-header">
        <a className="brand" href="/">
          <Mark />
          <span>Gatehouse</span>
        </a>
        <nav aria-label="Main">
          <a href="/apis" aria-current={here === 'apis' ? 'page' : undefined}>
            APIs
          </a>
          <a href="/documentation" aria-current={here === 'documentation' ? 'page' : undefined}>
            Documentation
          </a>
        </nav>
      </header>
      <main id="content" className={wide ? 'site-main wide' : 'site-main'} tabIndex={-1}>
        {children}
      </main>
      <footer className="site-footer">
        <Mark />
        <span>Gatehouse, an OAuth 2.0 authorization server</span>
      </footer>
    </div>
  );
}
