import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { endpointTitle, findEndpoint } from '../../_guides/endpoints.tsx';
import { EndpointPage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage<{ endpoint: string }>(async ({ path, frameFor }) => {
  const endpoint = findEndpoint(path.endpoint);
  if (!endpoint) return null;
  const title = { text: endpointTitle(endpoint) };
  const frame = frameFor({ title, scripts: DOCUMENTATION_SCRIPTS, cacheable: true });
  return <EndpointPage endpoint={endpoint} frame={frame} />;
});
