// What the token endpoint refuses of a client that asks in its own name (RFC 6749 §4.4).
import { type DeclaredError, refuses } from '../errors/declaration.ts';
import { InvalidScope, SlowDown, UnauthorizedClient, UnsupportedGrantType } from '../errors/errors.ts';

export const machineErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'The client_credentials grant for a public client, or without an approved subscription.',
    'The client_credentials grant for a client whose subscription does not say `machine: true`, at an API that has machines.',
  ]),
  ...refuses(UnsupportedGrantType, [
    'The client_credentials grant at an API without machines: the metadata do not name it there.',
  ]),
  ...refuses(InvalidScope, [
    'The client_credentials grant with the scope `openid`, or with one that the API or the subscription does not have.',
  ]),
  ...refuses(SlowDown, [
    'The client has 10,000 living tokens in its own name. `Retry-After` says how many seconds to wait; revoked tokens make room at once.',
  ]),
];
