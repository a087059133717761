import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { endpointTitle, findEndpoint } from '../../_guides/endpoints.tsx';
import { EndpointPage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage<{ endpoint: string }>(
  async ({ path, frame }) => {
    const endpoint = findEndpoint(path.endpoint);
    return endpoint
      ? {
          title: endpointTitle(endpoint),
          content: <EndpointPage endpoint={endpoint} frame={frame} />,
          scripts: DOCUMENTATION_SCRIPTS,
          cacheable: true,
        }
      : null;
  },
  { translated: true },
);
