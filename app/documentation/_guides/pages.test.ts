import { expect, test } from 'vitest';
import { renderMarkup } from '#app/_html/html-page.ts';
import { htmlDocument } from '#lib/http/page.ts';
import { wordsOf } from '#lib/language/words.ts';
import { listResources } from '#lib/management-api/resources.ts';
import { sections } from '#lib/reference/described.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { everyPage } from './guides.tsx';
import { DocumentationPage, EndpointPage, GuidePage, ResourcePage } from './pages.tsx';

loadSettings({
  DATABASE_URL: 'postgres://none/none',
  GATEHOUSE_SECRET: 'A'.repeat(43),
  BASE_URL: 'https://gatehouse.example.org',
});

const MAX_BYTES = 60_000;
const frame = { words: wordsOf('en'), serviceName: 'Gatehouse', kept: [], languages: LANGUAGES };

const pages = () => [
  { path: '', content: DocumentationPage({ apis: [], frame }) },
  ...sections.flatMap(({ endpoints }) =>
    endpoints.map((endpoint) => ({
      path: `/endpoints/${endpoint.id}`,
      content: EndpointPage({ endpoint, frame }),
    })),
  ),
  ...listResources().map((resource) => ({
    path: `/management/${resource.id}`,
    content: ResourcePage({ resource, frame }),
  })),
  ...everyPage().map((guide) => ({
    path: `/guides/${guide.id}`,
    content: GuidePage({ guide, frame }),
  })),
];

test('every page of the documentation has less than 60 kB', () => {
  const sizes = pages().map(({ path, content }) => {
    const html = htmlDocument({ title: 'Documentation', body: renderMarkup(content), words: frame.words });
    return { path, bytes: Buffer.byteLength(html) };
  });
  expect(sizes.length).toBeGreaterThan(60);
  expect(sizes.filter(({ bytes }) => bytes >= MAX_BYTES)).toEqual([]);
});
