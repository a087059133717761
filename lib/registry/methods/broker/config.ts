// The configuration of a broker: an OpenID Connect provider by its issuer, or plain OAuth 2.0 by its addresses.
import { z } from 'zod';
import { field } from '../../fields/form-fields.ts';
import { readable, scopeName, webAddress } from '../../fields/values.ts';
import { describedPeople, privateNetwork, secondFactorElsewhere, timeout } from '../config-fields.ts';
import type { MethodKind } from '../kind.ts';
import { authorizationParameters } from './parameters.ts';
import { PRESET_NAMES } from './presets.ts';
import { signedSecret } from './signed-secret.ts';
import { isGuid } from './tenants.ts';

const text = readable(z.string().min(1, 'must not be empty'), 'line');
const optionalUrl = webAddress.optional();
const sharedCallback = z
  .boolean()
  .optional()
  .describe(
    'It is registered with {base_url}/auth/callback/broker instead of the address of this method. Left out: what is stored; of a new method false',
  );

const guid = z.string().refine(isGuid, 'must be the id of a tenant');
const hostName = z
  .string()
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i,
    'must be a domain, such as example.com',
  );
/** RFC 9207 §2: an issuer identifier has no query. */
const answerIssuer = webAddress
  .refine((value) => !value.includes('?'), 'must have no query')
  .optional()
  .describe('Plain OAuth 2.0: the iss of its answers (RFC 9207); left out: the origin of token_endpoint');
const PROOFS = 'What proves that an answer is ours';
const TOKEN_AUTH = ['client_secret_basic', 'client_secret_post'] as const;
const tokenAuth = z
  .enum(TOKEN_AUTH, `must be ${TOKEN_AUTH.join(' or ')}`)
  .optional()
  .describe('How our client id and secret are sent to the token endpoint; left out: as its metadata say');
const unlessFalse = (what: string) =>
  z
    .boolean()
    .optional()
    .describe(`false: no ${what} is sent, for a provider that breaks on it; needs client_secret`);
const answerMode = z
  .enum(['form_post'], 'must be form_post')
  .optional()
  .describe('form_post: it answers by a form that the browser posts; left out: in the address');

/** The form asks first which of the two it is, and `config` has the keys of that one. */
export const OPENID_OR_PLAIN = {
  field: {
    name: 'speaks',
    label: 'What the provider speaks',
    choices: {
      openid: { label: 'OpenID Connect', note: 'It has an issuer, and says the rest itself.' },
      oauth: { label: 'Plain OAuth 2.0', note: 'Its addresses are typed here, such as those of GitHub.' },
    },
  },
  chosen: (config) => ('token_endpoint' in config ? 'oauth' : 'openid'),
} as const satisfies MethodKind['choice'];
const OPENID = { of: OPENID_OR_PLAIN.field.name, is: 'openid' };
const PLAIN = { of: OPENID_OR_PLAIN.field.name, is: 'oauth' };

