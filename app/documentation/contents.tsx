import { sections } from '#lib/reference/index.ts';

/** The table of contents of the page of endpoints. */
export function Contents() {
  return (
    <nav className="contents" aria-label="Table of contents">
      <h2>Contents</h2>
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
