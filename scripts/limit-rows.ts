// The tables of docs/reference/limits.md. Each number is read from its constant in the source, or is the default of its
// setting, so no number is written here. A missing constant is an error.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { settingRows } from '#lib/settings/table.ts';
import { fileKeys } from './file-keys.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const known = sources.get(file) ?? readFileSync(path.join(root, 'lib', `${file}.ts`), 'utf8');
  sources.set(file, known);
  return known;
}

/** Returns the text that the pattern's first group matches. Throws unless there is exactly one match. */
function only(file: string, pattern: RegExp, what: string): string {
  const found = [...sourceOf(file).matchAll(pattern)].map(([, text = '']) => text);
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new Error(`lib/${file}.ts has ${found.length} values of ${what}, not one`);
  return first;
}

/** Computes a product of numbers and constants of the same file, such as `24 * 3600`. */
const productOf = (file: string, text: string): number =>
  text
    .split(' * ')
    .map((factor) => (/^\d/.test(factor) ? Number(factor.replaceAll('_', '')) : constant(file, factor)))
    .reduce((product, factor) => product * factor);

/** Reads the constant `NAME`, or `NAME.member` of an object. */
export function constant(file: string, name: string): number {
  const [object = '', member] = name.split('.');
  const declared = new RegExp(`^(?:export )?const ${object}(?:: \\w+)? = ([^;]*);`, 'gm');
  const text = only(file, declared, object).replace(/ as const$/, '');
  const own = member === undefined ? text : new RegExp(`\\b${member}: ([^,}]+)`).exec(text)?.[1];
  const value = own === undefined ? Number.NaN : productOf(file, own.trim());
  if (!Number.isFinite(value)) throw new Error(`lib/${file}.ts: ${name} is not a number`);
  return value;
}

/** Reads a number within a statement that has no constant. */
const literal = (file: string, pattern: RegExp) =>
  Number(only(file, new RegExp(pattern, 'g'), String(pattern)).replaceAll('_', ''));

/** Default window of limits whose statement sets no other window. */
const usualWindow = () => duration(literal('store/hot/limits', /windowSeconds = (\d+)\): Limit/));

type Row = [what: string, value: string, change: string];

const FIXED = 'fixed';
const inDigits = (value: number) => value.toLocaleString('en');
const counted = (value: number, unit: string) => `${inDigits(value)} ${unit}${value === 1 ? '' : 's'}`;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * Describes a duration in the largest unit without a remainder, if its number is at least two; one hour and one day
 * are `60 minutes` and `24 hours`.
 */
export function duration(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds % size === 0 && seconds / size >= 2);
  return unit ? counted(seconds / unit[1], unit[0]) : counted(seconds, 'second');
}
const lasting = (file: string, name: string) => duration(constant(file, name));
const lastingMs = (file: string, name: string) => duration(constant(file, name) / 1_000);

export const size = (bytes: number) =>
  bytes % 1_024 === 0 ? `${inDigits(bytes / 1_024)} KiB` : `${inDigits(bytes)} bytes`;
const bytesOf = (file: string, name: string) => size(constant(file, name));
const numberOf = (file: string, name: string) => inDigits(constant(file, name));

/** Describes a limit of attempts. `each`: limit for one address; `all`: limit for all callers together. */
function attempts(file: string, name: string): string {
  const [each, window] = [numberOf(file, `${name}.each`), lasting(file, `${name}.windowSeconds`)];
  const [all, allWindow] = [numberOf(file, `${name}.all`), lasting(file, `${name}.allSeconds`)];
  return `${each} from an address in ${window}, ${all} in all in ${allWindow}`;
}

function fileDefault(section: string, key: string): number {
  const text = fileKeys(section)
    .find(([name]) => name === `\`${key}\``)
    ?.at(-1);
  const value = Number(text?.replaceAll('`', '') || Number.NaN);
  if (Number.isNaN(value)) throw new Error(`${section}: ${key} has no number as its default`);
  return value;
}
const ofFile = (section: string, key: string) =>
  `[\`${key}\`](configuration.md#${section})${section === 'apis' ? ' of the API' : ''}`;

function settingDefault(name: string): number {
  const text = settingRows().find(([row]) => row === name)?.[1].unset ?? '';
  const digits = /^`(\d+)`/.exec(text)?.[1];
  if (digits === undefined) throw new Error(`${name} has no number as its default`);
  return Number(digits);
}
const bySetting = (name: string) => `[\`${name}\`](settings.md)`;

