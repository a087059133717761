// What a request for an ID-JAG takes, answers and refuses (draft-ietf-oauth-identity-assertion-authz-grant §4.3), at an
// issuer's token endpoint and at the one of the service.
import { z } from 'zod';
import { demanded } from '#lib/openapi/schema.ts';
import { type DeclaredError, refuses } from '../errors/declaration.ts';
import { InvalidRequest, InvalidScope, InvalidTarget, UnauthorizedClient } from '../errors/errors.ts';
import { ID_JAG } from '../exchange/give-id-jag.ts';

const FOR = 'token exchange';

/** At an issuer's token endpoint, where nothing else is exchanged. */
export const vouchingBody = {
  requested_token_type: demanded(z.literal(ID_JAG), FOR, `\`${ID_JAG}\`: nothing else is exchanged here.`),
  subject_token: demanded(
    z.string(),
    FOR,
    'An ID token or an access token that this issuer gave to the client.',
  ),
  subject_token_type: demanded(
    z.string(),
    FOR,
    '`urn:ietf:params:oauth:token-type:id_token`, or `urn:ietf:params:oauth:token-type:access_token`.',
  ),
  audience: demanded(
    z.string(),
    FOR,
    'The issuer of the other authorization server, one of those that an administrator has listed for the client. resource and scope are then those of the other server, and go into the ID-JAG as they are.',
  ),
};

/** It is no access token (RFC 8693 §2.2.1). */
export const IdJagResponse = z.object({
  access_token: z.string().describe('The ID-JAG, for the token endpoint of the other authorization server.'),
  issued_token_type: z.literal(ID_JAG),
  token_type: z.literal('N_A'),
  expires_in: z.int().describe('Lifetime of the ID-JAG in seconds.'),
});

export const vouchingErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'An ID-JAG is asked for by a public client, or by one for which an administrator has listed no audience.',
  ]),
  ...refuses(InvalidTarget, [
    'An ID-JAG is asked for, and audience is not listed for the client, or resource is no absolute URI.',
  ]),
  ...refuses(InvalidRequest, [
    'An ID-JAG is asked for, and the subject token is expired, of another issuer or client, its sign-in has ended, or actor_token or authorization_details are sent.',
  ]),
  ...refuses(InvalidScope, ['An ID-JAG is asked for with a scope that no scope can be.']),
];
