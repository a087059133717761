// What the revocation endpoint takes and answers (RFC 7009 §2).
import { z } from 'zod';
import { optional } from '#lib/openapi/schema.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  clientHeader,
  credentialErrors,
  type Declaration,
  issuerPath,
  serviceErrors,
  unknownIssuer,
} from '../errors/declaration.ts';

export const tokenTypeHint = optional(
  z.string(),
  '`access_token` or `refresh_token`, to say where to look first. The other kind is found too.',
);

const RevocationResponse = z.object({}).meta({ maxProperties: 0 });

export const revocationDeclaration: Declaration = {
  path: issuerPath,
  header: clientHeader,
  body: z.object({
    ...clientBody,
    token: z.string().describe('The access token or refresh token to end.'),
    token_type_hint: tokenTypeHint,
  }),
  answers: { RevocationResponse },
  errors: [...bodyErrors, ...credentialErrors, badClient, unknownIssuer, ...serviceErrors],
  security: byClient,
};