const tokensAndCodes = (): Row[] => [
  [
    'Lifetime of an authorization code',
    duration(literal('store/hot/authorize', /code\.seconds \?\? (\d+)/)),
    FIXED,
  ],
  [
    'Lifetime of an access token',
    duration(fileDefault('apis', 'access_token_ttl')),
    ofFile('apis', 'access_token_ttl'),
  ],
  ['Lifetime of an ID token', lasting('store/keys', 'ID_TOKEN_SECONDS'), FIXED],
  ['Lifetime of a logout token', lasting('oauth/back-channel', 'LIFETIME_SECONDS'), FIXED],
  ['Retries of a back-channel logout', lastingMs('oauth/back-channel', 'GIVE_UP_MS'), FIXED],
  [
    'Lifetime of an unused refresh token',
    duration(fileDefault('apis', 'refresh_token_ttl')),
    ofFile('apis', 'refresh_token_ttl'),
  ],
  [
    'Last refresh token of a sign-in, after this sign-in',
    duration(fileDefault('apis', 'refresh_family_ttl')),
    ofFile('apis', 'refresh_family_ttl'),
  ],
  [
    'Time in which a second use of a refresh token revokes nothing',
    duration(literal('store/hot/refresh-tokens', /r\.used_at > now\(\) - interval '(\d+) seconds'/)),
    FIXED,
  ],
  ['Pushed request until its first use', lasting('oauth/par', 'REQUEST_URI_SECONDS'), FIXED],
  ['`request_uri`', counted(constant('oauth/par', 'MAX_REQUEST_URI'), 'character'), FIXED],
  [
    'Authorize request at a broker method, and pushed request',
    counted(constant('oauth/authorize/request', 'MAX_KEPT_CHARACTERS'), 'character'),
    FIXED,
  ],
  ['`state`', size(constant('oauth/authorize/declaration', 'MAX_STATE_BYTES')), FIXED],
  ['`nonce`', bytesOf('oauth/openid', 'MAX_NONCE_BYTES'), FIXED],
  ['Scopes of a request', counted(constant('oauth/rules', 'MAX_LENGTH'), 'character'), FIXED],
  [
    'Claims of a user from a sign-in method',
    `${numberOf('registry/claims', 'MAX_CLAIMS')}, together ${bytesOf('auth-methods/person-claims', 'MAX_BYTES')}`,
    FIXED,
  ],
  ['Claims of a user in a token', bytesOf('oauth/openid', 'MAX_TOKEN_CLAIMS'), FIXED],
  ['Claims in `x-auth-claims` of forward auth', bytesOf('oauth/forward-auth', 'MOST_CLAIMS'), FIXED],
  ['Client assertion', counted(constant('tokens/client-assertion', 'MAX_CHARACTERS'), 'character'), FIXED],
  ['`exp` of a client assertion', `${lasting('tokens/client-assertion', 'MAX_AHEAD_SECONDS')} ahead`, FIXED],
  ['Clock difference of client assertions', lasting('tokens/client-assertion', 'SKEW_SECONDS'), FIXED],
  ['Keys at `jwks_uri` of a client: cached', lastingMs('tokens/client-assertion', 'FRESH_MS'), FIXED],
  [
    'Keys at `jwks_uri` of a client: pause between two fetches',
    lastingMs('tokens/client-assertion', 'COOLDOWN_MS'),
    FIXED,
  ],
  ['DPoP proof', counted(constant('tokens/dpop', 'MAX_CHARACTERS'), 'character'), FIXED],
  [
    '`iat` of a DPoP proof',
    `${lasting('tokens/dpop', 'PAST_SECONDS')} past, ${lasting('tokens/dpop', 'AHEAD_SECONDS')} ahead`,
    FIXED,
  ],
  ['`jti` of a DPoP proof', counted(constant('tokens/dpop', 'MAX_ID_CHARACTERS'), 'character'), FIXED],
  ['ID-JAG of a broker: size', counted(constant('tokens/id-jag', 'MAX_CHARACTERS'), 'character'), FIXED],
  ['ID-JAG of a broker: age', lasting('tokens/id-jag', 'MAX_AGE_SECONDS'), FIXED],
  ['ID-JAG of a broker: lifetime', lasting('tokens/id-jag', 'MAX_LIFETIME_SECONDS'), FIXED],
  [
    'Lifetime of an ID-JAG that Gatehouse issues',
    lasting('oauth/exchange/exchange', 'LIFETIME_SECONDS'),
    FIXED,
  ],
  ['Token exchanges in a row', numberOf('oauth/exchange/exchange', 'MAX_EXCHANGES'), FIXED],
  ['Actors in `act`', numberOf('oauth/exchange/exchange', 'MAX_ACTORS'), FIXED],
  ['Signing key until rotation', counted(constant('keys/keys', 'ROTATE_AFTER_DAYS'), 'day'), FIXED],
  ['Published keys of an algorithm', numberOf('store/keys', 'MAX_PUBLISHED_KEYS'), FIXED],
  [
    'Metadata and JWKS: cached by clients',
    duration(literal('oauth/metadata', /public, max-age=(\d+)/)),
    FIXED,
  ],
  [
    'Time for which gateways cache an answer of forward auth',
    duration(fileDefault('apis', 'verify_cache')),
    ofFile('apis', 'verify_cache'),
  ],
];

