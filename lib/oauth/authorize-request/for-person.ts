// A request as it is for the person who has signed in: without the scopes that are for people of other groups.
import { asksGroups } from '#lib/registry/objects/api-groups.ts';
import { findSignInSession } from '#lib/store/tokens/sessions.ts';
import { scopesOfPerson } from '../clients/person-scopes.ts';
import type { AuthorizeRequest } from './request.ts';
import { strengthOfRequest } from './second-factor.ts';

export async function forPerson(request: AuthorizeRequest, personId: string): Promise<AuthorizeRequest> {
  const { issuer, scopes, consentScopes } = request;
  const allowed = await scopesOfPerson(issuer, personId, scopes);
  if (allowed === null) return { ...request, shutOut: true };
  if (allowed.length === scopes.length) return request;
  const isLeft = (name: string) => allowed.includes(name) || !scopes.includes(name);
  // the answer of the token address says what is left, and what is not given asks no stronger sign-in
  const strength = strengthOfRequest(request, { ...request, scopes: allowed });
  const left = { scopes: allowed, scopeAsked: false, consentScopes: consentScopes.filter(isLeft), strength };
  return { ...request, ...left };
}

/** For the person of this session; as it is where no one is signed in. */
export async function forSession(
  request: AuthorizeRequest,
  idHash: Uint8Array | null,
): Promise<AuthorizeRequest> {
  const { api, method } = request.issuer;
  if (idHash === null || !asksGroups(api)) return request;
  const session = await findSignInSession(idHash, method.id);
  return session ? forPerson(request, session.personId) : request;
}
