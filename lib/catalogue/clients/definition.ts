// A client: software that asks for tokens.
import { z } from 'zod';
import { checkFault, type FaultText, fault } from '#lib/kit/fault.ts';
import { optionalBrand } from '#lib/registry/brand.ts';
import { defaultAcrValues } from '#lib/registry/claims.ts';
import { type ChoiceWords, field } from '#lib/registry/definition.ts';
import { displayText } from '#lib/registry/display-text.ts';
import { publicKeySet } from '#lib/registry/keys.ts';
import { optionalTexts } from '#lib/registry/own-texts.ts';
import { clientOrigin } from '#lib/registry/unregistered.ts';
import {
  atMost,
  choiceFault,
  choiceOf,
  clientId,
  combinedWith,
  emailAddress,
  label,
  optionalAddress,
  tooLong,
  webAddress,
} from '#lib/registry/values.ts';

// Redirect addresses that clients can register: RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1, Gatehouse cases RU-04,
// RU-06, RU-14. The functions have no side effects; the configuration file, the command line and the console share
// them.

/** Types of OpenID Connect Registration, and `browser` for single-page applications. */
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

/** Returns the fault of this redirect URI, with a suggestion, or null. */
export function redirectUriAdvice(uri: string, type: ApplicationType, privateUse = false): FaultText | null {
  const wrong = redirectUriFault(uri, type, privateUse);
  const proposed = wrong && proposedRedirectUri(uri, type);
  if (wrong === null || proposed === null) return wrong;
  const params = wrong.params ?? { text: wrong.message, values: {} };
  return { message: `${wrong.message}. Did you mean ${proposed}?`, params };
}

const LOCAL_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=(?::\d+)?(?:[/?]|$))/i;
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?=(?::\d+)?(?:[/?]|$))/i;

/** Suggests a valid redirect URI if the intended address is obvious, otherwise returns null. */
export function proposedRedirectUri(uri: string, type: ApplicationType): string | null {
  const typed = uri.trim().replace(/#.*$/, '');
  const scheme = LOCAL_NAME.test(typed) ? 'http://' : HOST_NAME.test(typed) ? 'https://' : '';
  const whole = `${scheme}${typed}`.replace(
    /^(https?):\/*(?=[^/])/i,
    (_, web: string) => `${web.toLowerCase()}://`,
  );
  const secure = whole.replace(/^http:/, 'https:');
  const meant = [whole, secure].find((candidate) => redirectUriFault(candidate, type) === null);
  return meant === undefined || meant === uri ? null : meant;
}

const PRIVATE_USE =
  'begins with a private-use scheme, which any application on a device can claim: set private_use_schemes (“Accept private-use schemes”)';

/**
 * True if the address begins with a private-use scheme (RFC 8252 §7.1), such as
 * `app.immich:///oauth-callback`.
 */
export const isPrivateUse = (uri: string): boolean =>
  /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]*:(?!\d+(?:[/?]|$))/i.test(uri);

/**
 * Returns the fault of this address for a client of that kind, or null. `privateUse`: private-use schemes are allowed
 * for a confidential client.
 */
export function redirectUriFault(uri: string, type: ApplicationType, privateUse = false): FaultText | null {
  if (uri.length > MAX_LENGTH)
    return fault('must not be longer than {most} characters', { most: MAX_LENGTH });
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) {
    return { message: 'must not contain spaces or other characters that are not allowed in addresses' };
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) || !URL.canParse(uri)) {
    return fault('must be a complete address, such as {value}', { value: EXAMPLE[type] });
  }
  const url = new URL(uri);
  if (NEVER.has(url.protocol)) return fault('must not begin with {value}', { value: url.protocol });
  if (uri.includes('#')) return { message: 'must not contain a fragment (#)' };
  if (uri.includes('*')) return { message: 'must not contain *: register each address completely' };
  if (url.username !== '' || url.password !== '' || /^[a-z+.-]+:\/\/[^/?]*@/i.test(uri)) {
    return { message: 'must not contain a username or password' };
  }
  const word = OUR_WORDS.find((name) => url.searchParams.has(name));
  if (word)
    return fault('must not contain `{value}` in its query: the response uses that name', { value: word });
  if (url.protocol === 'https:' || url.protocol === 'http:') return webFault(uri, url, type);
  if (type === 'web' && isPrivateUse(uri)) return privateUse ? null : { message: PRIVATE_USE };
  if (type !== 'native') return NOT_HTTPS;
  if (!url.protocol.includes('.')) {
    return fault('must begin with a private-use scheme that contains a dot, such as {value}', {
      value: EXAMPLE.native,
    });
  }
  return null;
}

