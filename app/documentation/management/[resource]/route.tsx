import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { findResource } from '../../_guides/endpoints.tsx';
import { ResourcePage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage<{ resource: string }>(
  async ({ path, frame }) => {
    const resource = findResource(path.resource);
    return resource
      ? {
          title: `${resource.title}: management API`,
          content: <ResourcePage resource={resource} frame={frame} />,
          scripts: DOCUMENTATION_SCRIPTS,
          cacheable: true,
        }
      : null;
  },
  { translated: true },
);
