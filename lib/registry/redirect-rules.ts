// Which redirect addresses may be registered: RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1, house cases RU-04, RU-06,
// RU-14. Pure, and shared by the configuration file, the command line and the console.

/** Of OpenID Connect Registration, and `browser` for single-page applications. */
export type ApplicationType = 'web' | 'browser' | 'native';

const NEVER = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'ftp:',
  'ws:',
  'wss:',
]);
const OUR_WORDS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];
const LOOPBACK_IP = new Set(['127.0.0.1', '[::1]']);
const MAX_LENGTH = 2000;

const EXAMPLE = {
  web: 'https://shop.example/callback',
  browser: 'https://shop.example/callback',
  native: 'com.example.app:/callback',
};

/** What is wrong with this address, with the one that was probably meant; or null. */
export function redirectUriAdvice(uri: string, type: ApplicationType, privateUse = false): string | null {
  const fault = redirectUriFault(uri, type, privateUse);
  const proposed = fault === null ? null : proposedRedirectUri(uri, type);
  return proposed === null ? fault : `${fault}. Did you mean ${proposed}?`;
}

const LOCAL_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=(?::\d+)?(?:[/?]|$))/i;
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?=(?::\d+)?(?:[/?]|$))/i;

/** The address that was probably meant, where it is evident and may be registered; null: none. */
export function proposedRedirectUri(uri: string, type: ApplicationType): string | null {
  const typed = uri.trim().replace(/#.*$/, '');
  const scheme = LOCAL_NAME.test(typed) ? 'http://' : HOST_NAME.test(typed) ? 'https://' : '';
  const whole = `${scheme}${typed}`.replace(
    /^(https?):\/*(?=[^/])/i,
    (_, web: string) => `${web.toLowerCase()}://`,
  );
  const secure = whole.replace(/^http:/, 'https:');
  const meant = [whole, secure].find((one) => redirectUriFault(one, type) === null);
  return meant === undefined || meant === uri ? null : meant;
}

const PRIVATE_USE =
  'begins with a private-use scheme, which any application on a device can claim: accept it with private_use_schemes (“Accept private-use schemes”)';

/** The address begins with a private-use scheme (RFC 8252 §7.1), such as `app.immich:///oauth-callback`. */
export const isPrivateUse = (uri: string): boolean =>
  /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]*:(?!\d+(?:[/?]|$))/i.test(uri);

/**
 * What is wrong with this address for that kind of client, or null. `privateUse`: a confidential client accepts
 * private-use schemes.
 */
export function redirectUriFault(uri: string, type: ApplicationType, privateUse = false): string | null {
  if (uri.length > MAX_LENGTH) return `must not be longer than ${MAX_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) {
    return 'must be without spaces and other characters that no address has';
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) || !URL.canParse(uri)) {
    return `must be a whole address, such as ${EXAMPLE[type]}`;
  }
  const url = new URL(uri);
  if (NEVER.has(url.protocol)) return `must not begin with ${url.protocol}`;
  if (uri.includes('#')) return 'must end before #';
  if (uri.includes('*')) return 'must not have *: every address is registered whole';
  if (url.username !== '' || url.password !== '' || /^[a-z+.-]+:\/\/[^/?]*@/i.test(uri)) {
    return 'must not hold a user name or password';
  }
  const word = OUR_WORDS.find((name) => url.searchParams.has(name));
  if (word) return `must not have \`${word}\` in its query: the answer uses that name`;
  if (url.protocol === 'https:' || url.protocol === 'http:') return webFault(uri, url, type);
  if (type === 'web' && isPrivateUse(uri)) return privateUse ? null : PRIVATE_USE;
  if (type !== 'native') return 'must be https (or http on localhost, for development)';
  if (!url.protocol.includes('.')) {
    return `must begin with a name of your own that has a dot, such as ${EXAMPLE.native}`;
  }
  return null;
}

function webFault(uri: string, url: URL, type: ApplicationType): string | null {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(uri)?.[1];
  if (!authority) return 'must name a host, after https://';
  // A host that the URL parser rewrites (127.1, 0x7f.1, a trailing dot) is not what its reader sees.
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written !== url.hostname) return `must write its host as ${url.hostname}`;
  if (/%2e|\/\.\.?(\/|$|\?)/i.test(uri)) return 'must not have /./ or /../ in its path';
  if (url.protocol === 'https:' || isLocalHost(url)) return null;
  return type === 'native'
    ? `must be https, http on localhost, 127.0.0.1 or [::1], or begin with a name of your own, such as ${EXAMPLE.native}`
    : 'must be https (or http on localhost, for development)';
}

/** The host, or the scheme, of a redirect address as it is registered: for people, and for approvers. */
export function returnHost(uri: string): string {
  const match = /^https?:\/\/([^/?#]+)/i.exec(uri);
  return match?.[1] ?? uri.split(':')[0] ?? uri;
}

/** What is wrong with an address that we call, or null. What is no web address at all has been told so already. */
export function callFault(address: string | null): string | null {
  const isPlain = address !== null && /^http:/i.test(address) && !isSecureAddress(address);
  return isPlain ? 'must be https (or http on this machine, for development)' : null;
}

/** https, or http where it does not leave the machine. */
function isSecureAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'https:' || isLocalHost(url));
}

export const isLocalHost = ({ hostname }: URL) => hostname === 'localhost' || LOOPBACK_IP.has(hostname);

/** What is wrong with this CORS origin, or null: scheme, host and port, nothing else. */
export function originFault(origin: string): string | null {
  if (!URL.canParse(origin) || !/^https?:/.test(origin))
    return 'must be an origin such as https://shop.example';
  const url = new URL(origin);
  if (url.origin !== origin) return `must be an origin, without a path: ${url.origin}`;
  return isSecureAddress(origin) ? null : 'must be https (or http on localhost, for development)';
}
