// Bodies that no single endpoint declares, as the OpenAPI document names them.
import { z } from 'zod';

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
