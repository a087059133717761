// The page of the browser that brought the answer: it may be closed. It comes from this program, and not from the
// service, so it has a style of its own.
import { escapeHtml } from '#lib/http/page.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { wordsOf } from '#lib/language/words.ts';

/** `stranger`: what came is not the answer to this sign-in. */
export type Outcome = 'done' | 'failed' | 'stranger';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;
background:#f7f5f0;color:#1c1f1a}main{max-width:28rem;padding:1.5rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
p{margin:0}@media(prefers-color-scheme:dark){body{background:#141613;color:#e9e7e1}}`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const TEXTS = {
  done: ['sign_in.signed_in', 'terminal.close'],
  failed: ['sign_in.not_signed_in', 'terminal.why'],
  stranger: ['sign_in.not_signed_in', 'terminal.other'],
} as const;

export function answerPage(outcome: Outcome, acceptLanguage: string | undefined) {
  const words = wordsOf(languageOf({ acceptLanguage }, 'en'));
  const [heading, message] = TEXTS[outcome].map((text) => escapeHtml(words.t(text)));
  const page = `<!doctype html>
<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${heading}</h1><p>${message}</p></main></body>
</html>
`;
  return { page, headers: { ...HEADERS, 'content-language': words.language } };
}