const NOT_HTTPS: FaultText = { message: 'must be https (or http on localhost, for development)' };

function webFault(uri: string, url: URL, type: ApplicationType): FaultText | null {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(uri)?.[1];
  if (!authority) return { message: 'must contain a host after https://' };
  // The URL parser rewrites some hosts (127.1, 0x7f.1, a trailing dot), so the displayed host would differ from the
  // host that is called.
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written !== url.hostname) return fault('must contain its host as {value}', { value: url.hostname });
  if (/%2e|\/\.\.?(\/|$|\?)/i.test(uri)) return { message: 'must not contain /./ or /../ in its path' };
  if (url.protocol === 'https:' || isLocalHost(url)) return null;
  return type === 'native'
    ? fault(
        'must be https, http on localhost, 127.0.0.1 or [::1], or begin with a private-use scheme, such as {value}',
        { value: EXAMPLE.native },
      )
    : NOT_HTTPS;
}

/** Host or scheme of a registered redirect URI, as users and approvers see it. */
export function returnHost(uri: string): string {
  const match = /^https?:\/\/([^/?#]+)/i.exec(uri);
  return match?.[1] ?? uri.split(':')[0] ?? uri;
}

/** Returns the fault of an address that Gatehouse calls, or null. `webAddress` already rejects invalid URLs. */
function callFault(address: string | null): string | null {
  const isPlain = address !== null && /^http:/i.test(address) && !isSecureAddress(address);
  return isPlain ? 'must be https (or http on this machine, for development)' : null;
}

/** True for https, and for http to the local machine. */
function isSecureAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'https:' || isLocalHost(url));
}

export const isLocalHost = ({ hostname }: URL) => hostname === 'localhost' || LOOPBACK_IP.has(hostname);

/** Returns the fault of this CORS origin, or null. An origin contains only scheme, host and port. */
export function originFault(origin: string): FaultText | null {
  if (!URL.canParse(origin) || !/^https?:/.test(origin))
    return { message: 'must be an origin such as https://shop.example' };
  const url = new URL(origin);
  if (url.origin !== origin)
    return fault('must be an origin, without a path: {value}', { value: url.origin });
  return isSecureAddress(origin) ? null : NOT_HTTPS;
}

// Client authentication method (RFC 7591 §2): none, secret, or private keys (RFC 7523, OpenID Connect Core §9). The
// client registers public keys by value or by address.

const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
/** Authentication methods that a client on a server can choose, with their texts. Other clients have no choice. */
const METHOD_WORDS: Record<Exclude<(typeof METHODS)[number], 'none'> | '', ChoiceWords> = {
  '': { label: 'With a secret, in the header or the body', note: 'Most libraries use one of the two.' },
  client_secret_basic: { label: 'With a secret, only in the header', note: 'HTTP Basic.' },
  client_secret_post: { label: 'With a secret, only in the body', note: 'As client_secret.' },
  private_key_jwt: {
    label: 'With its own key pair',
    note: 'The client signs an assertion for each request (private_key_jwt). This service stores no secret for it.',
  },
};

const method = z
  .union(
    [z.literal('').transform(() => null), z.enum(METHODS).nullable()],
    checkFault('must be one of {value}', { value: METHODS }),
  )
  .default(null)
  .describe(
    'Client authentication. client_secret_basic: the secret in the header. client_secret_post: the secret in the body. private_key_jwt: the client’s keys, without a secret. none: a public client. Default: a secret in the header or the body',
  );
