// Kind for a federated OpenID Connect or OAuth 2.0 provider, to which users are redirected.
// lib/auth-methods/broker.ts sends the requests.

import { z } from 'zod';
import { checkFault, type FaultText, fault } from '#lib/kit/fault.ts';
import { reservedFault } from '#lib/registry/claims.ts';
import { field } from '#lib/registry/definition.ts';
import {
  choiceOf,
  combinedWith,
  noMoreThan,
  readable,
  scopeName,
  tooLong,
  webAddress,
} from '#lib/registry/values.ts';
import {
  type ConfigFault,
  describedPeople,
  type MethodConfig,
  type MethodKind,
  privateNetwork,
  secondFactorElsewhere,
  timeout,
} from '../kind.ts';
import { PRESET_KEYS, PRESET_NAMES, PRESETS, presetOf, provesClaim, withPreset } from './presets.ts';
import { brokerProbes, brokerRemarks } from './probes.ts';
import {
  hasSeveralTenants,
  isGuid,
  isPrivateKey,
  MICROSOFT,
  namedWithTid,
  SEVERAL,
  signedSecret,
  signingKeyPem,
  tenantNamed,
} from './tenants.ts';

// Additional parameters for the authorization endpoint of a broker.

/** Parameters that Gatehouse sets at each sign-in, or that would replace the whole request (RFC 9101). */
const OURS = new Set([
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'login_hint', 'max_age', 'prompt'],
  ...['request', 'request_uri'],
]);
const MAX_PARAMETERS = 20;

const parameterName = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters')
  .superRefine((name, context) => {
    if (OURS.has(name)) context.addIssue({ code: 'custom', ...reservedFault(name) });
  });
const parameterValue = readable(z.string().min(1, 'must not be empty').max(1000, tooLong(1000)), 'line');

const authorizationParameters = z
  .record(parameterName, parameterValue, 'must be keys and values')
  .refine(
    (parameters) => Object.keys(parameters).length <= MAX_PARAMETERS,
    fault('must not be more than {most} parameters', { most: MAX_PARAMETERS }),
  );

// The configuration of a broker: an OpenID Connect provider by its issuer, or plain OAuth 2.0 by its addresses.

const text = readable(z.string().min(1, 'must not be empty'), 'line');
const optionalUrl = webAddress.optional();
const sharedCallback = z
  .boolean()
  .optional()
  .describe(
    'The broker redirects to {base_url}/auth/callback/broker instead of the address of this method. Default: the stored value, or false for a new method',
  );

const guid = z.string().refine(isGuid, 'must be the id of a tenant');
const hostName = z
  .string()
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i,
    'must be a domain, such as example.com',
  );
/** An issuer identifier has no query (RFC 9207 §2). */
const answerIssuer = webAddress
  .refine((value) => !value.includes('?'), 'must not have a query')
  .optional()
  .describe(
    'Plain OAuth 2.0: the iss of the broker’s responses (RFC 9207). Default: the origin of token_endpoint',
  );
const PROOFS_GROUP = 'Proof that a response is for us';
const TOKEN_AUTH = ['client_secret_basic', 'client_secret_post'] as const;
const tokenAuth = choiceOf(TOKEN_AUTH)
  .optional()
  .describe(
    'Client authentication of Gatehouse at the token endpoint. Default: as in the provider’s metadata',
  );
const unlessFalse = (what: string) =>
  z
    .boolean()
    .optional()
    .describe(`false: no ${what} is sent, for a provider that does not support it. Requires client_secret`);
const answerMode = z
  .enum(['form_post'], 'must be form_post')
  .optional()
  .describe('form_post: the browser posts the response as a form. Default: the response is in the address');

/**
 * The form first asks whether the broker uses OpenID Connect or plain OAuth 2.0. `config` then contains the keys of
 * the selected protocol.
 */
const OPENID_OR_PLAIN = {
  field: {
    name: 'speaks',
    label: 'Provider protocol',
    choices: {
      openid: {
        label: 'OpenID Connect',
        note: 'The provider has an issuer and publishes its other settings.',
      },
      oauth: { label: 'Plain OAuth 2.0', note: 'Enter the provider’s addresses, such as those of GitHub.' },
    },
  },
  chosen: (config) => ('token_endpoint' in config ? 'oauth' : 'openid'),
} as const satisfies MethodKind['choice'];
const OPENID = { of: OPENID_OR_PLAIN.field.name, is: 'openid' };
const PLAIN = { of: OPENID_OR_PLAIN.field.name, is: 'oauth' };

