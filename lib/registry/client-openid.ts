// What a client registers for OpenID Connect: how it is signed out (RP-Initiated Logout 1.0 §3.1, Back-Channel Logout 1.0
// §2.2), and how its ID tokens are signed (Registration §2).
import { z } from 'zod';
import { field } from './form-fields.ts';
import { type ApplicationType, isSecureAddress, redirectUriFault } from './redirect-rules.ts';
import { atMost, optionalAddress } from './values.ts';

const returnAddresses = atMost(100, z.string())
  .default([])
  .describe('Where people may come back to after signing out; each compared letter by letter');
const logoutAddress = optionalAddress.describe('Where a logout token is posted when somebody has signed out');
const sessionRequired = z
  .boolean('must be true or false')
  .default(false)
  .describe('The logout token must name the session by sid, as it always does here');
const signedBy = z
  .enum(['RS256', 'ES256'], 'must be RS256 or ES256')
  .default('RS256')
  .describe('What ID tokens and logout tokens are signed with');

export const openIdFields = {
  postLogoutRedirectUris: field(returnAddresses, 'Addresses after sign-out', {
    hint: 'Where people may come back to after signing out here. The same rules as for redirect addresses.',
    each: 'address after sign-out',
    placeholder: 'https://shop.example/signed-out',
  }),
  backchannelLogoutUri: field(logoutAddress, 'Back-channel sign-out address', {
    hint: 'Your server is told here when somebody has signed out, https.',
    as: 'url',
  }),
  backchannelLogoutSessionRequired: field(sessionRequired, 'The back-channel sign-out must name the session'),
  idTokenSignedResponseAlg: field(signedBy, 'ID tokens signed with', {
    choices: {
      RS256: { label: 'RS256', note: 'Every library can check it.' },
      ES256: { label: 'ES256', note: 'Smaller and faster.' },
    },
  }),
};

type SignOutAddresses = { postLogoutRedirectUris: readonly string[]; backchannelLogoutUri: string | null };

/** What is wrong with the addresses for a client of this type. */
export function signOutFaults(
  { postLogoutRedirectUris, backchannelLogoutUri }: SignOutAddresses,
  type: ApplicationType,
): { path: (string | number)[]; message: string }[] {
  const faults: { path: (string | number)[]; message: string }[] = [];
  for (const [at, uri] of postLogoutRedirectUris.entries()) {
    const again = postLogoutRedirectUris.indexOf(uri) < at;
    const message = again ? 'stands here twice' : redirectUriFault(uri, type);
    if (message) faults.push({ path: ['postLogoutRedirectUris', at], message });
  }
  // what is no web address at all has been told so already
  if (/^http:/i.test(backchannelLogoutUri ?? '') && !isSecureAddress(backchannelLogoutUri ?? '')) {
    const message = 'must be https (or http on this machine, for development)';
    faults.push({ path: ['backchannelLogoutUri'], message });
  }
  return faults;
}