const signIn = (): Row[] => [
  ['Sign-in session without use', duration(settingDefault('SESSION_IDLE')), bySetting('SESSION_IDLE')],
  ['Lifetime of a sign-in session', duration(settingDefault('SESSION_MAX')), bySetting('SESSION_MAX')],
  [
    'Sign-in at a broker, until the browser returns',
    lasting('sessions/transaction', 'TRANSACTION_SECONDS'),
    FIXED,
  ],
  ['Age of a sign-in for sensitive changes', lasting('sessions/page-state', 'RECENT_SECONDS'), FIXED],
  ['Wrong passwords', attempts('auth-methods/attempts', 'PASSWORDS'), FIXED],
  [
    'Wrong passwords for an account, for all its names together',
    `${numberOf('auth-methods/attempts', 'OF_ACCOUNT')} in ${usualWindow()}`,
    FIXED,
  ],
  [
    'Wrong passwords for an account from its known browsers',
    `${numberOf('auth-methods/attempts', 'OF_KNOWN_DEVICES')} in ${usualWindow()}`,
    FIXED,
  ],
  [
    'Wrong passwords of a confidential client (password grant)',
    `${inDigits(literal('auth-methods/attempts', /attemptLimit\('client', client, (\d+)\)/))} in ${usualWindow()}`,
    FIXED,
  ],
  ['Password that a user types', bytesOf('kit/typed-password', 'MAX_PASSWORD_BYTES'), FIXED],
  [
    'New password: least length',
    counted(settingDefault('PASSWORD_MIN_LENGTH'), 'character'),
    bySetting('PASSWORD_MIN_LENGTH'),
  ],
  ['New passwords by mailed links', attempts('accounts/password-policy', 'NEW_PASSWORDS'), FIXED],
  ['New passwords by one link', numberOf('accounts/password-policy', 'OF_ONE_LINK'), FIXED],
  [
    'Link to choose a new password',
    counted(constant('catalogue/people/operations', 'RESET_LINK_MINUTES'), 'minute'),
    FIXED,
  ],
  ['Link to confirm an address', lasting('management/mail-links', 'VERIFY_SECONDS'), FIXED],
  [
    'Codes to change an address',
    counted(constant('mail/messages', 'ADDRESS_CHANGE_MINUTES'), 'minute'),
    FIXED,
  ],
  [
    'Code or link of a registration',
    counted(constant('mail/messages', 'REGISTRATION_MINUTES'), 'minute'),
    FIXED,
  ],
  ['Wrong registration codes', attempts('accounts/registration', 'GUESSES'), FIXED],
  ['Mails that users request', attempts('mail/mail', 'MAILS'), FIXED],
  [
    'Lifetime of an invitation',
    counted(constant('catalogue/people/invitations', 'INVITATION_DAYS'), 'day'),
    FIXED,
  ],
  [
    'Time that a registration waits for approval',
    counted(constant('accounts/registration', 'WAITING_DAYS'), 'day'),
    FIXED,
  ],
  [
    'Registrations that wait for approval',
    `${numberOf('accounts/registration', 'MOST.method')} of a method, ${numberOf('accounts/registration', 'MOST.all')} in all`,
    FIXED,
  ],
  ['New registrations that wait for approval', attempts('accounts/registration', 'BEGINNING'), FIXED],
  ['Wrong second factors', attempts('factors/factor', 'FACTORS'), FIXED],
  [
    'Wrong second factors of a user',
    `${numberOf('factors/factor', 'WRONG_ONES')} in ${usualWindow()}`,
    FIXED,
  ],
  ['Wrong one-time codes in a row until the user is notified', numberOf('factors/totp', 'TOLD_AFTER'), FIXED],
  [
    'Wrong one-time codes in a row until codes are disabled',
    numberOf('store/hot/factor-proofs', 'MOST_WRONG_CODES'),
    FIXED,
  ],
  [
    'One-time code',
    `${counted(constant('factors/totp', 'DIGITS'), 'digit')} for ${lasting('factors/totp', 'STEP_SECONDS')}`,
    FIXED,
  ],
  ['Set-up of an authenticator app', lasting('factors/totp', 'PENDING_SECONDS'), FIXED],
  ['Authenticator apps of a user', numberOf('registry/values', 'MOST_TOTPS'), FIXED],
  ['Recovery codes of a user', numberOf('factors/totp', 'CODES'), FIXED],
  ['Passkeys of a user', numberOf('factors/passkeys', 'MAX_PASSKEYS'), FIXED],
  ['Lifetime of a passkey challenge', lasting('factors/passkeys', 'CHALLENGE_SECONDS'), FIXED],
  [
    'Postponement of a required second factor',
    counted(settingDefault('SECOND_FACTOR_GRACE_DAYS'), 'day'),
    bySetting('SECOND_FACTOR_GRACE_DAYS'),
  ],
  [
    'Time without second factor in a trusted browser',
    counted(settingDefault('TRUSTED_BROWSER_DAYS'), 'day'),
    bySetting('TRUSTED_BROWSER_DAYS'),
  ],
  ['Trusted browsers of a user', numberOf('store/hot/sessions', 'MOST_TRUSTED_BROWSERS'), FIXED],
];