const keySet = publicKeySet
  .nullable()
  .default(null)
  .describe(
    'With private_key_jwt: the client’s public keys, as a JWK Set: RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519. Private and symmetric keys are rejected',
  );
const keysAddress = optionalAddress.describe(
  'Instead of jwks: the https address of the client’s public keys, on a public host',
);
const wideAudience = z
  .boolean('must be true or false')
  .default(false)
  .describe(
    'With private_key_jwt, at APIs with the profile oauth-2.1: the aud of its assertions can be the token endpoint as well as the issuer. APIs without a profile accept both from every client',
  );
const boundTokens = z
  .boolean('must be true or false')
  .default(false)
  .describe(
    'The client gets only access tokens bound to its key (DPoP, RFC 9449 §5.2). A browser client then also gets refresh tokens',
  );
const rotation = z
  .union(
    [z.literal('').transform(() => 'always' as const), z.enum(['always', 'never'])],
    choiceFault(['always', 'never']),
  )
  .default('always')
  .describe(
    'never, for a confidential client: a refresh token issued with a DPoP proof stays the same until the sign-in ends (`ghrk_`), and each use requires a proof. Existing refresh tokens do not change',
  );

const BY_KEYS = { of: 'tokenEndpointAuthMethod', is: 'private_key_jwt' };

export const authenticationFields = {
  tokenEndpointAuthMethod: field(method, 'Authentication', {
    choices: METHOD_WORDS,
    under: { of: 'kind', is: 'confidential' },
    shown: false,
  }),
  jwks: field(keySet, 'Public keys', {
    hint: 'A JWK Set with public keys only.',
    as: 'json',
    under: BY_KEYS,
    shown: false,
    placeholder: '{"keys": [{"kty": "EC", "crv": "P-256", "kid": "1", "x": "…", "y": "…"}]}',
  }),
  jwksUri: field(keysAddress, 'Key set address', {
    hint: 'Instead of pasted keys: the https address at which your server publishes its keys. A new key is fetched when it is first used.',
    as: 'url',
    under: BY_KEYS,
    shown: false,
  }),
  tokenEndpointAsAudience: field(wideAudience, 'Accept the token endpoint as audience of client assertions', {
    note: 'Applies only at APIs with the profile oauth-2.1. APIs without a profile accept this audience from every client, and APIs with fapi-2.0 from none.',
    under: BY_KEYS,
  }),
  dpopBoundAccessTokens: field(boundTokens, 'Bind its tokens to a key (DPoP)', {
    note: 'This makes stolen tokens useless. Browser applications also get refresh tokens.',
  }),
  refreshTokenRotation: field(rotation, 'Refresh tokens', {
    choices: {
      always: { label: 'New token at each use', note: 'A stolen token is detected when it is used again.' },
      never: {
        label: 'Same token until it expires',
        note: 'Only if the client proves possession of a key (DPoP): each use requires a proof.',
      },
    },
    under: { of: 'kind', is: 'confidential' },
  }),
};

type Authentication = {
  kind: string;
  tokenEndpointAuthMethod: string | null;
  jwks: unknown;
  jwksUri: string | null;
  tokenEndpointAsAudience: boolean;
  refreshTokenRotation: string;
};

/** Faults of settings that contradict each other. */
export function authenticationFaults(authentication: Authentication): AddressFault[] {
  const { kind, tokenEndpointAuthMethod: by, jwks, jwksUri, tokenEndpointAsAudience } = authentication;
  const faults: [keyof Authentication, FaultText | string | false | null][] = [];
  if (kind === 'confidential')
    faults.push([
      'tokenEndpointAuthMethod',
      by === 'none' && 'must not be none: a confidential client authenticates',
    ]);
  else
    faults.push([
      'tokenEndpointAuthMethod',
      by !== null && by !== 'none' && 'must be none or omitted: a public client does not authenticate',
    ]);
  faults.push([
    'refreshTokenRotation',
    kind !== 'confidential' &&
      authentication.refreshTokenRotation === 'never' &&
      'must be always or omitted: refresh tokens of a public client rotate',
  ]);
  if (by === 'private_key_jwt') {
    faults.push(
      ['jwks', jwks === null && jwksUri === null && 'is missing: private_key_jwt requires jwks or jwks_uri'],
      ['jwksUri', jwks !== null && jwksUri !== null && combinedWith('jwks')],
      ['jwksUri', callFault(jwksUri)],
    );
  } else {
    const alone = 'is only for token_endpoint_auth_method private_key_jwt';
    faults.push(
      ['jwks', jwks !== null && alone],
      ['jwksUri', jwksUri !== null && alone],
      ['tokenEndpointAsAudience', tokenEndpointAsAudience && alone],
    );
  }
  return faults.flatMap(([name, wrong]) =>
    wrong ? [{ path: [name], ...(typeof wrong === 'string' ? { message: wrong } : wrong) }] : [],
  );
}

