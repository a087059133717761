// Every endpoint, in reading order.
import { authorizeEndpoints } from './authorize.ts';
import { brokerEndpoints } from './brokers.ts';
import { deviceEndpoints } from './device.ts';
import { discoveryEndpoints } from './discovery.ts';
import type { Section } from './endpoint.ts';
import { openIdEndpoints } from './openid.ts';
import { registrationEndpoints } from './registration.ts';
import { serviceEndpoints } from './service.ts';
import { tokenEndpoints, tokenManagementEndpoints } from './token.ts';

export const proseSections: readonly Section[] = [
  {
    id: 'authorize',
    title: 'Authorize',
    intro:
      "Where a person signs in and consents, and the client gets a code. Opened in the person's browser.",
    endpoints: authorizeEndpoints,
  },
  {
    id: 'token',
    title: 'Token',
    intro: 'Where a client turns a code, a password or a refresh token into an access token.',
    endpoints: tokenEndpoints,
  },
  {
    id: 'devices',
    title: 'Devices',
    intro: 'For a device without a browser: its person types a code in another one.',
    endpoints: deviceEndpoints,
  },
  {
    id: 'openid-connect',
    title: 'OpenID Connect',
    intro:
      'With the scope `openid` the token endpoint gives an ID token too, and these addresses tell more of the person.',
    endpoints: openIdEndpoints,
  },
  {
    id: 'token-management',
    title: 'Revoke and introspect',
    intro: 'Giving a token back, and asking whether one is good.',
    endpoints: tokenManagementEndpoints,
  },
  {
    id: 'discovery',
    title: 'Metadata and keys',
    intro:
      'What standard clients and APIs read by themselves. The metadata is one document at four addresses, so that a client finds it wherever it looks.',
    endpoints: discoveryEndpoints,
  },
  {
    id: 'registration',
    title: 'Dynamic registration',
    intro:
      'Where a program registers a client, which then waits for an approver. Only where the operator allows it.',
    endpoints: registrationEndpoints,
  },
  {
    id: 'broker',
    title: 'Brokers and token exchange',
    intro: 'Coming back from a broker, and exchanging what a broker or this service gave.',
    endpoints: brokerEndpoints,
  },
  {
    id: 'service',
    title: 'The service itself',
    intro: 'Health, readiness and documentation.',
    endpoints: serviceEndpoints,
  },
];
