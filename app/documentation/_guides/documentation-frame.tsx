import type { ReactNode } from 'react';
import { SitePage } from '#app/_components/site-page.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Words } from '#lib/language/words.ts';
import { GUIDES_PATH } from './addresses.ts';
import { MAX_QUERY } from './search.ts';

type DocumentationFrameProps = {
  frame: HostedFrame;
  title: string;
  /** below the title; without one a link leads back to the documentation */
  lead?: ReactNode;
  /** what was searched for */
  query?: string;
  menu: ReactNode;
  children: ReactNode;
};

/** A page of the documentation: title and search, the text, and the menu, which is beside the text on a wide screen. */
export function DocumentationFrame({
  frame,
  title,
  lead,
  query = '',
  menu,
  children,
}: DocumentationFrameProps) {
  const { t, language, direction } = frame.words;
  return (
    <SitePage frame={frame} here="documentation" wide>
      <div className="documentation">
        <div className="documentation-head">
          {!lead && (
            <p className="crumb" lang={language} dir={direction}>
              <a href="/documentation">{t('console.documentation')}</a>
            </p>
          )}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
          <Search query={query} words={frame.words} />
        </div>
        {children}
        {menu}
      </div>
    </SitePage>
  );
}

/** A form of its own, so that it works without a script. */
function Search({ query, words: { t, language, direction } }: { query: string; words: Words }) {
  const label = t('site.search_documentation');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form is the landmark here, and <search> has no styles of ours
    <form className="field guide-search" action={GUIDES_PATH} role="search" lang={language} dir={direction}>
      <label className="unseen" htmlFor="guide-search">
        {label}
      </label>
      <input
        id="guide-search"
        type="search"
        name="q"
        defaultValue={query}
        maxLength={MAX_QUERY}
        dir="auto"
        placeholder={label}
      />
      <button type="submit" className="button plain">
        {t('site.search')}
      </button>
    </form>
  );
}
