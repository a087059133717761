// Settings of well-known providers, which a method with a preset can omit. The presets contain only data, and
// functions of the method's keys. The subject claim of a preset never changes, because users would get different
// subjects.
import type { MethodConfig } from '../kind.ts';
import { authorityOf, MICROSOFT } from './tenants.ts';

// Type of a preset, and helper functions for presets.

export type Preset = {
  /** default name for methods with this preset */
  label: string;
  /** keys that the form asks for, besides client id and secret */
  own: readonly string[];
  /** the keys in `own` that are required */
  needs?: readonly string[];
  /** returns the values that the method can omit */
  fills: (config: MethodConfig) => MethodConfig;
  /** address at which an application is registered at the provider */
  registration: string;
  /** steps at the provider, besides registering the redirect address */
  steps: readonly string[];
  /** true: the provider is authoritative for this verified address; if the function is missing: for every verified address */
  answersFor?: (email: string, claims: Readonly<Record<string, unknown>>) => boolean;
  /**
   * claims that the provider's administrators control, under their names at the provider; `all`: the provider belongs
   * to the organisation. Users can set any other claim.
   */
  controls: readonly string[] | 'all';
  /** the provider sends the user's name only once, in the form field `user` */
  namesInForm?: true;
  /** requests to userinfo also contain a proof of the client secret (`appsecret_proof`) */
  sendsProof?: true;
  /** the version of the provider's API, and the date on which the provider shuts this version down */
  ends?: { version: string; on: string };
};

const USUAL_SCOPES = ['openid', 'email', 'profile'];
const textOf = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
const baseOf = (config: MethodConfig, otherwise: string) =>
  textOf(config['base_url'], otherwise).replace(/\/$/, '');
const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

// Presets of services with personal accounts. Their subject claims never change.

/** https://developers.facebook.com/docs/graph-api/changelog/versions */
const GRAPH = { version: 'v25.0', on: '2028-07-29' };

const SOCIAL_PRESETS = {
  facebook: {
    label: 'Facebook',
    controls: ['id'],
    own: [],
    fills: () => ({
      authorization_endpoint: `https://www.facebook.com/${GRAPH.version}/dialog/oauth`,
      token_endpoint: `https://graph.facebook.com/${GRAPH.version}/oauth/access_token`,
      // the address contains no version, because it is part of the identity of users: a new address would replace
      // every subject
      userinfo_endpoint: 'https://graph.facebook.com/me?fields=id,name,email,picture',
      subject_claim: 'id',
      scopes: ['email'],
      claims: { picture: 'picture.data.url' },
    }),
    registration: 'https://developers.facebook.com/apps',
    steps: [
      'Register an app at the provider, with the use case “Facebook Login”.',
      'Add the redirect address above under “Valid OAuth Redirect URIs”.',
      'Copy the app ID and the app secret here.',
    ],
    sendsProof: true,
    ends: GRAPH,
  },
  linkedin: {
    label: 'LinkedIn',
    controls: [],
    own: [],
    fills: () => ({
      issuer: 'https://www.linkedin.com/oauth',
      scopes: USUAL_SCOPES,
      token_endpoint_auth_method: 'client_secret_post',
      nonce: false,
      pkce: false,
    }),
    registration: 'https://www.linkedin.com/developers/apps',
    steps: [
      'Register an app at the provider, and add the product “Sign In with LinkedIn using OpenID Connect”.',
      'Add the redirect address above under “Authorized redirect URLs”.',
      'Copy the client ID and the client secret here.',
    ],
  },
  discord: {
    label: 'Discord',
    controls: ['id'],
    own: [],
    fills: () => ({
      authorization_endpoint: 'https://discord.com/api/oauth2/authorize',
      token_endpoint: 'https://discord.com/api/oauth2/token',
      userinfo_endpoint: 'https://discord.com/api/users/@me',
      subject_claim: 'id',
      scopes: ['identify', 'email'],
      claims: { name: 'global_name', preferred_username: 'username', email_verified: 'verified' },
    }),
    registration: 'https://discord.com/developers/applications',
    steps: [
      'Register an application at the provider.',
      'Add the redirect address above under “Redirects”.',
      'Copy the client ID and the client secret here.',
    ],
  },
  x: {
    label: 'X',
    controls: ['data.id'],
    own: [],
    fills: () => ({
      authorization_endpoint: 'https://x.com/i/oauth2/authorize',
      token_endpoint: 'https://api.x.com/2/oauth2/token',
      userinfo_endpoint: 'https://api.x.com/2/users/me?user.fields=profile_image_url',
      subject_claim: 'data.id',
      scopes: ['users.read', 'tweet.read'],
      token_endpoint_auth_method: 'client_secret_basic',
      claims: {
        name: 'data.name',
        preferred_username: 'data.username',
        picture: 'data.profile_image_url',
      },
    }),
    registration: 'https://developer.x.com/en/portal/dashboard',
    steps: [
      'Register an application at the provider as a “Web App”, and set up “User authentication”.',
      'Set the redirect address above as its “Callback URI”.',
      'Copy the client ID and the client secret here.',
    ],
  },
} as const satisfies Record<string, Preset>;

