// What health and readiness answer (specification 4.1).
import { z } from 'zod';
import { INTERFACE_VERSION, VERSION } from '#lib/kit/version.ts';
import { type Declaration, methodNotAllowed } from '../errors/declaration.ts';

const Health = z.object({ status: z.literal('ok'), version: z.literal(INTERFACE_VERSION) });
const Readiness = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    version: z.literal(VERSION),
    checks: z.record(z.string(), z.string()),
  })
  .describe('Each check by name, with its result.');

export const healthDeclaration: Declaration = { answers: { Health }, errors: [methodNotAllowed] };
export const readyDeclaration: Declaration = { answers: { Readiness }, errors: [methodNotAllowed] };
