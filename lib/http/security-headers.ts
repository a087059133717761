// The security headers of every HTML answer, at both doors: no framing, no foreign script, no address in a referrer
// (OWASP ASVS 3.4, RFC 9700 §4.16).

import { createHash } from 'node:crypto';

/** RFC 6797; sent where people reach us over https. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000; includeSubDomains';

export type HtmlSecurity = {
  /** allows this document's own scripts; without one no script runs at all */
  nonce?: string;
  /** the text of this document's own style sheet; without one only our file counts */
  style?: string | undefined;
  /** whether people reach us over https */
  https: boolean;
  /** `next dev` compiles with eval */
  development?: boolean;
  /** the page hands its form to a client: in a frame too, and to wherever the client redirects it */
  postsToClient?: boolean;
  /** another origin of ours that this page's script may connect to */
  connect?: string | undefined;
};

export function htmlSecurityHeaders({
  nonce,
  style,
  https,
  development,
  connect,
  postsToClient = false,
}: HtmlSecurity): Record<string, string> {
  const policy = contentSecurityPolicy({ nonce, style, connect, development: development === true });
  return {
    'content-security-policy': [...policy, ...(postsToClient ? [] : OWN_FORMS)].join('; '),
    ...(postsToClient ? {} : { 'x-frame-options': 'DENY' }),
    'x-content-type-options': 'nosniff',
    // with no-referrer Chromium would post our forms with `Origin: null`; with same-origin, those for a client
    'referrer-policy': postsToClient ? 'origin' : 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
    ...(https ? { 'strict-transport-security': STRICT_TRANSPORT_SECURITY } : {}),
  };
}

const OWN_FORMS = ["form-action 'self'", "frame-ancestors 'none'"];

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

/** CSP Level 3 §8.4. */
const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
