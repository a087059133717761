import type { Words } from '#lib/language/words.ts';
import { guidePath } from './addresses.ts';
import { type Guide, guideGroups } from './guides.ts';

/** All guides by group; below the one that is open, its sections. */
export function GuideMenu({ here, words }: { here?: Guide; words: Words }) {
  const { t, language, direction } = words;
  return (
    <nav className="contents" aria-label={t('site.guides')}>
      <p lang={language} dir={direction}>
        <a href="/documentation">{t('site.all_endpoints')}</a>
      </p>
      {guideGroups().map(({ title, guides }) => (
        <div key={title}>
          <p>{title}</p>
          <ul>
            {guides.map((guide) => (
              <li key={guide.id}>
                <a href={guidePath(guide.id)} aria-current={guide === here ? 'page' : undefined}>
                  {guide.title}
                </a>
                {guide === here && <Sections of={guide} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Sections({ of }: { of: Guide }) {
  const sections = of.headings.filter(({ depth }) => depth === 2);
  if (sections.length === 0) return null;
  return (
    <ul>
      {sections.map(({ id, text }) => (
        <li key={id}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}
