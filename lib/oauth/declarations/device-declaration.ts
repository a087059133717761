// What the token endpoint takes and refuses of a device that polls (RFC 8628 §3.4, §3.5).
import { z } from 'zod';
import { demanded } from '#lib/openapi/schema.ts';
import { type DeclaredError, refuses } from '../errors/declaration.ts';
import { AuthorizationPending, ExpiredToken } from '../errors/device-errors.ts';
import {
  AccessDenied,
  InvalidGrant,
  SlowDown,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import { DEVICE_CODE } from '../rules/grant-types.ts';

export const pollBody = {
  device_code: demanded(z.string(), DEVICE_CODE, 'The device code, until the person has decided.'),
};

export const pollErrors: readonly DeclaredError[] = [
  ...refuses(AuthorizationPending, [
    'The person has not decided yet: poll again after `interval` seconds. The first poll may come at once.',
  ]),
  ...refuses({ code: SlowDown.code, status: 400 }, [
    'The poll came too early: the pause is 5 seconds longer from now on, 30 at the most. `Retry-After` says how long. An early poll does not put off the next one.',
  ]),
  ...refuses(AccessDenied, ['The person said no to the device.']),
  ...refuses(ExpiredToken, ['The device code is older than ten minutes: start again.']),
  ...refuses(InvalidGrant, [
    "The device code is unknown, another client's or combination's, or was used: it gives tokens once.",
  ]),
  ...refuses(UnauthorizedClient, [
    'The device grant for a client whose subscription does not say `device: true`.',
  ]),
  ...refuses(UnsupportedGrantType, ['The device grant at an API that connects no devices.']),
];
