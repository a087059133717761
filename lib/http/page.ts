// The pages made without React: errors, and the page that moves on by itself. Plain HTML without script or inline style;
// every value is escaped, and values that others chose do not change the direction of the text around them.

type Link = { href: string; label: string };

export type PlainPage = {
  title: string;
  heading: string;
  message: string;
  requestId?: string;
  /** for the developer, as pairs of name and value */
  details?: [string, string][];
  link?: Link;
  /** a second, less likely choice */
  otherLink?: Link;
  /** the page posts this by itself with the script of `nonce`; the visible button is for browsers that run none */
  post?: { action: string; fields: readonly (readonly [string, string])[]; nonce: string };
  /** the page moves there by itself; the visible link is for browsers that do not */
  refresh?: { href: string };
};

/** Also in app/layout.tsx, for the console; the number changes with the file, so that no cache serves an old one. */
const STYLESHEET = '/gatehouse.css?v=2';

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
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

export function renderPage(page: PlainPage): string {
  const details: [string, string][] = [
    ...(page.details ?? []),
    ...(page.requestId === undefined ? [] : [['Request id', page.requestId] as [string, string]]),
  ];
  const link = page.refresh ? { href: page.refresh.href, label: 'Continue' } : page.link;
  const head = page.refresh
    ? `<meta http-equiv="refresh" content="0; url=${escapeHtml(page.refresh.href)}">\n`
    : '';
  const body = `<div class="hosted">
<main class="card">
<h1>${isolated(page.heading)}</h1>
<p class="lead">${isolated(page.message)}</p>
${details.length > 0 ? `<dl class="facts">${details.map(fact).join('')}</dl>` : ''}
${page.post ? postForm(page.post) : ''}
${link ? `<p class="actions">${anchor(link, 'button')}</p>` : ''}
${page.otherLink ? `<p class="actions">${anchor(page.otherLink, 'button plain')}</p>` : ''}
</main>
<footer class="hosted-footer">${MARK}<span>Gatehouse</span></footer>
</div>`;
  return htmlDocument({ title: page.title, head, body });
}

/** A whole document without inline style. `head` and `body` are markup, `title` is text. */
export function htmlDocument({
  title,
  head = '',
  body,
}: {
  title: string;
  head?: string;
  body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5f0">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#141613">
${head}<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET}">
</head>
<body>
${body}
</body>
</html>
`;
}

function postForm({ action, fields, nonce }: NonNullable<PlainPage['post']>): string {
  const inputs = fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<p class="actions"><button class="button" type="submit">Continue</button></p></form>
<script nonce="${nonce}">document.forms[0].submit()</script>`;
}

function fact([name, value]: [string, string]): string {
  return `<div><dt>${escapeHtml(name)}</dt><dd><code>${isolated(value)}</code></dd></div>`;
}

function anchor({ href, label }: Link, style: string): string {
  return `<a class="${style}" href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;
}

function isolated(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}
