import { COPY_SCRIPT } from '#app/_html/copy-script.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { guidePath } from '../../_guides/addresses.ts';
import { DocumentationFrame } from '../../_guides/documentation-frame.tsx';
import { GuideMenu } from '../../_guides/guide-menu.tsx';
import { allGuides, findGuide, type Guide } from '../../_guides/guides.ts';
import { GuideText } from '../../_guides/markdown.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage<{ guide: string }>(async ({ path }) => {
  const guide = findGuide(path.guide);
  return guide ? { title: guide.title, content: <GuidePage guide={guide} />, script: COPY_SCRIPT } : null;
});

function GuidePage({ guide }: { guide: Guide }) {
  const all = allGuides();
  const at = all.indexOf(guide);
  const [before, after] = [all[at - 1], all[at + 1]];
  return (
    <DocumentationFrame title={guide.title} menu={<GuideMenu here={guide} />}>
      <article className="documentation-text guide-text">
        <GuideText guide={guide} />
        <nav className="guide-next" aria-label="Previous and next guide">
          {before && (
            <a href={guidePath(before.id)} rel="prev">
              <span>Previous</span> {before.title}
            </a>
          )}
          {after && (
            <a href={guidePath(after.id)} rel="next">
              <span>Next</span> {after.title}
            </a>
          )}
        </nav>
      </article>
    </DocumentationFrame>
  );
}