const devicesAndMachines = (): Row[] => [
  ['Lifetime of a device code and a user code', lasting('oauth/device', 'CODE_SECONDS'), FIXED],
  [
    'Interval between two polls',
    `${lasting('oauth/device', 'INTERVAL_SECONDS.lasting')}, ${lasting('oauth/device', 'INTERVAL_SECONDS.calledUp')} on Vercel`,
    FIXED,
  ],
  [
    'Longer interval after an early poll',
    `${lasting('oauth/device', 'LONGER_BY_SECONDS')} more, up to ${lasting('oauth/device', 'LONGEST_SECONDS')}`,
    FIXED,
  ],
  ['Devices that wait for a user', attempts('oauth/device', 'WAITING'), FIXED],
  ['Devices of a client that wait for a user', numberOf('oauth/device', 'WAITING_OF_CLIENT'), FIXED],
  ['Wrong user codes', attempts('oauth/device', 'GUESSES'), FIXED],
  [
    'Wrong user codes of a browser',
    `${numberOf('oauth/device', 'GUESSES_OF_BROWSER')} in ${lasting('oauth/device', 'WINDOW_SECONDS')}`,
    FIXED,
  ],
  ['Last refresh token of a device, after the sign-in', lasting('store/hot/codes', 'DEVICE_SECONDS'), FIXED],
  ['Valid tokens of a client in its own name', numberOf('store/hot/access-tokens', 'MOST_LIVING'), FIXED],
  ['Delegations of a user', numberOf('management/delegations', 'MAX_DELEGATIONS'), FIXED],
  ['Duration of a delegation', counted(constant('management/delegations', 'MAX_DAYS'), 'day'), FIXED],
];

