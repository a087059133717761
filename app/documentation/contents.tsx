import { sections } from '#lib/reference/index.ts';
import type { Guide } from './guides.ts';

/** The table of contents: beside the text on a wide screen, above it on a narrow one. */
export function Contents({ guides }: { guides: Guide[] }) {
  return (
    <nav className="contents" aria-label="Table of contents">
      <h2>Contents</h2>
      <p>Guides</p>
      <ul>
        {guides.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
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