const brokerConfig = z.strictObject({
  preset: z
    .enum(PRESET_NAMES, checkFault('must be {values}', { values: PRESET_NAMES }))
    .optional()
    .describe('A provider with known settings. Explicit keys take precedence'),
  tenant: field(
    text
      .max(100, tooLong(100))
      .optional()
      .describe(
        'Preset microsoft: the id of the tenant. Or one of the words organizations and common, which require the key tenants',
      ),
    'Tenant',
    {
      hint: 'The tenant’s id; or organizations or common, if people of several tenants can sign in.',
      as: 'code',
    },
  ),
  tenants: field(
    z
      .union(
        [z.literal('any'), z.array(guid).min(1, 'must not be empty').max(100, noMoreThan(100))],
        'must be any or a list of tenants',
      )
      .optional()
      .describe('Preset microsoft: the ids of the tenants whose users can sign in, or any'),
    'Tenants whose people can sign in',
    { hint: 'Tenant ids separated by spaces, or any. If empty, the tenant above is used.', as: 'words' },
  ),
  domains: field(
    z
      .array(hostName)
      .min(1, 'must not be empty')
      .max(100, noMoreThan(100))
      .optional()
      .describe('Preset google: the Workspace domains whose users can sign in. Default: everyone'),
    'Domains whose people can sign in',
    {
      hint: 'Separated by spaces. If empty, everyone with an account at the provider can sign in.',
      as: 'words',
    },
  ),
  base_url: field(
    optionalUrl.describe('Preset github, gitlab or adfs: the origin of your own server'),
    'Address of your own server',
    { hint: 'For example https://git.example. If empty, the public server is used.', as: 'url' },
  ),
  issuer: field(
    optionalUrl.describe(
      'The OpenID Connect issuer of the broker. Gatehouse reads the broker’s addresses from the metadata of this issuer',
    ),
    'Issuer',
    {
      hint: 'Everything else is read from the issuer’s metadata.',
      as: 'url',
      under: OPENID,
    },
  ),
  client_id: field(
    text.max(1000, tooLong(1000)).describe('Client id of Gatehouse at the provider'),
    'Client id at the provider',
    {
      hint: 'The redirect address to register at the provider is on the method’s page.',
      as: 'code',
    },
  ),
  scopes: field(
    z
      .array(scopeName)
      .optional()
      .describe('Scopes to request. Default: openid email profile with issuer, otherwise none'),
    'Requested scopes',
    {
      hint: 'Separated by spaces.',
      as: 'words',
    },
  ),
  authorization_endpoint: field(
    optionalUrl.describe('Instead of issuer, for plain OAuth 2.0: the address where people sign in'),
    'Authorization address',
    { as: 'url', under: PLAIN },
  ),
  token_endpoint: field(
    optionalUrl.describe('Plain OAuth 2.0: the address that redeems codes'),
    'Token address',
    {
      as: 'url',
      under: PLAIN,
    },
  ),
  userinfo_endpoint: field(
    optionalUrl.describe('Plain OAuth 2.0: the address that returns the person who signed in'),
    'Userinfo address',
    { as: 'url', under: PLAIN },
  ),
  emails_endpoint: field(
    optionalUrl.describe(
      'Plain OAuth 2.0: the address of the person’s list of email addresses, of which the primary verified one is used',
    ),
    'Address of the email address list',
    {
      hint: 'If empty, the address is taken from the userinfo response.',
      as: 'url',
      under: PLAIN,
    },
  ),
  answer_issuer: field(answerIssuer, 'Issuer in responses', {
    hint: 'The iss that the provider returns, such as https://github.com/login/oauth. If empty, it must be the origin of the token address.',
    as: 'url',
    under: PLAIN,
  }),
  subject_claim: field(
    text
      .max(200, tooLong(200))
      .optional()
      .describe(
        'The identifier of the person. With issuer: a claim of the ID token, by default sub. Plain OAuth 2.0: a member of the userinfo response',
      ),
    'Claim that identifies the person',
    {
      hint: 'A claim of the ID token, usually sub. With plain OAuth 2.0, a claim of the userinfo response: data.id is the member id of data.',
      as: 'code',
    },
  ),
  signed_secret: field(
    signedSecret
      .optional()
      .describe('Instead of client_secret: a secret that is signed for each call, as Apple requires'),
    'Key for signing our client secret',
    {
      hint: 'As JSON, with team_id and key_id. The key itself is our client secret below.',
      placeholder: '{"team_id": "ABCDE12345", "key_id": "FGHIJ67890"}',
      as: 'json',
    },
  ),
  token_endpoint_auth_method: field(tokenAuth, 'Client authentication at the provider', {
    choices: {
      '': {
        label: 'As the provider specifies',
        note: 'HTTP Basic if the provider’s metadata allow it, otherwise the body.',
      },
      client_secret_basic: {
        label: 'HTTP Basic',
        note: 'Both values are form-encoded first (RFC 6749 §2.3.1).',
      },
      client_secret_post: { label: 'In the body', note: 'For a provider that does not decode HTTP Basic.' },
    },
  }),
  answer: field(answerMode, 'Response mode', {
    choices: {
      '': { label: 'In the address', note: 'The default.' },
      form_post: {
        label: 'By a form',
        note: 'Apple responds this way if a name or an address is requested.',
      },
    },
  }),
  authorization_parameters: field(
    authorizationParameters
      .optional()
      .describe(
        'Additional parameters of the authorize request, such as {access_type: offline}. Parameters that are always sent are not allowed',
      ),
    'Additional parameters of the authorization address',
    {
      hint: 'As JSON. Parameters that are always sent, such as scope or state, are not allowed.',
      placeholder: '{"access_type": "offline"}',
      as: 'json',
    },
  ),
  timeout_ms: timeout,
  ...describedPeople,
  nonce: field(unlessFalse('nonce'), 'Send a nonce', {
    note: 'Disable this only if the provider’s ID tokens have no nonce. Disabling requires our client secret at the provider.',
    group: PROOFS_GROUP,
  }),
  pkce: field(unlessFalse('code_challenge (PKCE)'), 'Send a code challenge (PKCE)', {
    note: 'Disable this only if the provider cannot handle PKCE. Disabling requires our client secret at the provider.',
    group: PROOFS_GROUP,
  }),
  second_factor: secondFactorElsewhere,
  shared_callback: field(sharedCallback, 'People still return to /auth/callback/broker', {
    note: 'The address that all brokers can use. Register the method’s own address at the provider before you disable this setting.',
    group: 'Where people return to',
    only: 'change',
  }),
  allow_private_network: privateNetwork,
});

