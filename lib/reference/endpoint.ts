// Types of the API reference: texts about endpoints that people wrote, and the content of the documentation page.

import { z } from 'zod';

/** Description of a successful response. */
export type AnswerProse = {
  status: string;
  description: string;
  example?: string;
  /** schema of the body, which the declaration names in `answers` */
  schema?: string;
  /** default: JSON */
  mediaType?: string;
  /** for a redirect: meaning of the Location header */
  location?: string;
};

export type Addresses = { baseUrl: string; authUrl: string };

/** Text about an endpoint that people wrote. Its parameters and errors come from the declaration in lib/oauth. */
export type Prose = {
  id: string;
  method: 'GET' | 'POST';
  /** pattern of the address in the endpoint table: `/auth/:authMethodId/api/:apiId/token` */
  pattern: string;
  summary: string;
  description: string;
  answers: readonly AnswerProse[];
  command: (addresses: Addresses) => string;
};

export type Section = { id: string; title: string; intro: string; endpoints: readonly Prose[] };

export const ISSUER = '/auth/:authMethodId/api/:apiId';

/** An example issuer with placeholders in capital letters, which a shell accepts without quotes. */
export function exampleIssuer({ authUrl }: Addresses): string {
  return `${authUrl}/auth/AUTH_METHOD_ID/api/API_ID`;
}

// Bodies that no single endpoint declares, under their names in the OpenAPI document.

/** Error response of RFC 6749 §5.2. */
export const OAuthErrorBody = z.object({
  error: z
    .string()
    .describe(
      'A stable word for programs (RFC 6749 §5.2). `/documentation/guides/errors` lists each with its remedy.',
    ),
  error_description: z.string().optional().describe('What went wrong, for the developer.'),
  request_id: z.string().optional().describe('The same as the X-Request-Id header.'),
});

/** The 422 response of Area A, in FastAPI's format. */
export const ValidationErrorBody = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({ title: 'Location' }),
    msg: z.string().meta({ title: 'Message' }),
    type: z.string().meta({ title: 'Error Type' }),
    input: z.unknown().optional().meta({ title: 'Input' }),
    ctx: z.object({}).optional().meta({ title: 'Context' }),
  })
  .meta({ title: 'ValidationError' });

export const HTTPValidationErrorBody = z
  .object({ detail: z.array(ValidationErrorBody).optional().meta({ title: 'Detail' }) })
  .meta({ title: 'HTTPValidationError' });

export const Html = z.string();

export const OpenApiDocument = z.object({ openapi: z.unknown(), info: z.unknown(), paths: z.unknown() });
