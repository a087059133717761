// A mail in two forms: complete plain text, and HTML. The HTML has inline styles, no pictures and no scripts. The
// HTML sets no colours for page or text, so that the dark mode of the reader's mail program works. Texts from others
// are escaped.

import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { escapeHtml } from '#lib/http/page.ts';
import { readableLine } from '#lib/kit/text.ts';
import { type Words, withOwnTexts } from '#lib/language/words.ts';
import { shownBrand } from '#lib/registry/brand.ts';
import { textsShown } from '#lib/registry/own-texts.ts';
import type { Language } from '#lib/settings/languages.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/hot/limits.ts';
import { knownSnapshot, type SnapshotApi, type SnapshotClient } from '#lib/store/snapshot.ts';

export type MailPart =
  | string
  /** heading that starts a group of parts */
  | { heading: string }
  /** `code`: a part of the text that the HTML also shows in large type */
  | { text: string; code: string }
  /** text that another person wrote */
  | { text: string; quote: string }
  /** `button`: the label, set only for the main link */
  | { text?: string; href: string; button?: string }
  | { text: string; links: readonly string[] };

export type MailContent = { subject: string; parts: readonly MailPart[] };

/** Brand of a mail. `accent`: `#rrggbb`, dark enough for white text. */
type MailBrand = { name: string; accent?: string };

/** Truncates text to `most` characters, of which the last becomes an ellipsis. */
export function truncateText(text: string, most: number): string {
  const points = [...text];
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : text;
}

/** Truncates multi-line text by characters and lines, and removes invisible characters. */
export function shortenedLines(text: string, most: { characters: number; lines: number }): string {
  const lines = text.split(LINE_BREAK).map((line) => readableLine(line) ?? '');
  const firstLines = lines.length > most.lines ? [...lines.slice(0, most.lines - 1), '…'] : lines;
  return truncateText(firstLines.join('\n'), most.characters);
}

