// What `gatehouse` and `require` are told. A name that is not known is refused when the program starts: a rule that
// is spelled wrong must not leave a route open.

/** What `gatehouse` is told of the API. */
export type Options = {
  /** The address of the API's protected resource metadata (RFC 9728), as the API's page shows it. */
  api: string;
  /** For an API whose tokens are opaque: its secret at the introspection address. */
  introspectionSecret?: string | undefined;
  /** The API's id at Gatehouse, where `api` does not end in it. */
  introspectionId?: string | undefined;
  /** Only tokens of these issuers are taken, also where the metadata lists others. */
  issuers?: readonly string[] | undefined;
  /** Seconds that the clocks here and there may differ: 5 unless said, at most 60. */
  clockTolerance?: number | undefined;
  /**
   * What clients call this server by: its origin, with the path that a proxy in front takes away. Proofs of keys (DPoP)
   * are for it; without it they are good on this machine only.
   */
  publicUrl?: string | undefined;
  /** Hears why something is answered with 503; `console.warn` unless said. No token is in the text. */
  onProblem?: ((message: string) => void) | undefined;
  /**
   * Hears why a request is refused with 400, 401 or 403; `console.warn` unless said, and nothing where `NODE_ENV` is
   * `production`. No token is in the text.
   */
  onRefused?: ((reason: string) => void) | undefined;
};

/** What a route asks of a token. */
export type Requirement = {
  /** Words separated by spaces, or a list: all of them are needed. */
  scope?: string | readonly string[] | undefined;
  /** The least class of sign-in, such as `urn:gatehouse:acr:mfa`. */
  acr?: string | undefined;
  /** The oldest sign-in, in seconds. */
  maxAge?: number | undefined;
  /** Only tokens of people, or only of clients in their own name. */
  kind?: 'person' | 'machine' | undefined;
  /** Only tokens that are bound to a key of the client (RFC 9449); else those that are bound need their proof. */
  dpop?: boolean | undefined;
};

/** Who calls. */
export type Caller = {
  /** The person; of a machine the client. */
  sub: string;
  clientId: string;
  /** Words separated by spaces. */
  scope: string;
  kind: 'person' | 'machine';
  /** Who acts for the person (RFC 8693 §4.1), or null. */
  act: Record<string, unknown> | null;
  /** All that the token says. */
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
    'introspectionSecret needs a value, and the id of the API',
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

/** Workers have no `process`. */
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
    'a machine never signs in: no acr, no maxAge',
  );
  wants(typeof dpop === 'boolean', 'dpop is true or false');
  return { scopes, acr, maxAge, kind, dpop };
}

/** The address as it is, where no one on the way can change what it answers. */
export function secure(address: unknown): string {
  const url = URL.parse(String(address));
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return url.href;
  throw new TypeError(`${String(address).slice(0, 200)} is no https address, nor http on this machine`);
}

export const isLoopback = ({ hostname }: URL) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

function only(given: object, name: string, known: string): void {
  for (const key of Object.keys(given)) wants(known.split(' ').includes(key), `${name} knows no ${key}`);
}

function wants(holds: boolean, otherwise: string): void {
  if (!holds) throw new TypeError(otherwise);
}

/** RFC 6749 §2.3.1. */
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

/** Drops a message that equals the last one. */
function once(say: (message: string) => void): (message: string) => void {
  let last = '';
  return (message) => {
    if (message !== last) say(message);
    last = message;
  };
}