export const brokerConfig = z.strictObject({
  preset: z
    .enum(PRESET_NAMES, `must be ${PRESET_NAMES.join(', ')}`)
    .optional()
    .describe('A provider whose settings are known; every key that is written wins'),
  tenant: field(
    text
      .max(100, 'must not be longer than 100 characters')
      .optional()
      .describe('Preset microsoft: the id of the one tenant, or organizations or common beside tenants'),
    'Tenant',
    { hint: 'Its id; or organizations or common, where people of several may sign in.', as: 'code' },
  ),
  tenants: field(
    z
      .union(
        [z.literal('any'), z.array(guid).min(1, 'must not be empty').max(100, 'must not be more than 100')],
        'must be any or a list of tenants',
      )
      .optional()
      .describe('Preset microsoft: the ids of the tenants whose people may sign in, or any'),
    'Tenants whose people may sign in',
    { hint: 'Their ids with a space between, or any. Left empty: the one above.', as: 'words' },
  ),
  domains: field(
    z
      .array(hostName)
      .min(1, 'must not be empty')
      .max(100, 'must not be more than 100')
      .optional()
      .describe('Preset google: the Workspace domains whose people may sign in; left out: everybody'),
    'Domains whose people may sign in',
    { hint: 'With a space between. Left empty: everybody with an account there.', as: 'words' },
  ),
  base_url: field(
    optionalUrl.describe('Preset github, gitlab or adfs: the origin of a server of your own'),
    'Address of a server of your own',
    { hint: 'Such as https://git.example. Left empty: the public one.', as: 'url' },
  ),
  issuer: field(
    optionalUrl.describe('Its OpenID Connect issuer; everything else is read from its metadata'),
    'Issuer',
    {
      hint: 'Everything else is read from its metadata.',
      as: 'url',
      under: OPENID,
    },
  ),
  client_id: field(
    text.max(1000, 'must not be longer than 1000 characters').describe('Our registration there'),
    'Our client id there',
    {
      hint: 'The redirect address to register there is on the method’s page.',
      as: 'code',
    },
  ),
  scopes: field(
    z
      .array(scopeName)
      .optional()
      .describe('What to ask for; left out: openid email profile with issuer, nothing without'),
    'Scopes we ask for',
    {
      hint: 'With a space between.',
      as: 'words',
    },
  ),
  authorization_endpoint: field(
    optionalUrl.describe('Instead of issuer, for plain OAuth 2.0: where people sign in'),
    'Authorization address',
    { as: 'url', under: PLAIN },
  ),
  token_endpoint: field(optionalUrl.describe('Plain OAuth 2.0: where a code is redeemed'), 'Token address', {
    as: 'url',
    under: PLAIN,
  }),
  userinfo_endpoint: field(
    optionalUrl.describe('Plain OAuth 2.0: what tells who signed in'),
    'Userinfo address',
    { as: 'url', under: PLAIN },
  ),
  emails_endpoint: field(
    optionalUrl.describe(
      'Plain OAuth 2.0: a list of the person’s addresses, of which the one that is primary and verified is taken',
    ),
    'Address of the list of e-mail addresses',
    {
      hint: 'Left empty, the address is taken from the userinfo answer.',
      as: 'url',
      under: PLAIN,
    },
  ),
  answer_issuer: field(answerIssuer, 'Issuer in its answers', {
    hint: 'The iss that the provider sends back, such as https://github.com/login/oauth. Left empty, it must be the origin of the token address.',
    as: 'url',
    under: PLAIN,
  }),
  subject_claim: field(
    text
      .max(200, 'must not be longer than 200 characters')
      .optional()
      .describe(
        'What names the person: of plain OAuth 2.0 a member of the userinfo answer, with issuer a claim of the ID token; left out there: sub',
      ),
    'Claim that names the person',
    {
      hint: 'Of the ID token, where sub is the usual one, or with plain OAuth 2.0 of the userinfo answer. With data.id it is the member id of data.',
      as: 'code',
    },
  ),
  signed_secret: field(
    signedSecret
      .optional()
      .describe('Instead of client_secret: a secret that is signed for each call, as Apple asks for it'),
    'Key that signs our client secret',
    {
      hint: 'As JSON, with team_id and key_id; the key itself is our client secret below.',
      placeholder: '{"team_id": "ABCDE12345", "key_id": "FGHIJ67890"}',
      as: 'json',
    },
  ),
  token_endpoint_auth_method: field(tokenAuth, 'How our client id and secret are sent', {
    choices: {
      '': {
        label: 'As the provider says',
        note: 'HTTP Basic where its metadata allow it, otherwise the body.',
      },
      client_secret_basic: { label: 'HTTP Basic', note: 'Both are form-encoded first (RFC 6749 §2.3.1).' },
      client_secret_post: { label: 'In the body', note: 'For a provider that does not decode HTTP Basic.' },
    },
  }),
  answer: field(answerMode, 'How it answers', {
    choices: {
      '': { label: 'In the address', note: 'The usual way.' },
      form_post: { label: 'By a form', note: 'Apple answers so where a name or an address is asked for.' },
    },
  }),
  authorization_parameters: field(
    authorizationParameters
      .optional()
      .describe(
        'What else people are sent there with, such as {access_type: offline}; no parameter that is sent anyway',
      ),
    'More parameters of the authorization address',
    {
      hint: 'As JSON. None that is sent anyway, such as scope or state.',
      placeholder: '{"access_type": "offline"}',
      as: 'json',
    },
  ),
  timeout_ms: timeout,
  ...describedPeople,
  nonce: field(unlessFalse('nonce'), 'A nonce is sent', {
    note: 'Take this away only where the provider’s ID tokens have none. It needs our client secret there.',
    group: PROOFS,
  }),
  pkce: field(unlessFalse('code_challenge (PKCE)'), 'A code challenge (PKCE) is sent', {
    note: 'Take this away only where the provider breaks on it. It needs our client secret there.',
    group: PROOFS,
  }),
  second_factor: secondFactorElsewhere,
  shared_callback: field(sharedCallback, 'People still come back to /auth/callback/broker', {
    note: 'The address that all brokers may use. Register the method’s own address there before you take this away.',
    group: 'Where people come back to',
    only: 'change',
  }),
  allow_private_network: privateNetwork,
});