/** A name that others chose, as one line. Direction isolates protect the sentence around it. */
export function namedIn({ direction }: Pick<Words, 'direction'>, name: string): string {
  const plain = readableLine(name) ?? '';
  return direction === 'rtl' || RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Brand and host of the sender. */
type MailFoot = { brand: MailBrand; host: string };

/** The text of a mail, which ends with a signature (RFC 3676 §4.3). */
export const textOfMail = ({ parts }: MailContent, { brand, host }: MailFoot): string =>
  [...parts.map(textOf), `-- \n${brand.name} · ${host}`].join('\n\n');

function textOf(part: MailPart): string {
  if (typeof part === 'string') return part;
  if ('heading' in part) return `${part.heading}\n${UNDERLINE}`;
  if ('quote' in part) return `${part.text}\n${quoteLines(part.quote)}`;
  if ('links' in part) return [part.text, ...part.links].join('\n');
  if ('href' in part) return part.text === undefined ? part.href : `${part.text}\n${part.href}`;
  return part.text;
}

/** Marks every line as a quote (RFC 3676 §4.5), so that text from others cannot look like text of the service. */
const quoteLines = (text: string) =>
  text
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join('\n');

/** Every character at which a mail program may break a line. */
const LINE_BREAK = /\r\n|[\r\n\v\f\x85\u2028\u2029]/;
const UNDERLINE = '-'.repeat(20);

const ACCENT = '#1f5f4a';
const FONT =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Helvetica Neue',Arial,sans-serif";
const PARAGRAPH = 'margin:0 0 16px';
const EDGE = 'border:1px solid #8a8474;border-radius:8px';
// style for addresses: long words may break, and the direction is left to right
const ADDRESS = 'color:inherit;overflow-wrap:anywhere;word-break:break-word';

export function htmlOfMail(
  { subject, parts }: MailContent,
  { language, direction }: Words,
  { brand, host }: MailFoot,
): string {
  const accent = /^#[0-9a-f]{6}$/i.test(brand.accent ?? '') ? (brand.accent ?? ACCENT) : ACCENT;
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;${FONT};font-size:16px;line-height:1.5">
<div role="article" lang="${language}" dir="${direction}" style="max-width:560px;margin:0 auto">
<p style="margin:0 0 24px;font-weight:600"><bdi>${escapeHtml(brand.name)}</bdi></p>
${parts.map((part) => htmlOf(part, accent)).join('\n')}
<p style="margin:24px 0 0;padding:16px 0 0;border-top:1px solid #8a8474;font-size:14px"><bdi>${escapeHtml(brand.name)}</bdi> · <bdi>${escapeHtml(host)}</bdi></p>
</div>
</body>
</html>
`;
}

function htmlOf(part: MailPart, accent: string): string {
  if (typeof part === 'string') return paragraph(part);
  if ('heading' in part)
    return `<h2 style="margin:24px 0 16px;font-size:18px;overflow-wrap:anywhere"><bdi>${escapeHtml(part.heading)}</bdi></h2>`;
  const introHtml = part.text === undefined ? '' : `${paragraph(part.text)}\n`;
  if ('code' in part)
    return `${introHtml}<p style="${PARAGRAPH}"><bdi dir="ltr" style="display:inline-block;padding:8px 16px;${EDGE};font-size:28px;font-weight:600;letter-spacing:2px">${escapeHtml(part.code)}</bdi></p>`;
  if ('quote' in part)
    return `${introHtml}<blockquote dir="auto" style="margin:0 0 16px;padding:8px 16px;${EDGE};white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(part.quote)}</blockquote>`;
  if ('links' in part) return `${introHtml}${part.links.map(address).join('\n')}`;
  const button =
    part.button === undefined
      ? ''
      : `<p style="${PARAGRAPH}"><a href="${escapeHtml(part.href)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background-color:${accent};color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(part.button)}</a></p>\n`;
  return `${introHtml}${button}${address(part.href)}`;
}

const paragraph = (text: string) =>
  `<p style="${PARAGRAPH};overflow-wrap:anywhere">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;

const address = (href: string) =>
  `<p style="${PARAGRAPH};font-size:14px"><a dir="ltr" href="${escapeHtml(href)}" style="${ADDRESS}">${escapeHtml(href)}</a></p>`;

// Brand of a mail to users who came from an application, whose pages have the same brand. It is read from the
// registry in this process, so a mail needs no additional SQL statement.

/** Maximum length of a service name in the first line of mails to users who do not know the service. */
const MAX_NAME = 60;

/** The API and client of the authorization request that brought the user to Gatehouse. */
export type CameWith = { apiId: string; clientId: string | null };

/**
 * A function that returns the brand and the translated texts for the API and client of the request. If the brand is
 * `null`, the brand of the service is used.
 */
export type MailDress = (words: Words) => { brand: MailBrand | null; words: Words };

/** Returns undefined if the mail has the brand and texts of the service. */
export function mailBrand(request: CameWith | undefined): MailDress | undefined {
  const snapshot = knownSnapshot();
  const api = request && snapshot?.apis.get(request.apiId);
  if (!api) return undefined;
  const client = (request.clientId !== null && snapshot?.clients.get(request.clientId)) || null;
  return (words) => ({
    brand: brandOf(words, api, client),
    words: withOwnTexts(words, textsShown(words.language, api, client)),
  });
}

/** Returns the client's brand if it can be displayed, otherwise the API's brand. */
function brandOf(words: Words, api: SnapshotApi, client: SnapshotClient | null): MailBrand | null {
  const clientBrand = client ? shownBrand(client, api.id) : null;
  const whose = client && clientBrand ? client : api.brand ? api : null;
  if (whose === null) return null;
  const accent = clientBrand?.accent ?? api.brand?.accent;
  return {
    name: namedIn(words, truncateText(words.shown(whose.name).text, MAX_NAME)),
    ...(accent && { accent }),
  };
}

// Limits mails caused by strangers: per address, per IP, and total. Every request is counted before any lookup, so
// that limits do not reveal which addresses exist.

/** `pageLanguage`: language of the page that sent the request. */
export type From = { ip: string | null; requestId: string; pageLanguage?: Language };

const MAILS = { what: 'mails', each: 30, windowSeconds: 900, all: 100, allSeconds: 5 };

export function mailLimits(
  kind: 'reset' | 'verify' | 'register' | 'address' | 'preview',
  email: string,
  ip: string | null,
): Limit[] {
  return [...callerLimits(MAILS, ip), attemptLimit('mail', `${kind} ${email}`, 5)];
}

/**
 * Counts the call, then runs `send`. Above a limit, runs nothing and returns the seconds to wait. Otherwise
 * returns null.
 */
export async function sendLimited(
  limits: Limit[],
  from: From,
  send: () => Promise<void>,
): Promise<number | null> {
  try {
    await underLimits(limits, from, send, () => true);
    return null;
  } catch (error) {
    if (error instanceof TooManyAttempts) return error.waitSeconds;
    throw error;
  }
}
