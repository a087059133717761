// POST ISSUER/token (specification 4.6): one address, every grant, one pipeline.
import type { Answer, HttpRequest, PathParams } from '#lib/http/index.ts';
import { findGrant } from '../grants/index.ts';
import { findIssuer } from '../issuer.ts';
import { openTokenRequest } from './request.ts';
import { tokenResponse } from './response.ts';

export async function handleToken(request: HttpRequest, path: PathParams): Promise<Answer> {
  const issuer = await findIssuer(path);
  const { params, grantType, context } = await openTokenRequest(request, issuer);
  const granted = await findGrant(grantType, issuer).authorize(params, context);
  return tokenResponse(granted, context);
}
