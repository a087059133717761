// What came back, in a line that an administrator may see: the status, the kind of answer, and of its text only what
// tells a failure. A test must not make this service a reader of other services' secrets.
import { readableLine } from '#lib/kit/text/readable-text.ts';
import type { OutboundPolicy } from '#lib/outbound/fetch.ts';
import type { ProbeAnswer } from '#lib/registry/methods/kind.ts';

const MOST = 200;

/** Members of JSON that are shown; of the others only their names are. */
const SHOWN = /^(issuer|error|error_description|message|detail|title|status|jwks_uri|\w+_endpoint)$/;

/** `secrets`: they are hidden before anything is cut off, so that no half of one is left. */
export function answeredWords(
  answer: ProbeAnswer,
  { allowPrivateNetwork }: OutboundPolicy,
  secrets: readonly string[],
): string {
  const { status, headers, location, body, members } = answer;
  const cut = (text: string) => shortened(hideSecrets(text, secrets));
  if (location !== null) return cut(`${status} → ${location.split(/[?#]/)[0]}`);
  const kind = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const said = members ? membersShown(members) : textShown(body, kind, allowPrivateNetwork);
  const head = [status, kind].filter((one) => one !== '').join(' ');
  return said === '' ? cut(head) : `${cut(head)}: ${cut(said)}`;
}

function membersShown(members: Record<string, unknown>): string {
  const shown = Object.entries(members).map(([name, value]) => {
    const isShown = SHOWN.test(name) && ['string', 'number'].includes(typeof value);
    return `${JSON.stringify(name)}:${isShown ? JSON.stringify(value) : '…'}`;
  });
  return `{${shown.join(',')}}`;
}

/** The title of a page; of other text the beginning, where the service is one that everyone can ask. */
function textShown(body: string, kind: string, isPrivate: boolean): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1];
  if (title !== undefined) return `<title>${title.trim()}</title>`;
  return isPrivate || kind === 'text/html' ? '' : body;
}

const shortened = (text: string): string => {
  const line = readableLine(text.slice(0, 4 * MOST)) ?? '';
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
};

/** Also where the other service repeats it. */
const hideSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ])
    .filter((secret) => secret !== '')
    .reduce((left, secret) => left.replaceAll(secret, '…'), text);

export function objectOf(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** RFC 6749 §5.2, in JSON, or in a form with some providers. */
export function oauthErrorOf(body: string): string | null {
  const error = objectOf(body)?.['error'] ?? new URLSearchParams(body.slice(0, 4_096)).get('error');
  return typeof error === 'string' ? error : null;
}
