import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { listPublishedApis } from '#lib/oauth/metadata.ts';
import { settings } from '#lib/settings/settings.ts';
import { DocumentationPage } from './_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(async ({ words, frameFor }) => {
  const apis = await listPublishedApis();
  const { baseUrl, authUrl, serviceName } = settings();
  const keptBy = ['documentation', words.language, words.theme, baseUrl, authUrl, serviceName, apis];
  const frame = frameFor({
    title: { text: 'Documentation' },
    scripts: DOCUMENTATION_SCRIPTS,
    keptBy: JSON.stringify(keptBy),
  });
  return <DocumentationPage apis={apis} frame={frame} />;
});
