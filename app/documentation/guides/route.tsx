import { Fragment } from 'react';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import type { Words } from '#lib/language/words.ts';
import { guidePath } from '../_guides/addresses.ts';
import { DocumentationFrame, GuideMenu } from '../_guides/frame.tsx';
import { guideGroups } from '../_guides/guides.tsx';
import { type Found, MAX_QUERY, search } from '../_guides/search.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ query, frame }) => {
    const searchText = (query('q') ?? '').slice(0, MAX_QUERY).trim();
    const title = frame.words.t(searchText === '' ? 'site.guides' : 'site.search');
    return {
      title: searchText === '' ? title : `${title}: ${searchText}`,
      content: <GuidesPage title={title} asked={searchText} found={await search(searchText)} frame={frame} />,
      scripts: DOCUMENTATION_SCRIPTS,
    };
  },
  { translated: true },
);

type GuidesPageProps = { title: string; asked: string; found: Found[]; frame: HostedFrame };

function GuidesPage({ title, asked, found, frame }: GuidesPageProps) {
  const { words } = frame;
  return (
    <DocumentationFrame frame={frame} title={title} query={asked} menu={<GuideMenu words={words} />}>
      <div className="documentation-text" id="found">
        {asked === '' ? <GuideList /> : <Results asked={asked} found={found} words={words} />}
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

type ResultsProps = { asked: string; found: Found[]; words: Words };

function Results({ asked, found, words: { t, language, direction } }: ResultsProps) {
  return (
    <>
      <p lang={language} dir={direction}>
        {found.length === 0
          ? t('site.none_found', { query: asked })
          : t('site.found', { count: found.length, query: asked })}
      </p>
      <ol className="guide-results">
        {found.map(({ href, page, heading, excerpt }) => (
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
