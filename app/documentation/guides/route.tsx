import { htmlPage } from '#app/_html/html-page.ts';
import { guidePath } from '../_guides/addresses.ts';
import { DocumentationFrame } from '../_guides/documentation-frame.tsx';
import { GuideMenu } from '../_guides/guide-menu.tsx';
import { guideGroups } from '../_guides/guides.ts';
import { MAX_QUERY, search } from '../_guides/search.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(async ({ query }) => {
  const asked = (query('q') ?? '').slice(0, MAX_QUERY).trim();
  const title = asked === '' ? 'Guides' : `Search: ${asked}`;
  return { title, content: <GuidesPage asked={asked} /> };
});

function GuidesPage({ asked }: { asked: string }) {
  return (
    <DocumentationFrame title={asked === '' ? 'Guides' : 'Search'} query={asked} menu={<GuideMenu />}>
      <div className="documentation-text">{asked === '' ? <GuideList /> : <Results asked={asked} />}</div>
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

function Results({ asked }: { asked: string }) {
  const found = search(asked);
  if (found.length === 0)
    return (
      <p>
        Nothing found for <q>{asked}</q>. Try fewer or other words, or choose a guide.
      </p>
    );
  return (
    <>
      <p>
        {found.length === 1 ? 'One section' : `${found.length} sections`} for <q>{asked}</q>
      </p>
      <ol className="guide-results">
        {found.map(({ href, page, heading, excerpt }) => (
          <li key={href}>
            <a href={href}>{heading}</a> <span>{page}</span>
            <p>{excerpt}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
