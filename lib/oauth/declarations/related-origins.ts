// GET /.well-known/webauthn (WebAuthn Level 3 §5.11.1): on which of our origins a passkey may be used. A browser asks
// where the page's host is not below the domain that passkeys belong to, and asks that domain.
import { z } from 'zod';
import { passkeyOrigins } from '#lib/factors/passkeys-place.ts';
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { type Declaration, methodNotAllowed } from '../errors/declaration.ts';

export async function handleRelatedOrigins(): Promise<Answer> {
  return json(200, { origins: passkeyOrigins() });
}

const RelatedOrigins = z.object({ origins: z.array(z.url()) });

export const relatedOriginsDeclaration: Declaration = {
  answers: { RelatedOrigins },
  errors: [methodNotAllowed],
};