type Keeper = Pick<Authentication, 'kind' | 'tokenEndpointAuthMethod'>;

/** True if clients of this kind use a secret. A client with `private_key_jwt` uses keys instead. */
export const takesSecret = ({ kind, tokenEndpointAuthMethod }: Keeper): boolean =>
  kind === 'confidential' && tokenEndpointAuthMethod !== 'private_key_jwt';

// Sectors: for one user, clients of one sector receive the same pairwise `sub`, and clients of other sectors receive
// different ones (OpenID Connect Core §8.1). A client that proves control of a host belongs to the sector of that
// host. Every other client is a sector by itself.

type SectorAddresses = { sectorIdentifierUri: string | null; redirectUris: readonly string[] };

/**
 * Hosts of the redirect URIs; null stands for an address on a phone or for a loopback address, which anybody can
 * register.
 */
function hostsOf(redirectUris: readonly string[]): Set<string | null> {
  return new Set(
    redirectUris.map((uri) => {
      const url = URL.parse(uri);
      return url && /^https?:$/.test(url.protocol) && !isLocalHost(url) ? url.hostname : null;
    }),
  );
}

/** Host of the first redirect URI on the web. Null if there is none. */
export const webHost = (redirectUris: readonly string[]): string | null =>
  [...hostsOf(redirectUris)].find((host) => host !== null) ?? null;

/** Name of the client's sector. A client with several hosts and without a sector identifier is a sector by itself. */
export function sectorOf({
  clientId,
  sectorIdentifierUri,
  redirectUris,
}: SectorAddresses & { clientId: string }): string {
  if (sectorIdentifierUri !== null) return `host ${new URL(sectorIdentifierUri).hostname}`;
  const [host, ...more] = hostsOf(redirectUris);
  return host && more.length === 0 ? `host ${host}` : `client ${clientId}`;
}

/** Returns the fault in the sector of a client with pairwise subjects, or null. */
function sectorFault({ sectorIdentifierUri, redirectUris }: SectorAddresses): FaultText | null {
  const hosts = hostsOf(redirectUris);
  if (sectorIdentifierUri !== null || hosts.size < 2) return null;
  const inEnglish = [...hosts].map((host) => host ?? 'a device');
  const { message } = lacksSector(
    `${inEnglish.slice(0, 3).join(', ')}${inEnglish.length > 3 ? ' and others' : ''}`,
  );
  // a translated page puts the device into its own sentence
  const named = [...hosts].filter((host) => host !== null);
  const listed = `${named.slice(0, 3).join(', ')}${named.length > 3 ? ', …' : ''}`;
  return { ...(hosts.has(null) ? lacksSectorOnDevice(listed) : lacksSector(listed)), message };
}

const lacksSector = (hosts: string) =>
  fault(
    'is missing: pairwise subjects require one sector, and the redirect addresses have the hosts {hosts}',
    { hosts },
  );
const lacksSectorOnDevice = (hosts: string) =>
  fault(
    'is missing: pairwise subjects require one sector, and the redirect addresses are on {hosts} and on a device',
    { hosts },
  );

// Client metadata for OpenID Connect: sign-out (RP-Initiated Logout 1.0 §3.1, Back-Channel Logout 1.0 §2.2), the
// signature algorithm of ID tokens, and the subject type (Registration §2).

