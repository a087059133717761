import { type HostedFrame, THEME_PARAMETER } from '#app/_html/hosted-frame.ts';
import type { ThemeChoice } from '#lib/sessions/theme.ts';

const CHOICES = [
  ['system', 'frame.theme_system'],
  ['light', 'frame.theme_light'],
  ['dark', 'frame.theme_dark'],
] as const satisfies readonly (readonly [ThemeChoice, string])[];

/** Has the browser show every page light, dark, or as the system says. It needs no script, as LanguageChooser. */
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
