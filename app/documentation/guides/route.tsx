import { Fragment } from 'react';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { guidePath } from '../_guides/addresses.ts';
import { DocumentationFrame, GuideMenu } from '../_guides/frame.tsx';
import { guideGroups } from '../_guides/guides.tsx';
import { type Found, MAX_QUERY, search } from '../_guides/search.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(GuidesPage);

async function GuidesPage({ query, words, frameFor }: Visit) {
  const searchText = (query('q') ?? '').slice(0, MAX_QUERY).trim();
  const title = words.t(searchText === '' ? 'site.guides' : 'site.search');
  const text = searchText === '' ? title : `${title}: ${searchText}`;
  const frame = frameFor({ title: { text }, scripts: DOCUMENTATION_SCRIPTS });
  return (
    <DocumentationFrame frame={frame} title={title} query={searchText} menu={<GuideMenu words={words} />}>
      <div className="documentation-text" id="found">
        {searchText === '' ? (
          <GuideList />
        ) : (
          <Results query={searchText} results={await search(searchText)} words={words} />
        )}
      </div>
    </DocumentationFrame>
  );
}

function GuideList() {
  return guideGroups().map(({ title, guides }) => (
    <section key={title} className="guide-list">
      <h2>{title}</h2>
      <dl className="rows">
        {guides.map(({ id, title: name, about }) => (
          <div key={id}>
            <dt>
              <a href={guidePath(id)}>{name}</a>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}

type ResultsProps = { query: string; results: Found[]; words: Words };

function Results({ query, results, words: { t, language, direction } }: ResultsProps) {
  return (
    <>
      <p lang={language} dir={direction}>
        {results.length === 0
          ? t('site.none_found', { query })
          : t('site.found', { count: results.length, query })}
      </p>
      <ol className="guide-results">
        {results.map(({ href, page, heading, excerpt }) => (
          <li key={href}>
            <a href={href}>{heading}</a> <span>{page}</span>
            <Excerpt parts={excerpt} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The marked matches show why a section is in the results. */
function Excerpt({ parts }: { parts: Found['excerpt'] }) {
  return (
    <p>
      {parts.map(({ text, isMatch }, n) => {
        const key = `${n} ${text}`;
        return isMatch ? <mark key={key}>{text}</mark> : <Fragment key={key}>{text}</Fragment>;
      })}
    </p>
  );
}