const returnAddresses = atMost(100, z.string())
  .default([])
  .describe('Redirect addresses after sign-out, with the same rules as redirect_uris');
const logoutAddress = optionalAddress.describe(
  'The https address of the client’s server that receives a logout token when a person signs out',
);
const sessionRequired = z
  .boolean('must be true or false')
  .default(false)
  .describe('The logout token must contain sid. Gatehouse always includes sid');
const signedBy = choiceOf(['RS256', 'ES256'])
  .default('RS256')
  .describe('Signature algorithm of ID tokens and logout tokens');
const subjects = choiceOf(['public', 'pairwise'])
  .default('public')
  .describe(
    'public: sub is the id of the person. pairwise: sub is an identifier that only clients of the same sector get',
  );
const sectorAddress = optionalAddress.describe(
  'An https address: its host is the sector of pairwise subjects, and it returns a JSON list of all redirect addresses of the sector. apply does not call this address',
);

const openIdFields = {
  postLogoutRedirectUris: field(returnAddresses, 'Addresses after sign-out', {
    hint: 'Where people can return to after signing out. The rules for redirect addresses apply.',
    each: 'address after sign-out',
    placeholder: 'https://shop.example/signed-out',
  }),
  backchannelLogoutUri: field(logoutAddress, 'Back-channel sign-out address', {
    hint: 'The https address at which your server is notified when a person signs out.',
    as: 'url',
  }),
  backchannelLogoutSessionRequired: field(sessionRequired, 'The back-channel sign-out must name the session'),
  idTokenSignedResponseAlg: field(signedBy, 'ID tokens signed with', {
    choices: {
      RS256: { label: 'RS256', note: 'Every library can verify RS256.' },
      ES256: { label: 'ES256', note: 'Smaller and faster.' },
    },
  }),
  idTokenClaims: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe(
        'ID tokens for the client contain the claims of the granted scopes (profile, email, phone, address), as userinfo does. The console sets this key to true for new clients',
      ),
    'ID tokens contain the claims of the granted scopes',
    { hint: 'Name and email address, for libraries that do not call userinfo.' },
  ),
  subjectType: field(subjects, 'Subjects', {
    choices: {
      public: { label: 'Public', note: 'The client knows people by the same identifiers as other clients.' },
      pairwise: {
        label: 'Pairwise',
        note: 'Other applications see different identifiers for the same person.',
      },
    },
  }),
  sectorIdentifierUri: field(sectorAddress, 'Sector list', {
    hint: 'The https address of a JSON list of all redirect addresses. Only needed if pairwise subjects cover several hosts, or if several applications share them.',
    as: 'url',
  }),
  defaultAcrValues: field(defaultAcrValues, 'Required strength', {
    hint: 'The acr values of a request without acr_values, such as urn:gatehouse:acr:mfa.',
    each: 'acr value',
    placeholder: 'urn:gatehouse:acr:mfa',
  }),
  requireAuthTime: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe('ID tokens must contain auth_time. Gatehouse always includes auth_time'),
    'ID tokens must contain the time of the sign-in',
  ),
};

type OpenIdAddresses = {
  privateUseSchemes: boolean;
  redirectUris: readonly string[];
  postLogoutRedirectUris: readonly string[];
  backchannelLogoutUri: string | null;
  subjectType: 'public' | 'pairwise';
  sectorIdentifierUri: string | null;
};

/** Faults of addresses for this type of application. */
function openIdFaults(openIdAddresses: OpenIdAddresses, type: ApplicationType): AddressFault[] {
  const { postLogoutRedirectUris } = openIdAddresses;
  const faults: AddressFault[] = [];
  for (const [at, uri] of postLogoutRedirectUris.entries()) {
    const again = postLogoutRedirectUris.indexOf(uri) < at;
    const wrong = again
      ? { message: 'is listed twice' }
      : redirectUriAdvice(uri, type, openIdAddresses.privateUseSchemes);
    if (wrong) faults.push({ path: ['postLogoutRedirectUris', at], ...wrong });
  }
  for (const name of ['backchannelLogoutUri', 'sectorIdentifierUri'] as const) {
    const message = callFault(openIdAddresses[name]);
    if (message) faults.push({ path: [name], message });
  }
  const sector = openIdAddresses.subjectType === 'pairwise' ? sectorFault(openIdAddresses) : null;
  if (sector !== null) faults.push({ path: ['sectorIdentifierUri'], ...sector });
  return faults;
}

