// What the introspection endpoint takes and answers (RFC 7662 §2).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  issuerPath,
  refuses,
  serviceErrors,
  unknownIssuer,
} from '../errors/declaration.ts';
import { InvalidClient } from '../errors/errors.ts';
import { tokenTypeHint } from './revocation-declaration.ts';

const seconds = optional(z.int(), 'Seconds since 1970-01-01T00:00:00Z.');
const text = z.string().optional();

/** Beside these, the claims of the person that the API's `token_claims` names. */
const IntrospectionResponse = z.looseObject({
  active: z.boolean().describe('When false, nothing else is present.'),
  scope: text,
  client_id: text,
  token_type: text,
  exp: seconds,
  iat: seconds,
  auth_time: seconds,
  acr: text.describe('How strong the sign-in was (RFC 9470 §6.2), where somebody asks for that.'),
  amr: z.array(z.string()).optional().describe('How the person proved who they are (RFC 8176).'),
  sub: text,
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  iss: z.url().optional(),
  jti: text,
  cnf: z
    .object({ jkt: z.string() })
    .optional()
    .describe('The thumbprint of the key that the token is bound to (RFC 9449 §6.2); token_type is `DPoP`.'),
  may_act: z
    .object({ sub: z.string(), client_id: z.string() })
    .optional()
    .describe(
      'The agent that the person lets act at this API (RFC 8693 §4.4): the client that asks, or the only one.',
    ),
  act: z.object({}).optional().describe('Who acts for the person, around who acted before (RFC 8693 §4.1).'),
});

export const introspectionDeclaration: Declaration = {
  path: issuerPath,
  header: z.object({
    Authorization: text.describe(
      "HTTP Basic: the API's id and introspection secret, or client_id and client_secret.",
    ),
  }),
  body: z.object({
    ...clientBody,
    client_secret: demanded(
      z.string(),
      'unless HTTP Basic or an assertion is used',
      'The secret of the confidential client.',
    ),
    token: z.string().describe('The token in question.'),
    token_type_hint: tokenTypeHint,
  }),
  answers: { IntrospectionResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    ...refuses(InvalidClient, [
      'The credential is missing or wrong, the client is disabled, or it is a public client.',
    ]),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: [{ apiBasic: [] }, ...byClient],
};
