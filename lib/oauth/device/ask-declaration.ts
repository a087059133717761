// What the device authorization endpoint takes and answers (RFC 8628 §3.1, §3.2).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  badClient,
  bodyTooLarge,
  byClient,
  clientBody,
  clientHeader,
  credentialErrors,
  type Declaration,
  issuerPath,
  refuses,
  serviceErrors,
  unknownIssuer,
} from '../errors/declaration.ts';
import {
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  SlowDown,
  UnauthorizedClient,
} from '../errors/errors.ts';

const DeviceAuthorizationResponse = z.object({
  device_code: z.string().describe('For the polls at the token endpoint. The person never sees it.'),
  user_code: z.string().describe('For the person to type, as it is shown: `WDJB-MJHT`.'),
  verification_uri: z.url().describe('Where the person types it. Short, and the same for every API.'),
  verification_uri_complete: z
    .url()
    .describe('The same with the code in it, for a QR code. The person compares the code with the device.'),
  expires_in: z.int().describe('Seconds that both codes live: 600.'),
  interval: z.int().describe('Seconds between two polls, at least.'),
});

export const deviceDeclaration: Declaration = {
  path: issuerPath,
  header: clientHeader,
  body: z.object({
    ...clientBody,
    scope: demanded(
      z.string(),
      'where the API requires it',
      "Space-separated scopes. Where it may be left out, that means all of the API's scopes. `offline_access` is left out unless the subscription names it.",
    ),
    resource: optional(
      z.url(),
      'The API that the tokens are for (RFC 8707): its url, or the origin of that. In a form it may come several times.',
    ),
    acr_values: optional(
      z.string(),
      'How strong the sign-in must be (RFC 9470), as at the authorize address.',
    ),
    nonce: optional(z.string(), 'With the scope `openid`: comes back in the ID token.'),
  }),
  answers: { DeviceAuthorizationResponse },
  errors: [
    ...refuses(InvalidRequest, [
      'The body is no form and no JSON object, or a parameter other than resource is repeated.',
    ]),
    bodyTooLarge,
    ...credentialErrors,
    badClient,
    ...refuses(UnauthorizedClient, [
      'The API connects no devices (`device_grant` is off). The metadata does not name the endpoint then.',
      'The client has no approved subscription to the API, or one that does not say `device: true`.',
    ]),
    ...refuses(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...refuses(InvalidTarget, ['resource names another API than the one of this issuer.']),
    ...refuses(InvalidRequest, ['nonce is longer than 2,048 bytes, or the request is longer than 8,192.']),
    ...refuses(SlowDown, [
      'Too many devices wait: 20 from an address (a /64 for IPv6), 1,000 of a client, 10,000 in all, until a person says yes or ten minutes are over. `Retry-After` says how many seconds to wait.',
    ]),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: byClient,
};
