// Language and theme choosers.
import { type HostedFrame, LANGUAGE_PARAMETER, THEME_PARAMETER } from '#app/_html/hosted-frame.ts';
import type { ThemeChoice } from '#lib/sessions/choices.ts';

/**
 * Links to the current page in another language, which browsers then remember. Works without JavaScript. Links avoid a
 * second form: the page form remains the only one with fields.
 */
export function LanguageChooser({ words: { language, t }, kept, languages }: HostedFrame) {
  // the query contains the whole request, so one query string serves every link
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

/** Native name of a language. */
export function ownName(tag: string): string {
  let own = names.get(tag);
  if (own === undefined) {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    own = name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
    names.set(tag, own);
  }
  return own;
}

const CHOICES = [
  ['system', 'frame.theme_system'],
  ['light', 'frame.theme_light'],
  ['dark', 'frame.theme_dark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/** Shows every page light, dark, or as the system is set. It needs no script, like LanguageChooser. */
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
