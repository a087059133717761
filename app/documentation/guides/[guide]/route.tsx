import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { guidePath, MOVED } from '../../_guides/addresses.ts';
import { DocumentationFrame, GuideMenu } from '../../_guides/frame.tsx';
import { allGuides, findGuide, type Guide, GuideText } from '../../_guides/guides.tsx';

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

function GuidePage({ guide, frame }: { guide: Guide; frame: HostedFrame }) {
  const { words } = frame;
  const { t, language, direction } = words;
  const own = { lang: language, dir: direction };
  const all = allGuides();
  const at = all.indexOf(guide);
  const [before, after] = [all[at - 1], all[at + 1]];
  return (
    <DocumentationFrame frame={frame} title={guide.title} menu={<GuideMenu here={guide} words={words} />}>
      <article className="documentation-text guide-text">
        <GuideText guide={guide} />
        <nav className="guide-next" aria-label={`${t('site.previous')}, ${t('site.next')}`}>
          {before && (
            <a href={guidePath(before.id)} rel="prev">
              <span {...own}>{t('site.previous')}</span> {before.title}
            </a>
          )}
          {after && (
            <a href={guidePath(after.id)} rel="next">
              <span {...own}>{t('site.next')}</span> {after.title}
            </a>
          )}
        </nav>
      </article>
    </DocumentationFrame>
  );
}
