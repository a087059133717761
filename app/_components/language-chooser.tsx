import { type HostedFrame, LANGUAGE_PARAMETER } from '#app/_html/hosted-frame.ts';

/**
 * Leads to the same page in another language, and has the browser remember it. It needs no script. Links and no form:
 * the page's form is the only one with fields of its own.
 */
export function LanguageChooser({ words: { language, t }, kept, languages }: HostedFrame) {
  // long, since the request itself is in it: once for all links
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

/** What a language is called in itself. */
export function ownName(tag: string): string {
  let own = names.get(tag);
  if (own === undefined) {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
    own = name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
    names.set(tag, own);
  }
  return own;
}