/** Parameters that tell Google which domain is expected. The response is checked in any case. */
function hintOf(config: MethodConfig): MethodConfig {
  const [first, ...others] = listOf(config['domains']);
  if (first === undefined) return {};
  return { authorization_parameters: { hd: others.length === 0 ? first : '*' } };
}

export const PRESETS = {
  google: {
    label: 'Google',
    controls: ['hd'],
    own: ['domains'],
    fills: (config) => ({
      issuer: 'https://accounts.google.com',
      scopes: USUAL_SCOPES,
      ...hintOf(config),
    }),
    registration: 'https://console.cloud.google.com/auth/clients',
    steps: [
      'Create a client of the type “Web application” at the provider.',
      'Add the redirect address above under “Authorized redirect URIs”.',
      'Copy the client ID and the client secret here.',
    ],
    answersFor: (email, { hd }) => /@gmail\.com$/i.test(email) || (typeof hd === 'string' && hd !== ''),
  },
  microsoft: {
    label: 'Microsoft',
    controls: ['groups', 'roles', 'wids', 'tid', 'oid', 'upn', 'acct', 'onprem_sid', 'ctry', 'tenant_ctry'],
    own: ['tenant', 'tenants'],
    fills: (config) => ({
      issuer: `${MICROSOFT}/${authorityOf(config)}/v2.0`,
      scopes: USUAL_SCOPES,
      subject_claim: 'oid',
      // the administrator of a tenant can type any address; `xms_edov` is true only if the owner of the domain
      // confirmed it
      claims: { email_verified: 'xms_edov' },
    }),
    registration: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    steps: [
      'Register an application at the provider, with the account types that your people have.',
      'Add the redirect address above for the platform “Web”.',
      'Create a secret under “Certificates & secrets” and copy its value here, with the application (client) ID.',
      'Copy the directory (tenant) ID here.',
      'To trust verified addresses, add the optional claim xms_edov to the ID token.',
    ],
  },
  apple: {
    label: 'Apple',
    controls: [],
    own: ['signed_secret'],
    fills: () => ({
      issuer: 'https://appleid.apple.com',
      scopes: ['openid', 'name', 'email'],
      answer: 'form_post',
      token_endpoint_auth_method: 'client_secret_post',
      pkce: false,
    }),
    registration: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
    steps: [
      'Register a Services ID at the provider, which is our client id, and turn on “Sign in with Apple” for it.',
      'Add the redirect address above under “Return URLs”, and its host under “Domains and Subdomains”.',
      'Create a key for “Sign in with Apple” under “Keys” and download it: it can be downloaded only once.',
      'Copy the team ID, the key ID and the text of the downloaded file here.',
    ],
    namesInForm: true,
  },
  github: {
    label: 'GitHub',
    controls: ['id', 'site_admin', 'ldap_dn'],
    own: ['base_url'],
    fills: (config) => {
      const site = baseOf(config, 'https://github.com');
      const api = config['base_url'] === undefined ? 'https://api.github.com' : `${site}/api/v3`;
      return {
        authorization_endpoint: `${site}/login/oauth/authorize`,
        token_endpoint: `${site}/login/oauth/access_token`,
        userinfo_endpoint: `${api}/user`,
        emails_endpoint: `${api}/user/emails?per_page=100`,
        answer_issuer: `${site}/login/oauth`,
        subject_claim: 'id',
        scopes: ['read:user', 'user:email'],
        claims: { preferred_username: 'login', picture: 'avatar_url' },
      };
    },
    registration: 'https://github.com/settings/developers',
    steps: [
      'Register an OAuth app at the provider.',
      'Set the redirect address above as its “Authorization callback URL”.',
      'Create a client secret and copy it here, with the client ID.',
    ],
  },
  gitlab: {
    label: 'GitLab',
    controls: [
      ...['groups', 'groups_direct'],
      ...['owner', 'maintainer', 'developer'].map((role) => `https://gitlab.org/claims/groups/${role}`),
    ],
    own: ['base_url'],
    fills: (config) => ({ issuer: baseOf(config, 'https://gitlab.com'), scopes: USUAL_SCOPES }),
    registration: 'https://gitlab.com/-/user_settings/applications',
    steps: [
      'Add a confidential application at the provider, with the scopes openid, email and profile.',
      'Set the redirect address above as its “Redirect URI”.',
      'Copy the application ID and the secret here.',
    ],
  },
  ...SOCIAL_PRESETS,
  adfs: {
    label: 'AD FS',
    controls: 'all',
    own: ['base_url'],
    needs: ['base_url'],
    fills: (config) => ({
      issuer: `${baseOf(config, '')}/adfs`,
      scopes: USUAL_SCOPES,
      claims: { preferred_username: 'upn', groups: 'group' },
    }),
    registration:
      'https://learn.microsoft.com/windows-server/identity/ad-fs/development/ad-fs-openid-connect-oauth-concepts',
    steps: [
      'Add an application group at the provider: a server application that accesses a web API, with one identifier for both.',
      'Set the redirect address above as its “Redirect URI”.',
      'Give the web API the scopes openid, email and profile.',
      'Copy the client ID and the client secret here.',
    ],
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

export const presetName = (config: MethodConfig): PresetName | null =>
  PRESET_NAMES.find((name) => name === config['preset']) ?? null;

export function presetOf(config: MethodConfig): Preset | null {
  const name = presetName(config);
  return name === null ? null : PRESETS[name];
}

/** Keys that only certain presets have. The forms of other presets omit these fields. */
export const PRESET_KEYS = [
  ...new Set(PRESET_NAMES.flatMap((name): readonly string[] => PRESETS[name].own)),
].filter((key) => key !== 'signed_secret');

/** Keys that contain maps. An entry in the configuration overrides only the default of that entry. */
const MAPS = ['claims', 'authorization_parameters'];

/** Adds the defaults of the preset. Keys in the configuration take precedence. */
export function withPreset(config: MethodConfig): MethodConfig {
  const filled = presetOf(config)?.fills(config);
  if (!filled) return config;
  const maps = MAPS.filter((key) => filled[key] !== undefined).map((key) => [
    key,
    { ...(filled[key] as object), ...(config[key] as object | undefined) },
  ]);
  return { ...filled, ...config, ...Object.fromEntries(maps) };
}

/** The preset of a method without `preset`, recognized by its addresses, for example github.com. */
function presetAt(config: MethodConfig): Preset | null {
  const hostOf = ({ issuer, authorization_endpoint: endpoint }: MethodConfig) => {
    const address = String(issuer ?? endpoint ?? '');
    return URL.canParse(address) ? new URL(address).host : null;
  };
  const host = hostOf(config);
  const name = PRESET_NAMES.find(
    (presetKey) => host !== null && hostOf(PRESETS[presetKey].fills({})) === host,
  );
  return name === undefined ? null : PRESETS[name];
}

/** Names of Microsoft's directory extensions, which only administrators can write. */
const EXTENSION = /^extn\.|^extension_/;

/**
 * Returns true if the administrators of the provider control the claim. `member`: name of the claim at the provider.
 */
export function provesClaim(config: MethodConfig, member: string): boolean {
  const preset = presetOf(config) ?? presetAt(config);
  if (preset === null || preset.controls === 'all') return true;
  return (
    preset.controls.includes(member) || (preset.label === PRESETS.microsoft.label && EXTENSION.test(member))
  );
}
