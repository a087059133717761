import type { Words } from '#lib/language/words.ts';
import { sections } from '#lib/reference/described.ts';

/** The table of contents of the page of endpoints. */
export function Contents({ words: { t, language, direction } }: { words: Words }) {
  return (
    <nav className="contents" aria-label={t('site.contents')}>
      <h2 lang={language} dir={direction}>
        {t('site.contents')}
      </h2>
      <ul>
        <li>
          <a href="#guides">Guides</a>
        </li>
        <li>
          <a href="#combinations">Valid combinations</a>
        </li>
      </ul>
      <p>Endpoints</p>
      <ul>
        {sections.map(({ id, title, endpoints }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
            <ul>
              {endpoints.map((endpoint) => (
                <li key={endpoint.id}>
                  <a href={`#endpoint-${endpoint.id}`}>{endpoint.summary}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}
