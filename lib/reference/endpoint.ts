// Types of the API reference: handwritten endpoint texts, and the documentation page's content.

import { z } from 'zod';

/** Description of a success response. */
export type AnswerProse = {
  status: string;
  description: string;
  example?: string;
  /** body schema, named in the declaration's `answers` */
  schema?: string;
  /** JSON by default */
  mediaType?: string;
  /** meaning of the Location header for redirects */
  location?: string;
};

export type Addresses = { baseUrl: string; authUrl: string };

/** Handwritten text of an endpoint. Parameters and errors come from its declaration in lib/oauth. */
export type Prose = {
  id: string;
  method: 'GET' | 'POST';
  /** pattern in the endpoint table: `/auth/:authMethodId/api/:apiId/token` */
  pattern: string;
  summary: string;
  description: string;
  answers: readonly AnswerProse[];
  command: (addresses: Addresses) => string;
};

export type Section = { id: string; title: string; intro: string; endpoints: readonly Prose[] };

export const ISSUER = '/auth/:authMethodId/api/:apiId';

/** Example issuer with uppercase placeholders that a shell accepts unquoted. */
export function exampleIssuer({ authUrl }: Addresses): string {
  return `${authUrl}/auth/AUTH_METHOD_ID/api/API_ID`;
}

// Bodies that no single endpoint declares, as the OpenAPI document names them.

/** RFC 6749 §5.2. */
export const OAuthErrorBody = z.object({
  error: z
    .string()
    .describe(
      'A stable word for programs (RFC 6749 §5.2). `/documentation/guides/errors` lists each with its remedy.',
    ),
  error_description: z.string().optional().describe('What went wrong, for the developer.'),
  request_id: z.string().optional().describe('The same as the X-Request-Id header.'),
});

/** Area A's 422 response, using FastAPI's format. */
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
