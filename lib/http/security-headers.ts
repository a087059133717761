// The security headers of every HTML response: no framing, no third-party scripts, no address in a referrer (OWASP
// ASVS 3.4, RFC 9700 §4.16).

import { createHash } from 'node:crypto';

/** RFC 6797: sent if users reach Gatehouse over https. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000; includeSubDomains';

export type HtmlSecurity = {
  /** allows the scripts of this document; missing: scripts are blocked */
  nonce?: string | undefined;
  /** text of the inline style sheet; missing: only the file with Gatehouse's style sheet is allowed */
  style?: string | undefined;
  /** true if users reach Gatehouse over https */
  https: boolean;
  /** `next dev` compiles with eval */
  development?: boolean;
  /** the page posts its form to a client, even inside a frame, and the client can then redirect to any address */
  postsToClient?: boolean;
  /** another origin of Gatehouse that the script of the page can call */
  connect?: string | undefined;
  /** the page shows Gatehouse's previews in frames */
  frames?: boolean;
  /**
   * A preview inside a frame of Gatehouse: scripts, forms and navigation are blocked. `mail`: inline styles are
   * allowed, because mails need them.
   */
  preview?: 'page' | 'mail' | undefined;
};

export function htmlSecurityHeaders({
  nonce,
  style,
  https,
  development,
  connect,
  postsToClient = false,
  frames = false,
  preview,
}: HtmlSecurity): Record<string, string> {
  const policy = contentSecurityPolicy({ nonce, style, connect, development: development === true });
  const styled =
    preview === 'mail' ? policy.map((directive) => directive.replace(/^style-src .*/, MAIL_STYLE)) : policy;
  const forms = preview === undefined ? OWN_FORMS : PREVIEW;
  return {
    'content-security-policy': [
      ...styled,
      ...(frames ? ["frame-src 'self'"] : []),
      ...(postsToClient ? [] : forms),
    ].join('; '),
    ...(postsToClient ? {} : { 'x-frame-options': preview === undefined ? 'DENY' : 'SAMEORIGIN' }),
    'x-content-type-options': 'nosniff',
    // with `no-referrer`, Chromium sends `Origin: null` when it posts a form of Gatehouse; with `same-origin`, it
    // sends `Origin: null` when it posts to a client
    'referrer-policy': postsToClient ? 'origin' : 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
    ...(https ? { 'strict-transport-security': STRICT_TRANSPORT_SECURITY } : {}),
  };
}

const OWN_FORMS = ["form-action 'self'", "frame-ancestors 'none'"];
/**
 * `allow-same-origin` lets the page around the preview read the preview. The preview has no scripts, forms or
 * windows, so it cannot read the page.
 */
const PREVIEW = ["form-action 'none'", "frame-ancestors 'self'", 'sandbox allow-same-origin'];
const MAIL_STYLE = "style-src 'unsafe-inline'";

type Sources = Record<'nonce' | 'style' | 'connect', string | undefined> & { development: boolean };

function contentSecurityPolicy({ nonce, style, connect = '', development }: Sources): string[] {
  const scripts = nonce === undefined ? "'none'" : `'nonce-${nonce}' 'strict-dynamic'`;
  return [
    "default-src 'none'",
    `script-src ${scripts}${development ? " 'unsafe-eval'" : ''}`,
    development
      ? "style-src 'self' 'unsafe-inline'"
      : `style-src 'self'${style === undefined ? '' : ` '${hashOf(style)}'`}`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    `connect-src 'self'${connect && ` ${connect}`}${development ? ' ws:' : ''}`,
    "base-uri 'none'",
    "object-src 'none'",
  ];
}

/** Hash of an inline element (CSP Level 3 §8.4). */
const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