// Requirements of a preset on other keys.

const ADDRESSES = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
function presetFaults(config: MethodConfig): ConfigFault[] {
  const preset = presetOf(config);
  const isSaid = (key: string) => config[key] !== undefined;
  const faults: ConfigFault[] = [];
  const addFault = (key: string, wrong: FaultText) => faults.push({ path: [key], ...wrong });
  for (const key of PRESET_KEYS.filter(isSaid)) {
    const having = PRESET_NAMES.filter((name) => (PRESETS[name].own as readonly string[]).includes(key));
    if (!preset?.own.includes(key))
      addFault(key, fault('is only for the preset {choices}', { choices: having }));
  }
  if (!preset) return faults;
  for (const key of preset.needs ?? [])
    if (!isSaid(key)) addFault(key, fault('is missing: the preset needs {value}', { value: key }));
  const filled = preset.fills(config);
  if (isSaid('issuer')) addFault('issuer', combinedWith('preset'));
  if (filled['issuer'] !== undefined)
    for (const key of ADDRESSES.filter(isSaid)) addFault(key, combinedWith('preset'));
  for (const key of ['nonce', 'pkce'])
    if (config[key] === false && filled[key] !== false)
      addFault(key, { message: 'must not be false with this preset: the provider supports it' });
  if (isSaid('base_url') && !isSite(config['base_url']))
    addFault(
      'base_url',
      fault('must be an origin, without a path: {value}', { value: 'https://git.example' }),
    );
  if (preset.own.includes('tenants')) faults.push(...microsoftFaults(config));
  return faults;
}

function isSite(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { pathname, search, origin } = new URL(value);
  return pathname === '/' && search === '' && value.replace(/\/$/, '') === origin;
}

function microsoftFaults({ tenant: one, tenants: listed }: MethodConfig): ConfigFault[] {
  const at = (key: string, message: string): ConfigFault[] => [{ path: [key], message }];
  const several = SEVERAL.some((name) => name === one);
  if (one === undefined && listed === undefined)
    return at('tenant', 'is missing: the preset needs tenant or tenants');
  if (one !== undefined && !several && !isGuid(one))
    return at('tenant', 'must be the id of a tenant, organizations or common');
  if (several && listed === undefined)
    return at('tenants', 'is missing: set it to a list of tenants, or to any if every tenant can sign in');
  if (listed === 'any' && !several)
    return at('tenants', 'must be a list unless tenant is organizations or common');
  if (one !== undefined && !several && listed !== undefined)
    return at('tenants', 'cannot be combined with the id of a tenant');
  return [];
}

// Faults that concern several keys of a broker: it requires an issuer, or four keys of plain OAuth 2.0.

const PLAIN_OAUTH = [...ADDRESSES, 'subject_claim'];
/** Keys that are optional, and valid only for plain OAuth 2.0. */
const PLAIN_ALONE = ['answer_issuer', 'emails_endpoint'];
/** Values that protect responses of a sign-in against injection. Without them, a client secret is required. */
const PROOFS = ['nonce', 'pkce'];

