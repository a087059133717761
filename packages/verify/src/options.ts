// Options of `gatehouse` and `require`. An unknown option throws at startup, because a misspelt rule must not leave a
// route unprotected.

/** Options of `gatehouse`. */
export type Options = {
  /** Address of the API's protected resource metadata (RFC 9728), as shown on the API's page. */
  api: string;
  /** The API's secret for introspection, required for opaque tokens. */
  introspectionSecret?: string | undefined;
  /** The id of the API in Gatehouse, required if `api` ends differently. */
  introspectionId?: string | undefined;
  /** Accepts only tokens of these issuers, even if the metadata lists others. */
  issuers?: readonly string[] | undefined;
  /** Permitted clock skew in seconds: default 5, maximum 60. */
  clockTolerance?: number | undefined;
  /**
   * Public base URL of this server: its origin, and the path prefix that a proxy removes. DPoP proofs must match it.
   * Default: only localhost URLs are accepted.
   */
  publicUrl?: string | undefined;
  /** Receives the reason of each 503 response. Default: `console.warn`. Reasons contain no token. */
  onProblem?: ((message: string) => void) | undefined;
  /**
   * Receives the reason of each 400, 401 and 403 response. Default: `console.warn`, or nothing if `NODE_ENV` is
   * `production`. Reasons contain no token.
   */
  onRefused?: ((reason: string) => void) | undefined;
};

/** Requirements of a route on tokens. */
export type Requirement = {
  /** Required scopes, separated by spaces or as a list. A token must have all of them. */
  scope?: string | readonly string[] | undefined;
  /** Minimum authentication class, for example `urn:gatehouse:acr:mfa`. */
  acr?: string | undefined;
  /** Maximum age of the sign-in, in seconds. */
  maxAge?: number | undefined;
  /** Accepts only tokens of users, or only tokens of machines. */
  kind?: 'person' | 'machine' | undefined;
  /**
   * true: accepts only tokens that are bound to a key by DPoP (RFC 9449). Default: a bound token requires a proof,
   * and an unbound token is accepted without one.
   */
  dpop?: boolean | undefined;
};

/** The caller of a request. */
export type Caller = {
  /** The id of the user; for a machine's token, the id of the client. */
  sub: string;
  clientId: string;
  /** Scopes, separated by spaces. */
  scope: string;
  kind: 'person' | 'machine';
  /** Actor of a delegated token (RFC 8693 §4.1). `null`: no actor. */
  act: Record<string, unknown> | null;
  /** All claims of the token. */
  claims: Record<string, unknown>;
};

export type Settings = {
  api: string;
  credential: string | null;
  issuers: readonly string[] | null;
  tolerance: number;
  publicUrl: string | undefined;
  tell: (message: string) => void;
  hearRefusal: (reason: string) => void;
};

export type Needs = {
  scopes: readonly string[];
  acr: string | undefined;
  maxAge: number | undefined;
  kind: 'person' | 'machine' | undefined;
  dpop: boolean;
};

export function settingsOf(options: Options): Settings {
  only(
    options,
    'gatehouse',
    'api introspectionSecret introspectionId issuers clockTolerance publicUrl onProblem onRefused',
  );
  const api = secure(options.api);
  const { introspectionSecret: secret, issuers, clockTolerance: tolerance = 5, publicUrl } = options;
  const id =
    options.introspectionId ?? decodeURIComponent(/\/apis\/([^/]+)$/.exec(new URL(api).pathname)?.[1] ?? '');
  wants(
    secret === undefined || (secret !== '' && id !== ''),
    'introspectionSecret requires a value and the id of the API',
  );
  wants(
    issuers === undefined || (Array.isArray(issuers) && issuers.length > 0),
    'issuers is a list of addresses',
  );
  wants(tolerance >= 0 && tolerance <= 60, 'clockTolerance is 0 to 60 seconds');
  return {
    api,
    credential: secret === undefined ? null : `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`,
    issuers: issuers ? issuers.filter(secure) : null,
    tolerance,
    publicUrl: publicUrl && secure(publicUrl).replace(/\/$/, ''),
    tell: once(options.onProblem ?? warn),
    hearRefusal: options.onRefused ?? (isProduction() ? () => {} : (reason) => warn(`refused: ${reason}`)),
  };
}

const warn = (message: string) => console.warn(`gatehouse-verify: ${message}`);

/** On Cloudflare Workers `process` is missing. */
const isProduction = () => globalThis.process?.env?.['NODE_ENV'] === 'production';

const WORD = /^[!#-[\]-~]+$/;

export function needsOf(requirement: Requirement = {}): Needs {
  only(requirement, 'require', 'scope acr maxAge kind dpop');
  const { scope = [], acr, maxAge, kind, dpop = false } = requirement;
  const scopes = typeof scope === 'string' ? scope.split(' ') : [...scope];
  wants(
    scopes.every((word) => WORD.test(word)),
    'scope is words separated by single spaces',
  );
  wants(acr === undefined || WORD.test(acr), 'acr is one class');
  wants(maxAge === undefined || (Number.isSafeInteger(maxAge) && maxAge >= 0), 'maxAge is whole seconds');
  wants(kind === undefined || kind === 'person' || kind === 'machine', 'kind is person or machine');
  wants(
    kind !== 'machine' || (acr === undefined && maxAge === undefined),
    'kind machine excludes acr and maxAge',
  );
  wants(typeof dpop === 'boolean', 'dpop is true or false');
  return { scopes, acr, maxAge, kind, dpop };
}

/**
 * Returns the URL. Throws unless it is https, or http on localhost, because intermediaries could modify other
 * responses.
 */
export function secure(address: unknown): string {
  const url = URL.parse(String(address));
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return url.href;
  throw new TypeError(`${String(address).slice(0, 200)} must be https, or http on this machine`);
}

export const isLoopback = ({ hostname }: URL) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

function only(options: object, name: string, keyList: string): void {
  for (const key of Object.keys(options)) wants(keyList.split(' ').includes(key), `${name} has no ${key}`);
}

function wants(holds: boolean, otherwise: string): void {
  if (!holds) throw new TypeError(otherwise);
}

/** Form-encodes a value (RFC 6749 §2.3.1). */
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

/** Drops a message that equals the previous message. */
function once(say: (message: string) => void): (message: string) => void {
  let last = '';
  return (message) => {
    if (message !== last) say(message);
    last = message;
  };
}
