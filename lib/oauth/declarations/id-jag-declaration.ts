// What the token endpoint takes and refuses of an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.4).
import { z } from 'zod';
import { demanded } from '#lib/openapi/schema.ts';
import { type DeclaredError, refuses } from '../errors/declaration.ts';
import {
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  TemporarilyUnavailable,
  UnauthorizedClient,
} from '../errors/errors.ts';
import { JWT_BEARER } from '../rules/grant-types.ts';

export const idJagBody = {
  assertion: demanded(
    z.string(),
    JWT_BEARER,
    'An ID-JAG that the broker of the method signed for this issuer and this client. Each works once, within ten minutes of its `iat`.',
  ),
};

export const idJagErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'An ID-JAG from a public client, or without an approved subscription with `machine: true`.',
  ]),
  ...refuses(InvalidGrant, [
    "The ID-JAG is not accepted: its type, algorithm, issuer, audience, client, times or signature are wrong, it was used before, or its person may not sign in. The client's page at this service says which.",
  ]),
  ...refuses(InvalidTarget, ['The `resource` of the ID-JAG is not the API.']),
  ...refuses(InvalidScope, [
    'Nothing is left of the scope of the ID-JAG, the scope that was asked for and that of the subscription.',
  ]),
  ...refuses(TemporarilyUnavailable, ['The keys of the broker that signed the ID-JAG can not be fetched.']),
];