/** Matches an issuer that was written as the address of its metadata. */
const WELL_KNOWN = /\/\.well-known\/.*$/;

function brokerFaults(config: MethodConfig): ConfigFault[] {
  const faults = presetFaults(config);
  // faults of the preset come first: without valid keys, the preset's defaults cannot be computed
  if (faults.length === 0) faults.push(...faultsOfWhole(withPreset(config)));
  return faults;
}

function faultsOfWhole(config: MethodConfig): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const { issuer } = config;
  if (typeof issuer === 'string' && WELL_KNOWN.test(issuer))
    faults.push({ path: ['issuer'], message: 'must be the issuer itself: remove /.well-known/…' });
  const others =
    'issuer' in config ? [...PLAIN_ALONE, ...ADDRESSES].filter((key) => isSaid(config, key)) : [];
  const missing = 'issuer' in config ? [] : PLAIN_OAUTH.filter((key) => !(key in config));
  for (const key of others) faults.push({ path: [key], ...combinedWith('issuer') });
  for (const key of missing)
    faults.push({ path: [key], message: 'is missing: a broker needs issuer, or all four of these' });
  for (const key of PROOFS)
    if (config[key] === false && config['shared_callback'] === true)
      faults.push({ path: [key], message: 'must not be false with the shared redirect address' });
  return faults;
}

const isSaid = (config: MethodConfig, key: string) => config[key] !== undefined;

/** Returns faults of the secret. `hasSecret`: the secret was sent, or is already stored. */
function brokerSecretFaults(
  config: MethodConfig,
  { hasSecret, secret }: { hasSecret: boolean; secret: string | undefined },
): ConfigFault[] {
  const whole = withPreset(config);
  const faults = PROOFS.filter((key) => whole[key] === false && !hasSecret).map((key) =>
    config[key] === false
      ? { path: [key], message: 'must not be false without a client secret' }
      : { path: ['preset'], message: 'needs a client secret' },
  );
  const signs = config['signed_secret'] !== undefined;
  if (!signs && secret !== undefined && isPrivateKey(secret))
    faults.push({ path: ['signed_secret'], message: 'is missing' });
  if (signs && (secret === undefined ? !hasSecret : signingKeyPem(secret) === null))
    faults.push({
      path: ['signed_secret'],
      message: 'needs a private key of P-256 (PKCS#8), as it was downloaded',
    });
  return faults;
}

/** The issuer, even if the configuration contains the address of its metadata. */
const namedIssuer = ({ issuer }: MethodConfig): unknown =>
  typeof issuer === 'string' ? issuer.replace(WELL_KNOWN, '') : issuer;

/**
 * Returns the values that identify the provider (`whoAnswers`). They do not include the list of tenants,
 * because a further tenant does not change the identities of users.
 */
function whoAnswersAt(config: MethodConfig): readonly unknown[] {
  const whole = withPreset(config);
  if (namedWithTid(config)) return [MICROSOFT, whole['userinfo_endpoint'], `tid/${whole['subject_claim']}`];
  const claim = whole['subject_claim'];
  // an ID token identifies users by `sub`
  const named = 'issuer' in whole && claim === 'sub' ? undefined : claim;
  return [namedIssuer(whole), whole['userinfo_endpoint'], named];
}

const BROKER_SCOPES = ['openid', 'email', 'profile'];

export const brokerKind = {
  type: 'broker',
  capabilities: { asksPassword: false, redirects: true, hasAccounts: false, tellsProfile: true },
  words: {
    label: 'Broker',
    note: 'People sign in at an OpenID Connect or OAuth 2.0 provider.',
    catalogue: 'federated',
  },
  config: brokerConfig,
  secret: {
    key: 'client_secret',
    label: 'Client secret at the provider',
    signing: { in: 'signed_secret', key: 'private_key' },
  },
  addresses: [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'emails_endpoint',
    'base_url',
  ],
  faults: brokerFaults,
  secretFaults: brokerSecretFaults,
  unsaid: { nonce: true, pkce: true },
  whole: withPreset,
  whoAnswers: whoAnswersAt,
  provesClaim,
  hasTenants: hasSeveralTenants,
  tenantOf: tenantNamed,
  defaultsInFile: ({ name, scopes, issuer, preset, shared_callback }) => ({
    ...(name === undefined && preset !== undefined && { name: presetOf({ preset })?.label }),
    scopes: scopes ?? (preset ? null : issuer ? BROKER_SCOPES : []),
    // the database stores false as null; if the file omits the key, the stored value stays
    shared_callback: shared_callback === false ? null : shared_callback,
  }),
  choice: OPENID_OR_PLAIN,
  remarks: brokerRemarks,
  probes: brokerProbes,
} as const satisfies MethodKind;
