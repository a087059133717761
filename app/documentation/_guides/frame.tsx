// Layout of the documentation: search form, title, text and menu.

import type { ReactNode } from 'react';
import { type HostedFrame, SitePage } from '#app/_components/frame.tsx';
import { markBreaks } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import { GUIDES_PATH, guidePath } from './addresses.ts';
import { type Guide, guideGroups, type Section } from './guides.tsx';
import { MAX_QUERY } from './search.ts';

type DocumentationFrameProps = {
  frame: HostedFrame;
  title: string;
  /** true for the first page of the documentation, which has no menu and does not link to itself */
  isIndex?: boolean;
  lead?: ReactNode;
  /** the text that was searched for */
  query?: string;
  /** sections of the page, shown only on narrow screens */
  contents?: readonly Section[];
  menu?: ReactNode;
  children: ReactNode;
};

/**
 * Title, search, text and menu. Narrow screens show the sections of the page before the text, instead of the menu.
 */
export function DocumentationFrame({
  frame,
  title,
  isIndex = false,
  lead,
  query = '',
  contents = [],
  menu,
  children,
}: DocumentationFrameProps) {
  const { t, language, direction } = frame.words;
  return (
    <SitePage frame={frame} here="documentation" wide>
      <div className={isIndex ? 'documentation-index' : 'documentation'}>
        <div className="documentation-head">
          {!isIndex && (
            <p className="crumb" lang={language} dir={direction}>
              <a href="/documentation">{t('console.documentation')}</a>
            </p>
          )}
          <h1>{markBreaks(title)}</h1>
          {lead && <p className="lead">{lead}</p>}
          <Search query={query} words={frame.words} />
          {contents.length > 1 && (
            <details className="page-contents">
              <summary lang={language} dir={direction}>
                {t('site.contents')}
              </summary>
              <SectionLinks sections={contents} />
            </details>
          )}
        </div>
        {children}
        {menu}
      </div>
    </SitePage>
  );
}

/** A plain form, so search works without scripts. */
function Search({ query, words: { t, language, direction } }: { query: string; words: Words }) {
  const label = t('site.search_documentation');
  return (
    // biome-ignore lint/a11y/useSemanticElements: the form is the landmark, and Gatehouse's style sheet does not style <search>
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
        placeholder={t('site.search')}
      />
      <button type="submit" className="button plain">
        {t('site.search')}
      </button>
    </form>
  );
}

/** Menu of all guides by group. The guide that is open also shows its sections. */
export function GuideMenu({ here, words }: { here?: Guide; words: Words }) {
  const { t, language, direction } = words;
  return (
    <nav className="contents" aria-label={t('site.guides')}>
      <p lang={language} dir={direction}>
        <a href="/documentation#endpoints">{t('site.all_endpoints')}</a>
      </p>
      {guideGroups().map(({ title, guides }) => (
        <div key={title}>
          <p>{title}</p>
          <ul>
            {guides.map((guide) => (
              <li key={guide.id}>
                <a href={guidePath(guide.id)} aria-current={guide === here ? 'page' : undefined}>
                  {guide.title}
                </a>
                {guide === here && sectionsOf(guide).length > 0 && (
                  <SectionLinks sections={sectionsOf(guide)} />
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Headings below the title of the page. */
export const sectionsOf = ({ headings }: Guide): Section[] => headings.filter(({ depth }) => depth === 2);

const SectionLinks = ({ sections }: { sections: readonly Section[] }) => (
  <ul>
    {sections.map(({ id, text }) => (
      <li key={id}>
        <a href={`#${id}`}>{text}</a>
      </li>
    ))}
  </ul>
);
