import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { guidePath, MOVED } from '../../_guides/addresses.ts';
import { findGuide } from '../../_guides/guides.tsx';
import { GuidePage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

const page = htmlPage<{ guide: string }>(
  async ({ path, frame }) => {
    const guide = findGuide(path.guide);
    const content = guide && <GuidePage guide={guide} frame={frame} />;
    return guide ? { title: guide.title, content, scripts: DOCUMENTATION_SCRIPTS } : null;
  },
  { translated: true },
);

export const GET: typeof page = async (request, context) => {
  const successor = ownValue(MOVED, (await context.params).guide);
  return successor === undefined
    ? page(request, context)
    : new Response(null, { status: 308, headers: { location: guidePath(successor) } });
};
