import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { findResource } from '../../_guides/endpoints.tsx';
import { ResourcePage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage<{ resource: string }>(async ({ path, frameFor }) => {
  const resource = findResource(path.resource);
  if (!resource) return null;
  const title = { text: `${resource.title}: management API` };
  const frame = frameFor({ title, scripts: DOCUMENTATION_SCRIPTS, cacheable: true });
  return <ResourcePage resource={resource} frame={frame} />;
});
