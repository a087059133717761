import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { listPublishedApis } from '#lib/oauth/metadata.ts';
import { settings } from '#lib/settings/settings.ts';
import { DocumentationPage } from './_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ frame }) => {
    const apis = await listPublishedApis();
    const { baseUrl, authUrl, serviceName } = settings();
    const { language, theme } = frame.words;
    return {
      title: 'Documentation',
      content: <DocumentationPage apis={apis} frame={frame} />,
      scripts: DOCUMENTATION_SCRIPTS,
      keptBy: JSON.stringify(['documentation', language, theme, baseUrl, authUrl, serviceName, apis]),
    };
  },
  { translated: true },
);
