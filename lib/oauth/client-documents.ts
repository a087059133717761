// Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document-02): addresses, members, and a cache in
// this process.

import { redirectUriFault } from '#lib/catalogue/clients/definition.ts';
import { addressBlock } from '#lib/http/forwarding.ts';
import { now } from '#lib/kit/clock.ts';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { issueInWords } from '#lib/registry/definition.ts';
import { type DisplayText, textsOfMember } from '#lib/registry/display-text.ts';
import { hasPrivatePart, type PublicKeySet, publicKey } from '#lib/registry/keys.ts';
import { label } from '#lib/registry/values.ts';
import { settings } from '#lib/settings/settings.ts';
import { AUTHORIZATION_CODE, grantTypesFor, REFRESH_TOKEN } from './rules.ts';

// Decides which client ids are addresses of documents (draft-ietf-oauth-client-id-metadata-document-02 §3). The exact
// text of the address is the client id. Addresses that a URL parser would rewrite are rejected, because two texts must
// not lead to one document.

/**
 * Maximum length of a document's address in bytes. The address is the client id, which tokens, database rows and pages
 * contain.
 */
const MAX_CLIENT_ID_BYTES = 500;
/** Matches an address in the characters of RFC 3986 §2, with complete percent-encodings and without a fragment. */
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=[\]]|%[0-9A-Fa-f]{2})+$/;
const PARTS = /^(https?):\/\/([^/?]+)(\/[^?]*)(\?.+)?$/i;

/** True if the client id has the form of a document's address. Makes no DNS lookup and no call. */
export function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID_BYTES || !CHARACTERS.test(clientId)) return false;
  const [, scheme = '', authority = '', path = ''] = PARTS.exec(clientId) ?? [];
  const url = URL.parse(clientId);
  if (scheme === '' || url === null || authority.includes('@') || hasDotSegment(path)) return false;
  const [, host, port] = /^(.+?)(?::(\d*))?$/.exec(authority) ?? [];
  // users would not recognise the real host of 127.1, 0x7f.1 and b%C3%BCcher.example
  if (host?.toLowerCase() !== url.hostname || url.hostname.endsWith('.') || port === '') return false;
  return scheme.toLowerCase() === 'https' || mayBePlain(url);
}

function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** True for http on loopback hosts, if the operator allows the private network. */
function mayBePlain(url: URL): boolean {
  return url.protocol === 'http:' && isLoopbackHost(url.hostname) && settings().clientDocumentsPrivateNetwork;
}

// Reasons for an unusable document. The message addresses the client's developer and reveals nothing about Gatehouse's
// network.

type ClientDocumentFault =
  | 'url'
  | 'address'
  | 'redirect'
  | 'status'
  | 'gone'
  | 'media-type'
  | 'too-large'
  | 'unreadable'
  | 'client-id'
  | 'secret'
  | 'private-key'
  | 'authentication'
  | 'grants'
  | 'redirect-uris'
  | 'member';

/**
 * Faults of a response that comes from a bot guard, a proxy or a fallback page instead of the document. Such
 * a response contains no information about the client.
 */
const NO_DOCUMENT = new Set<ClientDocumentFault>([
  'redirect',
  'status',
  'media-type',
  'too-large',
  'unreadable',
]);

/** Thrown if the document or its address is invalid. Retries fail until the owner changes it. */
export class ClientDocumentRefused extends Error {
  override name = 'ClientDocumentRefused';
  readonly reason: ClientDocumentFault;
  constructor(reason: ClientDocumentFault, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.reason = reason;
  }
  /** True if the response was not a client document, so that an earlier valid copy still applies. */
  get isNoDocument(): boolean {
    return NO_DOCUMENT.has(this.reason);
  }
}

