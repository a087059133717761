// An authentication method: a way to prove who a person is. What only one type has stands in `config`, under the names of
// the configuration file.
import { z } from 'zod';
import { namesPrivateHost } from '#lib/outbound/index.ts';
import {
  authMethodId,
  claimMap,
  claimMapFaults,
  displayText,
  field,
  label,
  methodSecondFactor,
  readable,
  SECOND_FACTOR_WORDS,
  scopeName,
  secretText,
  webAddress,
} from '../fields/index.ts';
import { methodRegistration, REGISTRATION_WORDS } from './person-registration.ts';

const AUTH_METHOD_TYPES = ['local', 'external', 'broker'] as const;
export type AuthMethodType = (typeof AUTH_METHOD_TYPES)[number];

const timeout = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

const TIMEOUT = 'Give up after, milliseconds';
const privateNetwork = field(
  z.boolean().default(false),
  'It may be called at a private address, and over http',
  {
    note: 'Only for a service in your own network. Otherwise such addresses are refused.',
    group: 'Network',
  },
);
const text = readable(z.string().min(1, 'must not be empty'), 'line');
const optionalUrl = webAddress.optional();
const sharedCallback = z
  .boolean()
  .optional()
  .describe('Is {base_url}/auth/callback/broker registered there, and not the address of this method?');
/** What people of a verifier or broker have besides a name and an address. */
const people = {
  claims: claimMap.optional().describe('Our name of a claim to the member that holds it there'),
  trust_email: field(
    z
      .boolean()
      .optional()
      .describe('Does an e-mail address from there count as verified? A broker must say so of each'),
    'Addresses from there count as verified',
    {
      note: 'Only where they are proved there. A broker must also say so of each address.',
      group: 'E-mail addresses',
    },
  ),
};

const secondFactor = (unset: string) =>
  field(methodSecondFactor, 'Second factor', {
    choices: { '': { label: 'Not set', note: unset }, ...SECOND_FACTOR_WORDS },
  });
const OTHERS = 'Nobody is asked for one: that is the business of whoever checks them.';

/** RFC 9207 §2: an issuer identifier has no query. */
const answerIssuer = webAddress
  .refine((value) => !value.includes('?'), 'must have no query')
  .optional()
  .describe(
    'The iss of a plain OAuth 2.0 provider’s answers (RFC 9207), where it is not the origin of token_endpoint',
  );
const TOKEN_AUTH = ['client_secret_basic', 'client_secret_post'] as const;
const tokenAuth = z
  .enum(TOKEN_AUTH, `must be ${TOKEN_AUTH.join(' or ')}`)
  .optional()
  .describe('How our client id and secret go to the token address; left out: as the metadata say');
const answerMode = z
  .enum(['form_post'], 'must be form_post')
  .optional()
  .describe('form_post: the provider answers by a form that the browser posts; left out: in the address');

/** The form of a broker asks first which of the two it is, and `config` has the keys of that one. */
const OPENID = { of: 'speaks', is: 'openid' };
const PLAIN = { of: 'speaks', is: 'oauth' };

/** By type: what `config` holds. */
export const authMethodConfig = {
  local: z.strictObject({
    second_factor: secondFactor('Whoever has one is asked for it.'),
    registration: field(methodRegistration, 'Who may make an account', { choices: REGISTRATION_WORDS }),
  }),
  external: z.strictObject({
    verify_url: field(
      webAddress.describe('The service that checks username and password'),
      'Address that checks',
      {
        hint: 'It gets the username and password as JSON, with the secret below as a bearer token.',
        as: 'url',
      },
    ),
    timeout_ms: field(timeout.default(3000), TIMEOUT),
    ...people,
    second_factor: secondFactor(OTHERS),
    allow_private_network: privateNetwork,
  }),
  broker: z.strictObject({
    issuer: field(optionalUrl, 'Issuer', {
      hint: 'Everything else is read from its metadata.',
      as: 'url',
      under: OPENID,
    }),
    client_id: field(text.max(1000, 'must not be longer than 1000 characters'), 'Our client id there', {
      hint: 'The redirect address to register there is on the method’s page.',
      as: 'code',
    }),
    scopes: field(z.array(scopeName).optional(), 'Scopes we ask for', {
      hint: 'With a space between.',
      as: 'words',
    }),
    authorization_endpoint: field(optionalUrl, 'Authorization address', { as: 'url', under: PLAIN }),
    token_endpoint: field(optionalUrl, 'Token address', { as: 'url', under: PLAIN }),
    userinfo_endpoint: field(optionalUrl, 'Userinfo address', { as: 'url', under: PLAIN }),
    subject_claim: field(text.optional(), 'Claim that names the person', { as: 'code', under: PLAIN }),
    answer_issuer: field(answerIssuer, 'Issuer in its answers', {
      hint: 'The iss that the provider sends back, such as https://github.com/login/oauth. Left empty, it must be the origin of the token address.',
      as: 'url',
      under: PLAIN,
    }),
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
    timeout_ms: field(timeout.optional(), TIMEOUT),
    ...people,
    second_factor: secondFactor(OTHERS),
    shared_callback: field(sharedCallback, 'People still come back to /auth/callback/broker', {
      note: 'The address that all brokers may use. Register the method’s own address there before you take this away.',
      group: 'Where people come back to',
      only: 'change',
    }),
    allow_private_network: privateNetwork,
  }),
} as const satisfies Record<AuthMethodType, z.ZodObject>;

