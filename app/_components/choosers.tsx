// Choosers for language and theme.
import { type HostedFrame, LANGUAGE_PARAMETER, THEME_PARAMETER } from '#app/_html/hosted-frame.ts';
import type { ThemeChoice } from '#lib/sessions/choices.ts';

/**
 * Links to the current page in each other language; the browser then stores the choice. They work without JavaScript.
 * The choosers are links, so that the page's own form remains its only form.
 */
export function LanguageChooser({ words: { language, t }, kept, languages }: HostedFrame) {
  // the query contains all parameters of the page, so each link adds only its language
  const query = new URLSearchParams(Object.fromEntries([...kept, [LANGUAGE_PARAMETER, '']])).toString();
  return (
    <details className="languages">
      <summary>
        <span className="unseen">{t('frame.language')}: </span>
        {ownName(language)}
      </summary>
      <ul>
        {languages.map((tag) => (
          <li key={tag}>
            <a
              href={`?${query}${tag}`}
              lang={tag}
              hrefLang={tag}
              aria-current={tag === language ? 'true' : undefined}
            >
              {ownName(tag)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

const names = new Map<string, string>();

/** The name of a language in that language. */
export function ownName(tag: string): string {
  let languageName = names.get(tag);
  if (languageName === undefined) {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    languageName = name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
    names.set(tag, languageName);
  }
  return languageName;
}

const CHOICES = [
  ['system', 'frame.theme_system'],
  ['light', 'frame.theme_light'],
  ['dark', 'frame.theme_dark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/**
 * Shows every page light, dark, or as the system prefers. The chooser works without a script, like LanguageChooser.
 */
export function ThemeChooser({ words: { t, theme }, kept }: Pick<HostedFrame, 'words' | 'kept'>) {
  const query = new URLSearchParams(Object.fromEntries([...kept, [THEME_PARAMETER, '']])).toString();
  return (
    <details className="languages themes">
      <summary>{t('frame.theme')}</summary>
      <ul>
        {CHOICES.map(([choice, name]) => (
          <li key={choice}>
            <a
              href={`?${query}${choice}`}
              data-choose-theme={choice}
              aria-current={choice === (theme ?? 'system') ? 'true' : undefined}
            >
              {t(name)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
