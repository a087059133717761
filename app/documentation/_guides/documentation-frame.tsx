import type { ReactNode } from 'react';
import { SitePage } from '#app/_components/site-page.tsx';
import { GUIDES_PATH } from './addresses.ts';
import { MAX_QUERY } from './search.ts';

type DocumentationFrameProps = {
  title: string;
  /** below the title; without one a link leads back to the documentation */
  lead?: ReactNode;
  /** what was searched for */
  query?: string;
  menu: ReactNode;
  children: ReactNode;
};

/** A page of the documentation: title and search, the text, and the menu, which is beside the text on a wide screen. */
export function DocumentationFrame({ title, lead, query = '', menu, children }: DocumentationFrameProps) {
  return (
    <SitePage here="documentation" wide>
      <div className="documentation">
        <div className="documentation-head">
          {!lead && (
            <p className="crumb">
              <a href="/documentation">Documentation</a>
            </p>
          )}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
          <Search query={query} />
        </div>
        {children}
        {menu}
      </div>
    </SitePage>
  );
}

/** A form of its own, so that it works without a script. */
function Search({ query }: { query: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form is the landmark here, and <search> has no styles of ours
    <form className="field guide-search" action={GUIDES_PATH} role="search">
      <label className="unseen" htmlFor="guide-search">
        Search the documentation
      </label>
      <input
        id="guide-search"
        type="search"
        name="q"
        defaultValue={query}
        maxLength={MAX_QUERY}
        placeholder="Search the documentation"
      />
      <button type="submit" className="button plain">
        Search
      </button>
    </form>
  );
}