export const authMethod = z.strictObject({
  id: field(authMethodId, 'Id', {
    hint: 'In every address of the method, and never changed: small letters, digits and hyphens.',
    as: 'code',
    only: 'new',
  }),
  type: z.enum(AUTH_METHOD_TYPES, 'must be local, external or broker'),
  name: field(displayText(label), 'Name', {
    hint: 'People see it when they choose how to sign in.',
    others: 'In other languages',
  }),
  config: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('the configuration file’s keys; the secret is not among them'),
  secret: secretText
    .optional()
    .describe('an external service’s token, a broker’s client secret; sealed, and never shown'),
});
export type AuthMethodInput = z.input<typeof authMethod>;
export type AuthMethodValues = Omit<z.output<typeof authMethod>, 'secret'>;

export const authMethodRow = authMethod.omit({ secret: true }).extend({
  config: z
    .record(z.string(), z.unknown())
    .describe('the configuration file’s keys; the secret is not among them'),
  hasSecret: z.boolean(),
  apis: z.array(z.string()),
  sessions: z.int(),
  managed: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type AuthMethodRow = z.output<typeof authMethodRow>;

const ADDRESSES = ['verify_url', 'issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
const PLAIN_OAUTH = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'subject_claim'];

/**
 * What no single key can say: https to a public host, a broker's issuer or the four keys of plain OAuth 2.0, and the names of
 * the claim map.
 */
export function authMethodFaults(method: Record<string, unknown>): { path: string[]; message: string }[] {
  const faults = claimMapFaults(method['claims']);
  for (const key of ADDRESSES) {
    const address = method[key];
    if (method['allow_private_network'] === true) continue;
    if (typeof address !== 'string' || !URL.canParse(address)) continue;
    const url = new URL(address);
    if (url.protocol === 'http:')
      faults.push({ path: [key], message: 'must be https unless allow_private_network is true' });
    else if (namesPrivateHost(url))
      faults.push({
        path: [key],
        message: 'must not be a private address unless allow_private_network is true',
      });
  }
  if (method['type'] !== 'broker') return faults;
  const { issuer } = method;
  if (typeof issuer === 'string' && WELL_KNOWN.test(issuer))
    faults.push({ path: ['issuer'], message: 'must be the issuer itself: leave off /.well-known/…' });
  if ('issuer' in method && method['answer_issuer'] !== undefined)
    faults.push({ path: ['answer_issuer'], message: 'must not stand beside issuer' });
  for (const key of PLAIN_OAUTH) {
    if ('issuer' in method && key in method)
      faults.push({ path: [key], message: 'must not stand beside issuer' });
    else if (!('issuer' in method) && !(key in method))
      faults.push({ path: [key], message: 'is missing: a broker needs issuer, or all four of these' });
  }
  return faults;
}

/** An issuer that is written as the address of its metadata. */
const WELL_KNOWN = /\/\.well-known\/.*$/;

const WHO_ANSWERS = ['issuer', 'userinfo_endpoint', 'subject_claim'];

type Answering = { type: string; config: Readonly<Record<string, unknown>> };

/** Somebody else answers from then on, and the subjects are not those that we knew. */
export function answersElse(before: Answering, after: Answering): boolean {
  const of = ({ config }: Answering, key: string) => {
    const value = config[key];
    // the address of its metadata named the same issuer
    return key === 'issuer' && typeof value === 'string' ? value.replace(WELL_KNOWN, '') : value;
  };
  return before.type !== after.type || WHO_ANSWERS.some((key) => of(before, key) !== of(after, key));
}