// Authorization servers for which a client can receive an ID-JAG, with the client's client_id at each server
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3, §6). Only administrators can set them, because an ID-JAG
// vouches for users without their consent.

const FAULT =
  'must be the issuer of an authorization server, an https:// address, optionally followed by a space and the client_id at that server';
/** Id of the client at the other server. Some servers use the address of the client's document as id. */
const ID_THERE = /^[\x21-\x7e]{1,500}$/;

export type IdJagAudience = { issuer: string; clientId: string };

/** Parses an entry. `clientId`: the id of the client at Gatehouse, which is used if the entry contains no id. */
export function idJagAudienceOf(entry: string, clientId: string): IdJagAudience {
  const [issuer = '', there = clientId] = entry.split(' ');
  return { issuer, clientId: there };
}

const entry = z
  .string()
  .trim()
  .max(2_600, tooLong(2_600))
  .refine((value) => {
    const [issuer = '', there = 'own', ...more] = value.split(' ');
    return (
      more.length === 0 &&
      ID_THERE.test(there) &&
      webAddress.safeParse(issuer).success &&
      !issuer.includes('?')
    );
  }, FAULT);

const audiences = atMost(20, entry)
  .default([])
  .describe(
    'Issuers of other authorization servers that a confidential client can get an ID-JAG for. If the client has another client_id at such a server, write this client_id after the issuer and a space. Set by administrators',
  );

const idJagFields = {
  idJagAudiences: field(audiences, 'ID-JAG for', {
    hint: 'Issuers of other services to which this service vouches for people, without asking anyone. If the application has another id at such a service, add a space and that id.',
    each: 'service to vouch to',
    under: { of: 'kind', is: 'confidential' },
    placeholder: 'https://login.chat.example f53f191f9311af35',
  }),
};

/** Faults of ID-JAG audiences for this kind of client. */
function idJagFaults({
  kind,
  idJagAudiences,
}: {
  kind: string;
  idJagAudiences: readonly string[];
}): { path: (string | number)[]; message: string }[] {
  if (kind !== 'confidential' && idJagAudiences.length > 0)
    return [{ path: ['idJagAudiences'], message: 'must be empty: a public client cannot authenticate' }];
  const issuers = idJagAudiences.map((idJagAudience) => idJagAudienceOf(idJagAudience, '').issuer);
  return issuers.flatMap((issuer, at) =>
    issuers.indexOf(issuer) < at ? [{ path: ['idJagAudiences', at], message: 'is listed twice' }] : [],
  );
}

// The subject type: the `sub` is the user's id, or a pairwise subject (OpenID Connect Core §8.1).

export const PERSON_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Form of a pairwise subject: HMAC-SHA-256 in base64url. */
export const PAIRWISE_SUB = /^[\w-]{43}$/;

/**
 * True if an API could confuse the client id, which is the `sub` of machine tokens, with a user's `sub` (RFC 9700
 * §4.15.1). For ids of people, case is ignored.
 */
export const isSubjectForm = (clientId: string): boolean =>
  PERSON_ID.test(clientId.toLowerCase()) || PAIRWISE_SUB.test(clientId);

