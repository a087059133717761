// What came back, in a line that an administrator may see: the status, the kind of answer, and of its text only what
// tells a failure. A test must not make this service a reader of other services' secrets.
import { readableLine } from '#lib/kit/index.ts';
import type { OutboundPolicy } from '#lib/outbound/index.ts';
import type { ProbeAnswer } from '#lib/registry/index.ts';

const MOST = 200;

/** Members of JSON that are shown; of the others only their names are. */
const SHOWN = /^(issuer|error|error_description|message|detail|title|status|jwks_uri|\w+_endpoint)$/;

export function answeredWords(answer: ProbeAnswer, { allowPrivateNetwork }: OutboundPolicy): string {
  const { status, headers, location, body, members } = answer;
  if (location !== null) return `${status} → ${location.split(/[?#]/)[0]}`.slice(0, MOST);
  const kind = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const head = [status, kind].filter((one) => one !== '').join(' ');
  const said = members ? membersShown(members) : textShown(body, kind, allowPrivateNetwork);
  return said === '' ? head : `${head}: ${said}`;
}

function membersShown(members: Record<string, unknown>): string {
  const shown = Object.entries(members).map(([name, value]) => {
    const isShown = SHOWN.test(name) && ['string', 'number'].includes(typeof value);
    return `${JSON.stringify(name.slice(0, 60))}:${isShown ? JSON.stringify(value) : '…'}`;
  });
  return cut(`{${shown.join(',')}}`);
}

/** The title of a page; of other text the beginning, where the service is one that everyone can ask. */
function textShown(body: string, kind: string, isPrivate: boolean): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1];
  if (title !== undefined) return cut(`<title>${title.trim()}</title>`);
  return isPrivate || kind === 'text/html' ? '' : cut(body);
}

const cut = (text: string): string => {
  const line = readableLine(text.slice(0, 4 * MOST)) ?? '';
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
};

/** Also where the other service repeats it. */
export const hideSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
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
