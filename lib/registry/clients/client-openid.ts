// What a client registers for OpenID Connect: how it is signed out (RP-Initiated Logout 1.0 §3.1, Back-Channel Logout
// 1.0 §2.2), how its ID tokens are signed, and by which `sub` it knows people (Registration §2).
import { z } from 'zod';
import { defaultAcrValues } from '../fields/acr.ts';
import { field } from '../fields/form-fields.ts';
import { atMost, optionalAddress } from '../fields/values.ts';
import { type ApplicationType, callFault, redirectUriAdvice } from './redirect-rules.ts';
import { sectorFault } from './sector.ts';

const returnAddresses = atMost(100, z.string())
  .default([])
  .describe('Where people may come back to after signing out; the same rules as for redirect_uris');
const logoutAddress = optionalAddress.describe(
  'Where its server is told that a person has signed out, by a logout token: https',
);
const sessionRequired = z
  .boolean('must be true or false')
  .default(false)
  .describe('The logout token must name the session by sid, as it always does here');
const signedBy = z
  .enum(['RS256', 'ES256'], 'must be RS256 or ES256')
  .default('RS256')
  .describe('What ID tokens and logout tokens are signed with');
const subjects = z
  .enum(['public', 'pairwise'], 'must be public or pairwise')
  .default('public')
  .describe(
    'public: sub is the id of the person; pairwise: an identifier that only clients of the same sector get',
  );
const sectorAddress = optionalAddress.describe(
  'https: its host is the sector of pairwise subjects, and the address answers with a JSON list of all redirect addresses of the sector. apply does not call it',
);

export const openIdFields = {
  postLogoutRedirectUris: field(returnAddresses, 'Addresses after sign-out', {
    hint: 'Where people may come back to after signing out here. The same rules as for redirect addresses.',
    each: 'address after sign-out',
    placeholder: 'https://shop.example/signed-out',
  }),
  backchannelLogoutUri: field(logoutAddress, 'Back-channel sign-out address', {
    hint: 'The https address at which your server is told that a person has signed out.',
    as: 'url',
  }),
  backchannelLogoutSessionRequired: field(sessionRequired, 'The back-channel sign-out must name the session'),
  idTokenSignedResponseAlg: field(signedBy, 'ID tokens signed with', {
    choices: {
      RS256: { label: 'RS256', note: 'Every library can check it.' },
      ES256: { label: 'ES256', note: 'Smaller and faster.' },
    },
  }),
  idTokenClaims: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe(
        'Its ID tokens contain the claims of the granted scopes (profile, email, phone, address), as userinfo does. The console sets it to true for new clients',
      ),
    'ID tokens contain the claims of the granted scopes',
    { hint: 'Name and e-mail address, for libraries that do not ask userinfo.' },
  ),
  subjectType: field(subjects, 'Subjects', {
    choices: {
      public: { label: 'Public', note: 'It knows people by the same identifiers as others do.' },
      pairwise: {
        label: 'Pairwise',
        note: 'Other applications see different identifiers for the same person.',
      },
    },
  }),
  sectorIdentifierUri: field(sectorAddress, 'Sector list', {
    hint: 'The https address of a JSON list of all redirect addresses. Only where pairwise subjects concern several hosts, or several applications share them.',
    as: 'url',
  }),
  defaultAcrValues: field(defaultAcrValues, 'Strength asked for', {
    hint: 'What a request asks for that names no acr_values, such as urn:gatehouse:acr:mfa.',
    each: 'acr value',
    placeholder: 'urn:gatehouse:acr:mfa',
  }),
  requireAuthTime: field(
    z
      .boolean('must be true or false')
      .default(false)
      .describe('ID tokens must say when the person signed in, as they always do here'),
    'ID tokens must say when people signed in',
  ),
};

type OpenIdAddresses = {
  privateUseSchemes: boolean;
  redirectUris: readonly string[];
  postLogoutRedirectUris: readonly string[];
  backchannelLogoutUri: string | null;
  subjectType: 'public' | 'pairwise';
  sectorIdentifierUri: string | null;
};

/** What is wrong with the addresses for a client of this type. */
export function openIdFaults(
  one: OpenIdAddresses,
  type: ApplicationType,
): { path: (string | number)[]; message: string }[] {
  const { postLogoutRedirectUris } = one;
  const faults: { path: (string | number)[]; message: string }[] = [];
  for (const [at, uri] of postLogoutRedirectUris.entries()) {
    const again = postLogoutRedirectUris.indexOf(uri) < at;
    const message = again ? 'stands here twice' : redirectUriAdvice(uri, type, one.privateUseSchemes);
    if (message) faults.push({ path: ['postLogoutRedirectUris', at], message });
  }
  for (const name of ['backchannelLogoutUri', 'sectorIdentifierUri'] as const) {
    const message = callFault(one[name]);
    if (message) faults.push({ path: [name], message });
  }
  const sector = one.subjectType === 'pairwise' ? sectorFault(one) : null;
  if (sector !== null) faults.push({ path: ['sectorIdentifierUri'], message: sector });
  return faults;
}