export const CLIENT_KINDS = ['confidential', 'browser', 'native'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const MAX_ADDRESS_BYTES = 32_768;

const addresses = atMost(100, z.string());

/** Label and note of each kind, for users who choose a kind. */
export const CLIENT_KIND_WORDS: Record<ClientKind, ChoiceWords> = {
  confidential: {
    label: 'On a server',
    note: 'Keeps a secret that no one else can read. Gets refresh tokens.',
  },
  browser: {
    label: 'In the browser',
    note: 'A single-page application. It has no secret, must use PKCE, and renews tokens silently.',
  },
  native: {
    label: 'On a phone or desktop',
    note: 'Has no secret, must use PKCE, and gets refresh tokens.',
  },
};

/** Definition that checks each field separately. `checkedClient` also checks rules that concern several fields. */
export const client = z.strictObject({
  clientId: clientId.describe('The client’s id in requests. It never changes'),
  name: field(displayText(label), 'Name', {
    hint: 'Shown when people are asked to allow access.',
    others: 'In other languages',
    shown: false,
  }),
  kind: field(choiceOf(CLIENT_KINDS), 'Where does the application run?', {
    choices: CLIENT_KIND_WORDS,
    shown: { label: 'Platform' },
  }),
  redirectUris: field(
    addresses.describe(
      'Redirect addresses after sign-in, compared character by character. Native clients can register http://127.0.0.1, http://[::1] or http://localhost with a path, which match on any port',
    ),
    'Redirect addresses',
    {
      hint: 'Where people return to after signing in. Each address must match exactly: https, or http on localhost during development. An application on a phone can use its own scheme, such as com.example.app:/callback.',
      each: 'redirect address',
      shown: false,
      placeholder: 'https://shop.example/callback',
    },
  ),
  allowedOrigins: field(
    addresses
      .default([])
      .describe('Origins that can read token responses in a browser. Default: the origins of redirect_uris'),
    'Allowed origins',
    {
      hint: 'Only needed if your single-page app is served from a different origin than its redirect addresses. If empty, their origins are allowed.',
      each: 'origin',
      placeholder: 'https://shop.example',
    },
  ),
  privateUseSchemes: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe(
        'A confidential client can have redirect URIs with a private-use scheme (RFC 8252 §7.1), such as app.immich:///oauth-callback, in addition to https. Native clients do not need this setting',
      ),
    'Accept private-use schemes',
    {
      hint: 'For a mobile application whose server keeps the secret: allows addresses such as app.immich:///oauth-callback in addition to https. Any application on a device can claim such a scheme, so PKCE is required for it.',
    },
  ),
  logoUri: field(optionalAddress.describe('The address of a picture shown at sign-in and consent'), 'Logo', {
    hint: 'The https address of a square picture.',
    as: 'url',
    shown: false,
  }),
  tosUri: field(optionalAddress.describe('Terms of service of the client'), 'Terms of service', {
    as: 'url',
    shown: false,
  }),
  policyUri: field(optionalAddress.describe('Privacy policy of the client'), 'Privacy policy', {
    hint: 'Shown when people sign in and are asked to allow access.',
    as: 'url',
    shown: false,
  }),
  brand: optionalBrand.describe(
    '{logo, accent, accent_dark}: appearance of sign-in and consent for the client, after a subscription is approved',
  ),
  texts: optionalTexts.describe(
    'Texts of sign-in pages and mails for the client, with precedence over the texts of the API, after a subscription is approved. Set by administrators',
  ),
  ...authenticationFields,
  requirePushedAuthorizationRequests: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe('The client must push its authorize requests (RFC 9126)'),
    'Requests must be pushed first (PAR)',
  ),
  ...openIdFields,
  ...idJagFields,
});
export type ClientValues = z.output<typeof client>;

const SUBJECT_FORM =
  'must not have the form of a subject identifier: neither a UUID nor 43 letters, digits, hyphens and underscores';
const idOrEmpty = z
  .union([
    z.literal('').transform(() => undefined),
    clientId.refine((id) => !isSubjectForm(id), SUBJECT_FORM),
  ])
  .optional()
  .describe('Default: derived from the name');
const ownerEmail = z
  .union([z.literal('').transform(() => null), emailAddress])
  .nullish()
  .describe('for administrators. Default: the person who creates it. Empty: no one');

export const newClient = client.omit({ clientId: true }).extend({
  clientId: field(idOrEmpty, 'Client id', {
    hint: 'Identifies the client in requests. If empty, the client id is derived from the name.',
    as: 'code',
    only: 'new',
    shown: false,
  }),
  ownerEmail: field(ownerEmail, 'Owner', {
    hint: 'The developer who is responsible for it.',
    whenNew: 'If empty, you are the owner.',
    as: 'email',
    shown: false,
  }),
});
export type NewClient = z.input<typeof newClient>;