/** Thrown if the state of the document is unknown: the host does not answer, or the call limit is reached. */
export class ClientDocumentUnavailable extends Error {
  override name = 'ClientDocumentUnavailable';
  readonly retryAfterSeconds: number;
  constructor(sentence: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(sentence, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

// Members of a document. A member of a wrong type (RFC 7591 §2) makes the document invalid.

type DocumentParts = Readonly<Record<string, unknown>>;

const MAX_MEMBER_ADDRESS = 2_000;

/** Returns the texts in a member of the document; null: the member is missing. */
function textList(members: DocumentParts, name: string): string[] | null {
  const value = members[name] ?? null;
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new ClientDocumentRefused('member', `${name} must be a list of strings.`);
  return value;
}

/**
 * An address that is shown or called. It must be https and public, unless the operator allows the private network.
 * `null`: the member is missing.
 */
function addressMember(members: DocumentParts, name: string): string | null {
  const value = members[name] ?? null;
  if (value === null || value === '') return null;
  const refuse = (rule: string) => new ClientDocumentRefused('address', `${name} must be ${rule}.`);
  const url = typeof value === 'string' && value.length <= MAX_MEMBER_ADDRESS ? URL.parse(value) : null;
  if (url === null || typeof value !== 'string' || !/^https?:\/\/[^/?#]/i.test(value))
    throw refuse('an absolute https:// address');
  if (url.protocol !== 'https:' && !mayBePlain(url)) throw refuse('an https:// address');
  if (value.includes('#') || url.username !== '' || url.password !== '' || /[\s\\]/.test(value))
    throw refuse('an address without a fragment, user name or spaces');
  if (namesPrivateHost(url) && !settings().clientDocumentsPrivateNetwork) throw refuse('a public address');
  return value;
}

/** Returns the value of a flag in the document; false if the member is missing. */
function flagMember(members: DocumentParts, name: string): boolean {
  const value = members[name] ?? false;
  if (typeof value !== 'boolean') throw new ClientDocumentRefused('member', `${name} must be true or false.`);
  return value;
}

// Authentication of a document client (draft-ietf-oauth-client-id-metadata-document-02 §4.1): without credentials or by
// the client's own keys, never by a secret. A document for several servers follows OpenID Connect Relying Party
// Metadata Choices 1.0: its single method if supported, otherwise the best method of its list.

const MAX_KEYS = 10;

type DocumentAuthentication =
  | { tokenEndpointAuthMethod: 'none'; jwks: null; jwksUri: null }
  | { tokenEndpointAuthMethod: 'private_key_jwt'; jwks: PublicKeySet | null; jwksUri: string | null };

const NONE: DocumentAuthentication = { tokenEndpointAuthMethod: 'none', jwks: null, jwksUri: null };

/**
 * Returns the authentication method and keys of a document. Throws ClientDocumentRefused for an unsupported
 * method.
 */
function authenticationOf(members: DocumentParts): DocumentAuthentication {
  refuseSecrets(members);
  const jwks = keysByValue(members);
  const jwksUri = addressMember(members, 'jwks_uri');
  const method = methodOf(members, jwks !== null || jwksUri !== null);
  if (method === 'none') return NONE;
  if (jwks !== null && jwksUri !== null)
    throw new ClientDocumentRefused('authentication', 'jwks and jwks_uri cannot be combined.');
  if (jwks === null && jwksUri === null)
    throw new ClientDocumentRefused(
      'authentication',
      'token_endpoint_auth_method private_key_jwt requires public signing keys: jwks or jwks_uri.',
    );
  return { tokenEndpointAuthMethod: 'private_key_jwt', jwks, jwksUri };
}

function methodOf(members: DocumentParts, hasKeys: boolean): 'none' | 'private_key_jwt' {
  const member = members['token_endpoint_auth_method'] ?? null;
  if (member === 'none' || member === 'private_key_jwt') return member;
  const listed = textList(members, 'token_endpoint_auth_methods_supported');
  if (member === null && listed === null) return 'none';
  if (listed?.includes('private_key_jwt') && hasKeys) return 'private_key_jwt';
  if (listed?.includes('none')) return 'none';
  throw new ClientDocumentRefused(
    'authentication',
    'token_endpoint_auth_method must be none or private_key_jwt, or token_endpoint_auth_methods_supported must contain one of them.',
  );
}

function refuseSecrets(members: DocumentParts): void {
  const named = ['client_secret', 'client_secret_expires_at'].find((name) => members[name] !== undefined);
  if (named)
    throw new ClientDocumentRefused(
      'secret',
      `${named} must not be in the document, because anyone can read it.`,
    );
  const method = members['token_endpoint_auth_method'];
  if (typeof method === 'string' && method.startsWith('client_secret_'))
    throw new ClientDocumentRefused(
      'secret',
      `token_endpoint_auth_method must not be ${method}: a client described by a document has no secret.`,
    );
}

/** Returns the signing keys of `jwks`; null: `jwks` is missing or contains no signing keys. */
function keysByValue({ jwks }: DocumentParts): PublicKeySet | null {
  if (jwks === undefined || jwks === null) return null;
  const keys = typeof jwks === 'object' && 'keys' in jwks ? jwks.keys : null;
  if (!Array.isArray(keys)) throw new ClientDocumentRefused('member', 'jwks must be a JWK Set (RFC 7517).');
  for (const key of keys) {
    if (typeof key !== 'object' || key === null)
      throw new ClientDocumentRefused('member', 'jwks must be a JWK Set (RFC 7517).');
    if (hasPrivatePart(key))
      throw new ClientDocumentRefused(
        'private-key',
        'jwks contains a private or symmetric key, which anyone can now read. Create a new key pair, and publish only its public key.',
      );
  }
  const supportedKeys = keys.flatMap((key) => {
    const { success, data } = publicKey.safeParse(key);
    return success ? [data] : [];
  });
  const usable = supportedKeys.slice(0, MAX_KEYS);
  const ids = usable.map(({ kid }) => kid);
  if (ids.some((kid, at) => kid !== undefined && ids.indexOf(kid) < at))
    throw new ClientDocumentRefused('member', 'jwks must not contain two keys with the same kid.');
  return usable.length === 0 ? null : { keys: usable };
}

// Grants of a document client. Documents are written for many servers, so unknown or disallowed grants are ignored. The
// document is rejected only if no usable grant remains.

/**
 * Returns the grants of the document. Default: authorization code and refresh tokens. Throws
 * ClientDocumentRefused if no usable grant remains.
 */
function grantsOf(members: DocumentParts, confidential: boolean): string[] {
  const allowed = grantTypesFor(confidential ? 'confidential' : 'native', 'document');
  const listed = textList(members, 'grant_types') ?? [AUTHORIZATION_CODE, REFRESH_TOKEN];
  const grants = [...new Set(listed)].filter((name) => allowed.includes(name));
  if (!grants.some((name) => name !== REFRESH_TOKEN))
    throw new ClientDocumentRefused('grants', 'grant_types must contain authorization_code.');
  if (grants.includes(AUTHORIZATION_CODE)) requireCodeAnswer(members);
  return grants;
}

const needsRedirect = (grants: readonly string[]) => grants.includes(AUTHORIZATION_CODE);

/** Requires that the document lists the response type `code`; it may list others, too (RFC 7591 §2.1). */
function requireCodeAnswer(members: DocumentParts): void {
  const listed = textList(members, 'response_types');
  if (listed !== null && !listed.includes('code'))
    throw new ClientDocumentRefused(
      'grants',
      'response_types must contain code, because grant_types contains authorization_code.',
    );
}

// Redirect URIs of a document client: https, http on localhost (any port, by name or number, for desktop programs: RFC
// 8252 §7.3), or a private-use scheme (§7.1).

const MAX_REDIRECTS = 100;
/**
 * Matches a private-use scheme without a dot, such as cursor://. Several applications can claim it, so Gatehouse
 * ignores it.
 */
const UNDOTTED = /^(?!https?:)[a-z][a-z0-9+-]*:\/\//i;

/**
 * Returns the URIs in document order, without duplicates. Throws ClientDocumentRefused for an invalid URI, or if a
 * required URI is missing.
 */
function redirectsOf(members: DocumentParts, needed: boolean): string[] {
  const listed = [...new Set(textList(members, 'redirect_uris') ?? [])];
  const redirectUris = listed.filter((uri) => !isLeftOut(uri));
  if (listed.length > MAX_REDIRECTS)
    throw new ClientDocumentRefused(
      'redirect-uris',
      `redirect_uris must not contain more than ${MAX_REDIRECTS} addresses.`,
    );
  if (needed && redirectUris.length === 0)
    throw new ClientDocumentRefused(
      'redirect-uris',
      'redirect_uris must contain an address that is allowed: https, http on localhost, or a private-use scheme with a dot.',
    );
  for (const [at, uri] of redirectUris.entries()) {
    const fault = redirectUriFault(uri, 'native');
    if (fault) throw new ClientDocumentRefused('redirect-uris', `redirect_uris.${at} ${fault.message}.`);
  }
  return redirectUris;
}

const UNDOTTED_FAULT = redirectUriFault('undotted://callback', 'native')?.message;
const isLeftOut = (uri: string) =>
  UNDOTTED.test(uri) && redirectUriFault(uri, 'native')?.message === UNDOTTED_FAULT;

// Parses a Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document-02 §4.1) into client fields in the
// registry's terms. Unlisted members are ignored.

export type ClientDocument = {
  /** the address of the document, character by character */
  clientId: string;
  /** host of the address without port; users see it, and rules use it */
  host: string;
  /** name of the client; default: the host */
  name: DisplayText;
  clientUri: string | null;
  /** logo on the document’s host; null: the logo is missing or on another host */
  logoUri: string | null;
  tosUri: string | null;
  policyUri: string | null;
  redirectUris: string[];
  /** true: the client authenticates with keys */
  confidential: boolean;
  applicationType: 'web' | 'native';
  tokenEndpointAuthMethod: 'none' | 'private_key_jwt';
  jwks: PublicKeySet | null;
  jwksUri: string | null;
  /** grant types that the client may use */
  grantTypes: string[];
  /** true: authorize requests must be pushed first (RFC 9126 §6) */
  requirePushedAuthorizationRequests: boolean;
  /** true: access tokens are bound to the client's DPoP key (RFC 9449 §5.2) */
  dpopBoundAccessTokens: boolean;
  /** SHA-256 of all fields above, base64url; a different digest means a relevant change */
  digest: string;
};

const PUSHED = 'require_pushed_authorization_requests';

/** Members with addresses that Gatehouse does not use. Even so, these addresses must be https (§4.1). */
const UNUSED_ADDRESSES = [
  'initiate_login_uri',
  'sector_identifier_uri',
  'backchannel_logout_uri',
  'frontchannel_logout_uri',
];

/** Throws ClientDocumentRefused for an invalid document. `clientId` has the form of a document’s address. */
export function readDocument(clientId: string, text: string): ClientDocument {
  const members = membersOf(text);
  if (members['client_id'] === undefined)
    throw new ClientDocumentRefused(
      'unreadable',
      'client_id is missing: it must be the address of the document.',
    );
  if (members['client_id'] !== clientId)
    throw new ClientDocumentRefused(
      'client-id',
      'client_id must be exactly the address of the document, as sent in the request.',
    );
  const authentication = authenticationOf(members);
  const confidential = authentication.tokenEndpointAuthMethod === 'private_key_jwt';
  const grantTypes = grantsOf(members, confidential);
  for (const name of UNUSED_ADDRESSES) addressMember(members, name);
  const host = new URL(clientId).hostname;
  const document: Omit<ClientDocument, 'digest'> = {
    clientId,
    host,
    name: nameOf(members) ?? host,
    clientUri: addressMember(members, 'client_uri'),
    logoUri: ofSameHost(host, addressMember(members, 'logo_uri')),
    tosUri: addressMember(members, 'tos_uri'),
    policyUri: addressMember(members, 'policy_uri'),
    redirectUris: redirectsOf(members, needsRedirect(grantTypes)),
    confidential,
    applicationType: confidential ? 'web' : 'native',
    ...authentication,
    grantTypes,
    requirePushedAuthorizationRequests: flagMember(members, PUSHED),
    dpopBoundAccessTokens: flagMember(members, 'dpop_bound_access_tokens'),
  };
  return { ...document, digest: sha256(JSON.stringify(document)).toString('base64url') };
}

function membersOf(text: string): DocumentParts {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ClientDocumentRefused('unreadable', 'The document is not JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ClientDocumentRefused('unreadable', 'The document must be a JSON object.');
  if (findUnstorable(value))
    throw new ClientDocumentRefused(
      'member',
      'The document contains text that cannot be stored, or is nested too deeply.',
    );
  return { ...value };
}

function nameOf(members: DocumentParts): DisplayText | null {
  const member = members['client_name'] ?? null;
  const name = textsOfMember(
    members,
    'client_name',
    member === null ? null : readName('client_name', member),
  );
  if (name === null || typeof name === 'string') return name;
  return Object.fromEntries(
    Object.entries(name).map(([tag, text]) => [tag, readName(`client_name#${tag}`, text)]),
  );
}

function readName(member: string, name: unknown): string {
  const read = label.safeParse(name);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ClientDocumentRefused('member', `${member} ${issue ? issueInWords(issue) : 'makes no sense'}.`);
}

/**
 * Returns the address if it is on this host, otherwise null. A logo on another host could belong to a different
 * client.
 */
function ofSameHost(host: string, address: string | null): string | null {
  return address !== null && new URL(address).hostname === host ? address : null;
}

// One call for one document. The response must be 200 or "not modified", JSON, and at most 5 KB. It must arrive from a
// public address within 3 s, without a redirect (draft-ietf-oauth-client-id-metadata-document-02 §4; the draft's
// security considerations cover SSRF and sizes).

const MAX_DOCUMENT_BYTES = 5_120;
const TIMEOUT_MS = 3_000;
const RETRY_SECONDS = 30;
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;
/**
 * Status codes of failures that are not caused by the document: the request came too early or too often, or a
 * bot guard rejected it.
 */
const PASSING = new Set([403, 408, 425, 429]);

/** Result of a fetch. `document`: null if the host confirmed that the cached copy is still current. */
type FetchedDocument = { document: ClientDocument | null; headers: Headers };

/** Throws ClientDocumentRefused or ClientDocumentUnavailable. */
async function fetchDocument(clientId: string, validators: Record<string, string>): Promise<FetchedDocument> {
  const answer = await requestDocument(clientId, validators);
  const { status, headers } = answer;
  if (status === 304 && Object.keys(validators).length > 0) return { document: null, headers };
  if (status >= 500 || PASSING.has(status)) throw silent();
  if (status === 404 || status === 410)
    throw new ClientDocumentRefused('gone', `Its host responds with ${status} instead of 200.`);
  if (status !== 200)
    throw new ClientDocumentRefused('status', `Its host responds with ${status} instead of 200.`);
  if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
    throw new ClientDocumentRefused('media-type', 'Its host must send it as application/json.');
  return { document: readDocument(clientId, await textOf(answer)), headers };
}

async function requestDocument(clientId: string, validators: Record<string, string>): Promise<Response> {
  const call = outboundFetch({
    allowPrivateNetwork: settings().clientDocumentsPrivateNetwork,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
  });
  try {
    return await call(clientId, { headers: { accept: 'application/json', ...validators } });
  } catch (cause) {
    throw cause instanceof OutboundFailed ? inWords(cause) : cause;
  }
}

function inWords(cause: OutboundFailed): Error {
  const documentRefused = (reason: ClientDocumentRefused['reason'], sentence: string) =>
    new ClientDocumentRefused(reason, sentence, { cause });
  if (cause.reason === 'redirect')
    return documentRefused('redirect', 'Its host responds with a redirect, and redirects are not followed.');
  if (cause.reason === 'too-large')
    return documentRefused('too-large', `The document must not be larger than ${MAX_DOCUMENT_BYTES} bytes.`);
  if (cause.reason === 'private-address' || cause.reason === 'insecure')
    return documentRefused('address', 'Its host does not have a public address.');
  if (cause.reason === 'bad-answer')
    return documentRefused('unreadable', 'The response of its host cannot be decompressed.');
  return silent(cause);
}

const silent = (cause?: OutboundFailed) =>
  new ClientDocumentUnavailable('Its host is not responding. Try again in a moment.', RETRY_SECONDS, {
    cause,
  });

async function textOf(answer: Response): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await answer.arrayBuffer());
  } catch (cause) {
    throw new ClientDocumentRefused('unreadable', 'The document is not UTF-8.', { cause });
  }
}

// Lifetime of a cached document (RFC 9111 §4.2, §5.2; the draft’s §4.4 permits limits). If the host sends a lifetime
// for shared caches, it takes precedence over max-age. The lifetime is at least five minutes and at most a day.

const LEAST_MS = 300_000;
const MOST_MS = 86_400_000;

/** Returns the lifetime in milliseconds, counted from the arrival of the response (`at`, milliseconds since 1970). */
export function freshMilliseconds(headers: Headers, at: number): number {
  const stated = statedSeconds(headers, at);
  const age = seconds(headers.get('age')) ?? 0;
  return Math.min(Math.max((stated - age) * 1_000, LEAST_MS), MOST_MS);
}

/**
 * Returns the lifetime that the headers state, in seconds. Contradictory lifetimes make the document stale (RFC
 * 9111 §4.2.1).
 */
function statedSeconds(headers: Headers, at: number): number {
  const directives = (headers.get('cache-control') ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.some((directive) => /^(?:no-store|no-cache|private)\b/.test(directive))) return 0;
  for (const name of ['s-maxage', 'max-age']) {
    const values = directives.filter((directive) => directive.split('=')[0]?.trim() === name);
    if (values.length > 1) return 0;
    if (values[0] !== undefined) return seconds(values[0].slice(values[0].indexOf('=') + 1)) ?? 0;
  }
  const expires = Date.parse(headers.get('expires') ?? '');
  return Number.isNaN(expires) ? 0 : (expires - at) / 1_000;
}

function seconds(text: string | null): number | null {
  const digits = /^"?(\d{1,10})"?$/.exec(text?.trim() ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Returns the request headers that revalidate a copy (RFC 9110 §13.1). Ignores overlong entity tags. */
function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  return {
    ...(etag && etag.length <= 200 && { 'if-none-match': etag }),
    ...(modified && modified.length <= 40 && { 'if-modified-since': modified }),
  };
}

// Limits of document fetches, because strangers can put any address in a link. Each URL, each host, each caller, and
// all strangers together have a limit per minute, and few calls run concurrently. Approved clients have separate
// counters, because a stranger must not block the fetch that removes a key. A client counts as approved after approval
// of a subscription. Before the approval, its owner is a stranger who can trigger fetches at the token endpoint. Only
// actual calls are counted, so memory stays bounded. Each process has its own counters.

const WINDOW_MS = 60_000;
/**
 * Maximum number of calls in a minute: per document, host and caller, and for all callers without and with an approved
 * client.
 */
const SHARES = { url: 6, host: 30, caller: 30, callerAtHost: 15, strangers: 300, clients: 600 };
/** Maximum number of concurrent calls. */
const AT_ONCE = { host: 4, strangers: 32, clients: 32 };

/**
 * The sender of the request that needs a document. `caller`: the IP address, null if unknown. `known`: the client has
 * an approved subscription.
 */
export type DocumentAsker = { caller?: string | null | undefined; known?: boolean | undefined };

type Counted = { calls: number; until: number };
type Books = { counted: Map<string, Counted>; running: Map<string, number> };

// one set of counters per process, shared by all copies of this module
const callsSlot = processWide<Books>('client-document-calls');

/** Runs the call. Above the limit, throws ClientDocumentUnavailable without running it. */
export async function runGoverned<T>(url: string, asker: DocumentAsker, call: () => Promise<T>): Promise<T> {
  const { counted, running } = books();
  const host = new URL(url).hostname;
  const all = asker.known ? 'clients' : 'strangers';
  const shares: [key: string, share: number][] = [
    [all, SHARES[all]],
    [`${all} host ${host}`, SHARES.host],
    [`${all} url ${url}`, SHARES.url],
    ...callerShares(asker, host),
  ];
  const places: [key: string, most: number][] = [
    [all, AT_ONCE[all]],
    [`${all} host ${host}`, AT_ONCE.host],
  ];
  forgetPast(counted);
  const spent = shares.find(([key, share]) => (counted.get(key)?.calls ?? 0) >= share);
  if (spent) throw tooOften(Math.ceil(((counted.get(spent[0])?.until ?? 0) - time()) / 1_000));
  if (places.some(([key, most]) => (running.get(key) ?? 0) >= most)) throw tooOften(1);
  for (const [key] of shares) count(counted, key);
  for (const [key] of places) running.set(key, (running.get(key) ?? 0) + 1);
  try {
    return await call();
  } finally {
    for (const [key] of places) release(running, key);
  }
}

/**
 * An unknown address has no separate limit, because one caller could exhaust the limit for every unknown
 * address.
 */
function callerShares({ caller, known }: DocumentAsker, host: string): [key: string, share: number][] {
  if (known || !caller) return [];
  const block = addressBlock(caller);
  return [
    [`caller ${block}`, SHARES.caller],
    [`caller ${block} at ${host}`, SHARES.callerAtHost],
  ];
}

const time = () => now().getTime();

function books(): Books {
  callsSlot.value ??= { counted: new Map(), running: new Map() };
  return callsSlot.value;
}

/** Deletes expired windows. The map is ordered by the start of the windows, so expired windows come first. */
function forgetPast(counted: Map<string, Counted>): void {
  for (const [key, { until }] of counted) {
    if (until > time()) return;
    counted.delete(key);
  }
}

function count(counted: Map<string, Counted>, key: string): void {
  const counter = counted.get(key) ?? { calls: 0, until: time() + WINDOW_MS };
  counter.calls += 1;
  counted.set(key, counter);
}

function release(running: Map<string, number>, key: string): void {
  const left = (running.get(key) ?? 1) - 1;
  if (left > 0) running.set(key, left);
  else running.delete(key);
}

const tooOften = (seconds: number) =>
  new ClientDocumentUnavailable(
    'Too many documents were requested. Try again in a minute.',
    Math.max(1, seconds),
  );

/** Moves an entry to the end of a bounded map. Evicts the least recently used entry. */
export function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}

// Documents, read through a cache in this process. A fresh copy is used directly. For a stale copy, one call for all
// callers asks the host to confirm it. Errors and faulty documents are never cached. If the host does not answer, or
// answers without a document, the copy of the last day is used. A changed document applies immediately.

/** Maximum number of cached copies; the least recently used copy is evicted first. Each copy has at most 5 KB. */
const MAX_COPIES = 1_000;
const NEWER_COOLDOWN_MS = 30_000;
const STALE_MS = 86_400_000;

/**
 * A cached copy of a document. Times are milliseconds since 1970. `confirmedAt`: last confirmation by the
 * host; `askedAt`: last call, answered or not.
 */
type Copy = {
  document: ClientDocument;
  validators: Record<string, string>;
  freshUntil: number;
  confirmedAt: number;
  askedAt: number;
};
type Shelf = { copies: Map<string, Copy>; asking: Map<string, Promise<ClientDocument>> };

// one cache per process, shared by both HTTP listeners
const copiesSlot = processWide<Shelf>('client-documents');

/**
 * Returns the document at a client id. An unchanged document is the same object. `newer`: if a fresh copy lacks the
 * client’s key, it is fetched again, at most once in 30 s. Throws ClientDocumentRefused or ClientDocumentUnavailable.
 */
export async function readClientDocument(
  clientId: string,
  { newer = false, ...asker }: DocumentAsker & { newer?: boolean } = {},
): Promise<ClientDocument> {
  const copy = findCopy(clientId);
  if (copy && isGood(copy, newer)) return copy.document;
  if (!isDocumentUrl(clientId))
    throw new ClientDocumentRefused(
      'url',
      'client_id is not the address of a document: it must be https, with a path.',
    );
  const { asking } = shelf();
  const running = asking.get(clientId) ?? startRefresh(clientId, asker, copy);
  if (!copy) return running;
  return running.catch((error: unknown) => {
    const lasts = now().getTime() < copy.confirmedAt + STALE_MS;
    if (lasts && isPassing(error)) return copy.document;
    throw error;
  });
}

/** True for a failure to get the document. Such a failure does not show whether the client's document is invalid. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ClientDocumentUnavailable ||
  (error instanceof ClientDocumentRefused && error.isNoDocument);

function isGood({ freshUntil, askedAt, confirmedAt }: Copy, newer: boolean): boolean {
  const time = now().getTime();
  if (time < askedAt + NEWER_COOLDOWN_MS) return time < confirmedAt + STALE_MS;
  return !newer && time < freshUntil;
}

function startRefresh(
  clientId: string,
  asker: DocumentAsker,
  copy: Copy | undefined,
): Promise<ClientDocument> {
  const { asking } = shelf();
  const running = runGoverned(clientId, asker, () => refreshCopy(clientId, copy)).finally(() =>
    asking.delete(clientId),
  );
  asking.set(clientId, running);
  return running;
}

async function refreshCopy(clientId: string, copy: Copy | undefined): Promise<ClientDocument> {
  if (copy) copy.askedAt = now().getTime();
  try {
    const { document, headers } = await fetchDocument(clientId, copy?.validators ?? {});
    const at = now().getTime();
    const isOther = document !== null && document.digest !== copy?.document.digest;
    const current = isOther ? document : copy?.document;
    if (!current) throw new ClientDocumentRefused('status', 'Its host responds with 304 instead of 200.');
    const validators = { ...(document ? {} : copy?.validators), ...validatorsOf(headers) };
    const freshUntil = at + freshMilliseconds(headers, at);
    keep(clientId, { document: current, validators, freshUntil, confirmedAt: at, askedAt: at });
    return current;
  } catch (error) {
    if (!isPassing(error)) shelf().copies.delete(clientId);
    throw error;
  }
}

function shelf(): Shelf {
  copiesSlot.value ??= { copies: new Map(), asking: new Map() };
  return copiesSlot.value;
}

function findCopy(clientId: string): Copy | undefined {
  const copy = shelf().copies.get(clientId);
  if (copy) keep(clientId, copy);
  return copy;
}

const keep = (clientId: string, copy: Copy) => keepRecent(shelf().copies, clientId, copy, MAX_COPIES);
