import { besideIssuers } from '#app/_doors/plain.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { guidePath, MOVED, movedTo } from '../../_guides/addresses.ts';
import { findGuide, markdownOf } from '../../_guides/guides.tsx';
import { GuidePage } from '../../_guides/pages.tsx';

export const dynamic = 'force-dynamic';

const page = htmlPage<{ guide: string }>(async ({ path, frameFor }) => {
  const guide = findGuide(path.guide);
  if (!guide) return null;
  const title = { text: guide.title };
  const frame = frameFor({ title, scripts: DOCUMENTATION_SCRIPTS, cacheable: true });
  return <GuidePage guide={guide} frame={frame} />;
});

/** `NAME.md` returns the Markdown of a guide, for programs. */
export const GET: typeof page = async (request, context) => {
  const name = (await context.params).guide;
  const successor = ownValue(MOVED, name.replace(/\.md$/, ''));
  if (successor !== undefined) {
    const location = guidePath(name.endsWith('.md') ? `${successor}.md` : successor);
    return besideIssuers(() => movedTo(location))(request);
  }
  const guide = name.endsWith('.md') ? findGuide(name.slice(0, -3)) : undefined;
  if (!guide) return page(request, context);
  return besideIssuers(
    () =>
      new Response(markdownOf(guide), {
        headers: {
          'content-type': 'text/markdown; charset=utf-8',
          'cache-control': 'public, max-age=300',
          'x-content-type-options': 'nosniff',
        },
      }),
  )(request);
};
