// The shapes of the reference: what is written by hand about an endpoint, and what the documentation page shows of it.

import { z } from 'zod';

/** An answer that is no error, in words. */
export type AnswerProse = {
  status: string;
  description: string;
  example?: string;
  /** the body, by its name in the declaration's `answers` */
  schema?: string;
  /** JSON by default */
  mediaType?: string;
  /** where the answer is a redirect: what its Location is */
  location?: string;
};

export type Addresses = { baseUrl: string; authUrl: string };

/** What is written by hand about an endpoint. Parameters and errors come from its declaration in lib/oauth. */
export type Prose = {
  id: string;
  method: 'GET' | 'POST';
  /** as in the table of endpoints: `/auth/:authMethodId/api/:apiId/token` */
  pattern: string;
  summary: string;
  description: string;
  answers: readonly AnswerProse[];
  command: (addresses: Addresses) => string;
};

export type Section = { id: string; title: string; intro: string; endpoints: readonly Prose[] };

export const ISSUER = '/auth/:authMethodId/api/:apiId';

/** An issuer with words in capitals, which a shell takes as they are. */
export function exampleIssuer({ authUrl }: Addresses): string {
  return `${authUrl}/auth/AUTH_METHOD_ID/api/API_ID`;
}

// Bodies that no single endpoint declares, as the OpenAPI document names them.

/** RFC 6749 §5.2. */
export const OAuthErrorBody = z.object({
  error: z.string().describe('A stable word for programs (RFC 6749 §5.2).'),
  error_description: z.string().optional().describe('What went wrong, for the developer.'),
  request_id: z.string().optional().describe('The same as the X-Request-Id header.'),
});

/** Area A's 422, in the shape that FastAPI made known. */
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
