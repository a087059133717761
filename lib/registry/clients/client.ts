// A client: software that asks for tokens.
import { z } from 'zod';
import { optionalBrand } from '../brand/brand.ts';
import { displayText } from '../fields/display-text.ts';
import { type ChoiceWords, field } from '../fields/form-fields.ts';
import { atMost, clientId, emailAddress, label, optionalAddress } from '../fields/values.ts';
import { optionalTexts } from '../texts/own-texts.ts';
import { authenticationFaults, authenticationFields } from './client-keys.ts';
import { openIdFaults, openIdFields } from './client-openid.ts';
import { idJagFaults, idJagFields } from './id-jag-audiences.ts';
import { type ApplicationType, originFault, redirectUriAdvice } from './redirect-rules.ts';
import { isSubjectForm } from './subject-forms.ts';
import { clientOrigin } from './unregistered.ts';

export const CLIENT_KINDS = ['confidential', 'browser', 'native'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const MAX_ADDRESS_BYTES = 32_768;

const addresses = atMost(100, z.string());

/** Each kind, for the person who chooses one. */
export const CLIENT_KIND_WORDS: Record<ClientKind, ChoiceWords> = {
  confidential: {
    label: 'On a server',
    note: 'It keeps a secret that nobody else can read. It gets refresh tokens.',
  },
  browser: {
    label: 'In the browser',
    note: 'A single-page application. It has no secret, must use PKCE, and renews silently.',
  },
  native: {
    label: 'On a phone or desktop',
    note: 'It has no secret, must use PKCE, and gets refresh tokens.',
  },
};

/** Field by field; `checkedClient` asks what concerns several too. */
export const client = z.strictObject({
  clientId: clientId.describe('What it is called in requests; it never changes'),
  name: field(displayText(label), 'Name', {
    hint: 'People see it when they are asked to allow access.',
    others: 'In other languages',
  }),
  kind: field(z.enum(CLIENT_KINDS, 'must be confidential, browser or native'), 'Where does it run?', {
    choices: CLIENT_KIND_WORDS,
  }),
  redirectUris: field(
    addresses.describe(
      'Where people come back to after signing in, compared character by character. Native clients may register http://127.0.0.1, http://[::1] or http://localhost with a path, which match on any port',
    ),
    'Redirect addresses',
    {
      hint: 'Where people come back to after signing in. Each is compared letter by letter: https, or http on localhost while you develop; an application on a phone may use its own scheme, such as com.example.app:/callback.',
      each: 'redirect address',
      placeholder: 'https://shop.example/callback',
    },
  ),
  allowedOrigins: field(
    addresses
      .default([])
      .describe('Origins that may read token answers in a browser; none: those of redirect_uris'),
    'Allowed origins',
    {
      hint: 'Only needed if your single-page app is served from a different origin than its redirect addresses. Left empty, their origins are allowed.',
      each: 'origin',
      placeholder: 'https://shop.example',
    },
  ),
  privateUseSchemes: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe(
        'A confidential client may have redirect URIs with a private-use scheme (RFC 8252 §7.1), such as app.immich:///oauth-callback beside https. A native client needs no such setting',
      ),
    'Accept private-use schemes',
    {
      hint: 'For a mobile application whose server keeps the secret: app.immich:///oauth-callback beside https. Any application on a device can claim such a scheme, so PKCE is required there.',
    },
  ),
  logoUri: field(
    optionalAddress.describe('The address of a picture that people see at sign-in and consent'),
    'Logo',
    { hint: 'The address of a square picture, https.', as: 'url' },
  ),
  tosUri: field(optionalAddress.describe('Its terms of service'), 'Terms of service', { as: 'url' }),
  policyUri: field(optionalAddress.describe('Its privacy policy'), 'Privacy policy', {
    hint: 'People see these when they sign in and are asked to allow access.',
    as: 'url',
  }),
  brand: optionalBrand.describe(
    '{logo, accent, accent_dark}: what sign-in and consent for it look like once a subscription is approved',
  ),
  texts: optionalTexts.describe(
    'As of an API, before the API’s, once a subscription is approved. Only administrators set them',
  ),
  ...authenticationFields,
  requirePushedAuthorizationRequests: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe('Its authorize requests must be pushed first (RFC 9126)'),
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
  .describe('left out or empty: made from the name');
const ownerEmail = z
  .union([z.literal('').transform(() => null), emailAddress])
  .nullish()
  .describe('for administrators; left out: whoever creates it, empty: nobody');

export const newClient = client.omit({ clientId: true }).extend({
  clientId: field(idOrEmpty, 'Client id', {
    hint: 'What it is called in requests. Left empty, one is made from the name.',
    as: 'code',
    only: 'new',
  }),
  ownerEmail: field(ownerEmail, 'Owner', {
    hint: 'The developer who looks after it.',
    whenNew: 'Left empty: you.',
    as: 'email',
  }),
});
export type NewClient = z.input<typeof newClient>;

const checkTogether = (value: Together, context: z.core.$RefinementCtx) => {
  for (const { path, message } of [...addressFaults(value), ...authenticationFaults(value)])
    context.addIssue({ code: 'custom', path, message });
};
/** The id stays, even if new ids could not look like it. */
export const checkedClient = client.extend({ clientId: z.string() }).superRefine(checkTogether);
export const checkedNewClient = newClient.superRefine(checkTogether);

export const clientRow = z.strictObject({
  ...client.shape,
  clientId: z.string(),
  disabled: z.boolean(),
  origin: clientOrigin.describe('where it came from if nobody registered it'),
  identityChangedAt: z
    .date()
    .nullable()
    .describe(
      'when it last became another one to people: another name, redirect address or, in a document, key',
    ),
  managed: z.boolean().describe('owned by the configuration file, which the next apply restores'),
  ownerId: z.string().nullable(),
  ownerEmail: z.string().nullable(),
  subscriptions: z.int(),
  pending: z.int(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type ClientRow = z.output<typeof clientRow>;

/** RFC 7591 and OpenID Connect Registration name a kind by two members. */
export const kindOf = (one: { confidential: boolean; applicationType: string }): ClientKind =>
  one.confidential ? 'confidential' : one.applicationType === 'native' ? 'native' : 'browser';
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
type AddressFault = { path: (string | number)[]; message: string };

/** What is wrong with a client's addresses: by themselves, for its kind, and together. */
export function addressFaults(one: Addresses): AddressFault[] {
  const faults: AddressFault[] = [];
  for (const [at, uri] of one.redirectUris.entries()) {
    const again = one.redirectUris.indexOf(uri) < at;
    const message = again
      ? 'stands here twice'
      : redirectUriAdvice(uri, applicationTypeOf(one.kind), one.privateUseSchemes);
    if (message) faults.push({ path: ['redirectUris', at], message });
  }
  for (const [at, origin] of one.allowedOrigins.entries()) {
    const message = originFault(origin);
    if (message) faults.push({ path: ['allowedOrigins', at], message });
  }
  faults.push(...openIdFaults(one, applicationTypeOf(one.kind)), ...idJagFaults(one));
  const all = [...one.redirectUris, ...one.allowedOrigins, ...one.postLogoutRedirectUris];
  const bytes = Buffer.byteLength(
    [...all, one.logoUri, one.backchannelLogoutUri, one.sectorIdentifierUri].join(''),
  );
  if (bytes > MAX_ADDRESS_BYTES) {
    const message = `must not have more than ${MAX_ADDRESS_BYTES} bytes, all addresses of the client together`;
    faults.push({ path: ['redirectUris'], message });
  }
  return faults;
}