const checkTogether = (value: Together, context: z.core.$RefinementCtx) => {
  for (const wrong of [...addressFaults(value), ...authenticationFaults(value)])
    context.addIssue({ code: 'custom', ...wrong });
};
/** Definition with rules about several fields. It accepts every existing id, even in a form that new ids cannot have. */
export const checkedClient = client.extend({ clientId: z.string() }).superRefine(checkTogether);
export const checkedNewClient = newClient.superRefine(checkTogether);

export const clientRow = z.strictObject({
  ...client.shape,
  clientId: z.string(),
  disabled: z.boolean(),
  origin: clientOrigin.describe('origin of a client that no one registered'),
  identityChangedAt: z
    .date()
    .nullable()
    .describe(
      'time of the last change that people notice: the name, a redirect address or, in a document, a key',
    ),
  managed: z.boolean().describe('managed by the configuration file: the next apply restores it'),
  ownerId: z.string().nullable(),
  ownerEmail: z.string().nullable(),
  subscriptions: z.int(),
  pending: z.int(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type ClientRow = z.output<typeof clientRow>;

/** A new secret, which is returned once. `id`: missing if it replaced the others. */
export const newSecret = z.strictObject({ id: z.string().optional(), secret: z.string() });

/** Numbers of valid token families and tokens, and of people with one of them, a consent or a delegation. */
export const clientRevocation = z.strictObject({
  tokens: z.int(),
  consents: z.int(),
  delegations: z.int(),
  people: z.int(),
});

/** Returns the kind of a client, which RFC 7591 and OpenID Connect Registration describe by two members. */
export const kindOf = (values: { confidential: boolean; applicationType: string }): ClientKind =>
  values.confidential ? 'confidential' : values.applicationType === 'native' ? 'native' : 'browser';
export const applicationTypeOf = (kind: ClientKind): ApplicationType =>
  kind === 'confidential' ? 'web' : kind;

type Addresses = Pick<
  ClientValues,
  | 'kind'
  | 'redirectUris'
  | 'allowedOrigins'
  | 'privateUseSchemes'
  | 'logoUri'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'subjectType'
  | 'sectorIdentifierUri'
  | 'idJagAudiences'
>;
type Together = Addresses & Pick<ClientValues, keyof typeof authenticationFields>;
type AddressFault = { path: (string | number)[] } & FaultText;

/**
 * Returns the faults of a client's addresses: of each address, of each address for the kind of client, and of all
 * addresses together.
 */
export function addressFaults(addresses: Addresses): AddressFault[] {
  const faults: AddressFault[] = [];
  for (const [at, uri] of addresses.redirectUris.entries()) {
    const again = addresses.redirectUris.indexOf(uri) < at;
    const wrong = again
      ? { message: 'is listed twice' }
      : redirectUriAdvice(uri, applicationTypeOf(addresses.kind), addresses.privateUseSchemes);
    if (wrong) faults.push({ path: ['redirectUris', at], ...wrong });
  }
  for (const [at, origin] of addresses.allowedOrigins.entries()) {
    const wrong = originFault(origin);
    if (wrong) faults.push({ path: ['allowedOrigins', at], ...wrong });
  }
  faults.push(...openIdFaults(addresses, applicationTypeOf(addresses.kind)), ...idJagFaults(addresses));
  const all = [...addresses.redirectUris, ...addresses.allowedOrigins, ...addresses.postLogoutRedirectUris];
  const bytes = Buffer.byteLength(
    [...all, addresses.logoUri, addresses.backchannelLogoutUri, addresses.sectorIdentifierUri].join(''),
  );
  if (bytes > MAX_ADDRESS_BYTES) {
    const text = 'must not exceed {most} bytes, all addresses of the client together';
    faults.push({ path: ['redirectUris'], ...fault(text, { most: MAX_ADDRESS_BYTES }) });
  }
  return faults;
}
