// Pages without React: errors, and pages that redirect automatically. They are plain HTML without script or inline
// style. Every value is escaped, and values from others do not change the direction of the surrounding text.
import { ownValue } from '#lib/kit/wire.ts';
import type { Shown, Told } from '#lib/language/message.ts';
import type { PageTheme, Words } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';

type Link = { href: string; label: Told };

export type PlainPage = {
  title: Told;
  heading: Told;
  message: Told;
  requestId?: string;
  /** address of the console page that finds the request by its id */
  findAt?: string;
  /** pairs of name and value, for developers */
  details?: (readonly [Told, string | readonly Shown[]])[];
  /** values that are shown once; the script with `nonce` enables the button that copies all of them */
  codes?: { label: Told; values: readonly string[]; nonce: string };
  /** the same values as a text file, with a link that downloads it */
  file?: { name: string; text: string };
  link?: Link;
  /** link to another choice, which is less common */
  otherLink?: Link;
  /** form that the script with `nonce` submits automatically; its visible button is for browsers without scripts */
  post?: { action: string; fields: readonly (readonly [string, string])[]; nonce: string };
  /** automatic redirect; its visible link is for browsers that do not follow the redirect */
  refresh?: { href: string };
  /**
   * separate style sheet with validated colours; the response's content security policy must contain it, too (`html`)
   */
  style?: string | undefined;
};

/** The number after `v=` changes with the file, so that caches never serve an old version. */
export const STYLESHEET = '/gatehouse.css?v=11';

/** Script of copy buttons. */
export const COPY_SCRIPT = '/copy.js?v=5';

const MARK =
  '<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">' +
  '<path d="M4 21V11a8 8 0 0 1 16 0v10M9 21v-9a3 3 0 0 1 6 0v9"/></svg>';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ownValue(ENTITIES, character) as string);
}

export function renderPage(page: PlainPage, words: Words): string {
  const { told } = words;
  const details: NonNullable<PlainPage['details']> = [
    ...(page.details ?? []),
    ...(page.requestId === undefined ? [] : ([['frame.request_id', page.requestId]] as const)),
  ];
  const link = page.refresh ? { href: page.refresh.href, label: 'frame.continue' as const } : page.link;
  const head = [
    page.refresh ? `<meta http-equiv="refresh" content="0; url=${escapeHtml(page.refresh.href)}">\n` : '',
    page.codes ? `<script src="${COPY_SCRIPT}" nonce="${page.codes.nonce}" defer></script>\n` : '',
  ].join('');
  const body = `<div class="hosted">
<main class="card">
<h1>${isolateText(told(page.heading))}</h1>
<p class="lead">${isolateText(told(page.message))}</p>
${details.length > 0 ? `<dl class="facts">${details.map(([name, value]) => fact(told(name), value, name === 'frame.request_id' ? page.findAt : undefined)).join('')}</dl>` : ''}
${page.codes ? codeList(page.codes, words) : ''}
${page.file ? keptFile(page.file) : ''}
${page.post ? postForm(page.post, words) : ''}
${link ? `<p class="actions">${anchor(link.href, told(link.label), 'button')}</p>` : ''}
${page.otherLink ? `<p class="actions">${anchor(page.otherLink.href, told(page.otherLink.label), 'button plain')}</p>` : ''}
</main>
<footer class="hosted-footer">${MARK}<span>${isolateText(settings().serviceName)}</span></footer>
</div>`;
  return htmlDocument({ title: told(page.title), head, style: page.style, body, words });
}

/** Returns a complete document without inline styles. `head` and `body` are HTML, `title` is text. */
export function htmlDocument({
  title,
  head = '',
  style,
  body,
  words,
}: {
  title: string;
  head?: string | undefined;
  /** style sheet that Gatehouse creates from validated values */
  style?: string | undefined;
  body: string;
  words: Words;
}): string {
  return `<!doctype html>
<html lang="${words.language}" dir="${words.direction}"${words.theme === undefined ? '' : ` data-theme="${words.theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="${words.theme ?? 'light dark'}">
${themeColours(words.theme).map(themeColourTag).join('\n')}
${head}<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET}">
${style === undefined ? '' : `<style>${style}</style>\n`}</head>
<body>
${body}
</body>
</html>
`;
}

/** The background colour in public/gatehouse.css, for the browser's controls around the page. */
const PAPER = { light: '#f7f5f0', dark: '#141613' };

type ThemeColour = { color: string; media?: string };

export const themeColours = (theme: PageTheme | undefined): ThemeColour[] =>
  theme === undefined
    ? [
        { media: '(prefers-color-scheme: light)', color: PAPER.light },
        { media: '(prefers-color-scheme: dark)', color: PAPER.dark },
      ]
    : [{ color: PAPER[theme] }];

const themeColourTag = ({ media, color }: ThemeColour): string =>
  `<meta name="theme-color"${media === undefined ? '' : ` media="${media}"`} content="${color}">`;

function codeList({ label: of, values }: NonNullable<PlainPage['codes']>, { t, told }: Words): string {
  const label = told(of);
  const items = values.map((value) => `<li><code>${escapeHtml(value)}</code></li>`);
  const text = escapeHtml(values.join('\n'));
  return `<ul class="codes" aria-label="${escapeHtml(label)}">${items.join('')}</ul>
<p class="codes-copy"><button type="button" class="copy-button" aria-label="${t('frame.copy')} ${escapeHtml(label)}" data-copy="${text}" data-label="${escapeHtml(label)}" data-copied="${t('page.copied')}">${t('frame.copy')}</button><span role="status" class="unseen"></span>
<a class="button plain small" download="recovery-codes.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(`${values.join('\n')}\n`)}">${t('factor.codes_download')}</a>
<button type="button" class="button plain small" data-print>${t('factor.codes_print')}</button></p>`;
}

function keptFile({ name, text }: NonNullable<PlainPage['file']>): string {
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  return `<pre class="kept-file" tabindex="0"><code>${escapeHtml(text)}</code></pre>
<p><a href="${escapeHtml(href)}" download="${escapeHtml(name)}">Download as a file</a></p>`;
}

function postForm({ action, fields, nonce }: NonNullable<PlainPage['post']>, { t }: Words): string {
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<p class="actions"><button class="button" type="submit">${t('frame.continue')}</button></p></form>
<script nonce="${nonce}">document.forms[0].submit()</script>`;
}

function fact(name: string, value: string | readonly Shown[], href?: string): string {
  const texts = typeof value === 'string' ? [{ text: value }] : value;
  const markup = texts.map(({ text, lang }) => isolateText(text, lang)).join(' · ');
  const code = `<code>${markup}</code>`;
  const linked = href === undefined ? code : `<a href="${escapeHtml(href)}">${code}</a>`;
  return `<div><dt>${escapeHtml(name)}</dt><dd>${linked}</dd></div>`;
}

function anchor(href: string, label: string, style: string): string {
  return `<a class="${style}" href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;
}

function isolateText(text: string, lang?: string): string {
  return `<bdi${lang === undefined ? '' : ` lang="${escapeHtml(lang)}"`}>${escapeHtml(text)}</bdi>`;
}
