// The security headers of every HTML answer, at both doors: no framing, no foreign script, no address in a referrer (OWASP
// ASVS 3.4, RFC 9700 §4.16).

/** RFC 6797; sent where people reach us over https. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000; includeSubDomains';

export type HtmlSecurity = {
  /** allows this document's own scripts; without one no script runs at all */
  nonce?: string;
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
  https,
  development,
  connect,
  postsToClient = false,
}: HtmlSecurity): Record<string, string> {
  const policy = contentSecurityPolicy(nonce, development === true, connect);
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

function contentSecurityPolicy(nonce: string | undefined, development: boolean, connect = ''): string[] {
  const scripts = nonce === undefined ? "'none'" : `'nonce-${nonce}' 'strict-dynamic'`;
  return [
    "default-src 'none'",
    `script-src ${scripts}${development ? " 'unsafe-eval'" : ''}`,
    development ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    `connect-src 'self'${connect && ` ${connect}`}${development ? ' ws:' : ''}`,
    "base-uri 'none'",
    "object-src 'none'",
  ];
}