const clientsAndDocuments = (): Row[] => [
  [
    'Wrong client secrets of a client from an address',
    `${inDigits(literal('oauth/client', /block\}`, (\d+), WINDOW_SECONDS\)/))} in ${lasting('oauth/client', 'WINDOW_SECONDS')}`,
    FIXED,
  ],
  ['Wrong client secrets of all clients', attempts('oauth/client', 'SECRETS'), FIXED],
  ['Secrets of a client', numberOf('catalogue/clients/operations', 'MAX_SECRETS'), FIXED],
  ['Overlap of two secrets', lasting('catalogue/clients/operations', 'MAX_OVERLAP_SECONDS'), FIXED],
  ['Keys of a client', numberOf('registry/keys', 'MAX_KEYS'), FIXED],
  [
    'Address of a client',
    counted(constant('catalogue/clients/definition', 'MAX_LENGTH'), 'character'),
    FIXED,
  ],
  ['All addresses of a client', bytesOf('catalogue/clients/definition', 'MAX_ADDRESS_BYTES'), FIXED],
  [
    '`client_id` that is the address of a document',
    bytesOf('oauth/client-documents', 'MAX_CLIENT_ID_BYTES'),
    FIXED,
  ],
  ["Size of a client's document", bytesOf('oauth/client-documents', 'MAX_DOCUMENT_BYTES'), FIXED],
  ['Time for the host of a document to answer', lastingMs('oauth/client-documents', 'TIMEOUT_MS'), FIXED],
  [
    'Document: cached',
    `${lastingMs('oauth/client-documents', 'LEAST_MS')} to ${lastingMs('oauth/client-documents', 'MOST_MS')}`,
    '`Cache-Control` of the document',
  ],
  ['Document: used while its host does not answer', lastingMs('oauth/client-documents', 'STALE_MS'), FIXED],
  [
    'Fetches of documents in a minute, of each process',
    `${numberOf('oauth/client-documents', 'SHARES.url')} of an address, ${numberOf('oauth/client-documents', 'SHARES.host')} of a host, ${numberOf('oauth/client-documents', 'SHARES.caller')} for a caller, ${numberOf('oauth/client-documents', 'SHARES.strangers')} in all; ${numberOf('oauth/client-documents', 'SHARES.clients')} more for approved clients`,
    FIXED,
  ],
  [
    'Unregistered clients that wait for an approver',
    `${numberOf('oauth/unregistered', 'MOST.person')} of a user, ${numberOf('oauth/unregistered', 'MOST.host')} of a host, ${numberOf('oauth/unregistered', 'MOST.api')} at an API`,
    FIXED,
  ],
  [
    'New requests of a user for unregistered clients',
    `${numberOf('oauth/unregistered', 'MOST.today')} in a day`,
    FIXED,
  ],
  [
    'Clients that one rule of `auto_approve` approves',
    `${numberOf('oauth/unregistered', 'MOST.rule')} in a day`,
    FIXED,
  ],
  [
    'Registered clients that wait for approval at an API',
    numberOf('oauth/registration', 'MAX_WAITING'),
    FIXED,
  ],
  ['Wrong registration tokens', attempts('oauth/registration', 'WRONG_TOKENS'), FIXED],
  [
    'Unknown tokens at forward auth',
    `${inDigits(constant('oauth/forward-auth', 'SHARES.each') * constant('oauth/forward-auth', 'OF_SHARE'))} from an address in ${lasting('oauth/forward-auth', 'WINDOW_SECONDS')}; each process counts in steps of ${numberOf('oauth/forward-auth', 'OF_SHARE')}, so that up to 3,000 can pass in ten minutes`,
    FIXED,
  ],
];

const management = (): Row[] => [
  ['Clients of a developer', numberOfSetting('CLIENTS_PER_OWNER'), bySetting('CLIENTS_PER_OWNER')],
  [
    'Names and addresses of a developer',
    `${bytesOf('management/operations', 'BYTES_EACH')} for each allowed client`,
    bySetting('CLIENTS_PER_OWNER'),
  ],
  [
    'Subscriptions of a developer',
    `${numberOf('management/operations', 'SUBSCRIPTIONS_EACH')} for each allowed client`,
    bySetting('CLIENTS_PER_OWNER'),
  ],
  [
    'Changes by a developer',
    `${numberOfSetting('EDITS_PER_MINUTE')} in a minute, ${numberOf('management/operations', 'HOUR.times')} times as many in an hour`,
    bySetting('EDITS_PER_MINUTE'),
  ],
  [
    'Rows of a page of a list',
    `${numberOf('management/lists', 'DEFAULT_LIMIT')}, at most ${numberOf('management/lists', 'MAX_LIMIT')}`,
    '`limit` of the request',
  ],
  ['Decisions in one bulk action', numberOf('catalogue/subscriptions/operations', 'MOST_AT_ONCE'), FIXED],
  [
    'Time in which a decision can be undone',
    lasting('catalogue/subscriptions/operations', 'UNDO_SECONDS'),
    FIXED,
  ],
  ['Invitations in one request', numberOf('catalogue/people/invitations', 'MAX_AT_ONCE'), FIXED],
  ['Groups', numberOf('catalogue/groups/definition', 'MOST_GROUPS'), FIXED],
  [
    'Groups that a user is added to by hand',
    numberOf('catalogue/groups/definition', 'MOST_GROUPS_OF_PERSON'),
    FIXED,
  ],
  ['Searches of a user', `${numberOf('management/find', 'SEARCHES.most')} in ${usualWindow()}`, FIXED],
  [
    'Token inspections of a user',
    `${numberOf('management/find', 'INSPECTIONS.most')} in ${usualWindow()}`,
    FIXED,
  ],
  ['Refused requests under _Requests_, of each client', numberOf('store/refusals', 'KEPT'), FIXED],
  [
    'Events in the audit log',
    counted(settingDefault('AUDIT_RETENTION_DAYS'), 'day'),
    bySetting('AUDIT_RETENTION_DAYS'),
  ],
  ['Changed values in an audit event', bytesOf('audit/audit-log', 'MAX_DIFF_BYTES'), FIXED],
  ['Body of a request', bytesOf('http/message', 'BODY_LIMIT_BYTES'), FIXED],
  ['Parameters of a request', numberOf('http/params', 'MAX_PARAMETERS'), FIXED],
  [
    'Time to send the headers',
    duration(literal('http/node-door', /headersTimeout: ([\d_]+)/) / 1_000),
    FIXED,
  ],
  ['Time to send a request', duration(literal('http/node-door', /requestTimeout: ([\d_]+)/) / 1_000), FIXED],
  [
    'Time for another service to answer',
    lastingMs('outbound/fetch', 'MAX_MILLISECONDS'),
    'a shorter [`timeout_ms`](configuration.md#auth_methods) of the method',
  ],
  ['Size of the answer of another service', bytesOf('outbound/fetch', 'MAX_BYTES'), FIXED],
  [
    'Pause after failures of another service',
    `${lastingMs('outbound/fetch', 'PAUSE_MILLISECONDS')} after ${numberOf('outbound/fetch', 'FAILURES')} in a row`,
    FIXED,
  ],
  [
    'Time between `SIGTERM` and the end of listening',
    duration(settingDefault('DRAIN_SECONDS')),
    bySetting('DRAIN_SECONDS'),
  ],
];
const numberOfSetting = (name: string) => inDigits(settingDefault(name));

const picturesAndTexts = (): Row[] => [
  ['Size of a logo', bytesOf('registry/brand', 'MAX_LOGO_BYTES'), FIXED],
  ['Side of a logo (PNG, JPEG, WebP, GIF)', counted(constant('pictures/limits', 'MAX_SIDE'), 'pixel'), FIXED],
  [
    'Sides of the stored logos',
    `${numberOf('pictures/limits', 'SIDES.small')} and ${counted(constant('pictures/limits', 'SIDES.large'), 'pixel')}`,
    FIXED,
  ],
  [
    'Cost of drawing a logo',
    `${numberOf('pictures/limits', 'BUDGET.cpuMs')} ms of CPU, ${numberOf('pictures/limits', 'BUDGET.bytes')} bytes of memory`,
    FIXED,
  ],
  ['Least contrast of an accent colour', `${constant('registry/brand', 'LEAST_CONTRAST')} to 1`, FIXED],
  ['Own texts of an API or a client', bytesOf('registry/own-texts', 'MAX_BYTES'), FIXED],
  ['Logo that an export embeds', bytesOf('config/brands', 'SMALL_BYTES'), FIXED],
  ['Logos that an export embeds', numberOf('config/brands', 'MOST'), FIXED],
  ['Name of a factor or a browser', counted(constant('factors/factor', 'LONGEST_NAME'), 'character'), FIXED],
  ['Languages of a text', numberOf('registry/display-text', 'MAX_LANGUAGES'), FIXED],
];

export const LIMITS: readonly (readonly [name: string, rows: () => Row[]])[] = [
  ['tokens', tokensAndCodes],
  ['sign-in', signIn],
  ['devices', devicesAndMachines],
  ['clients', clientsAndDocuments],
  ['management', management],
  ['pictures', picturesAndTexts],
];
