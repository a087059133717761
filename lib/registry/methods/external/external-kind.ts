// A service that we ask whether a username and password are right.
import { z } from 'zod';
import { field } from '../../fields/form-fields.ts';
import { webAddress } from '../../fields/values.ts';
import { describedPeople, privateNetwork, secondFactorElsewhere, timeoutOf } from '../config-fields.ts';
import type { MethodKind } from '../kind.ts';
import { verifierProbes } from './probes.ts';
import { askVerifier } from './verify.ts';

export const externalKind = {
  type: 'external',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: false, tellsProfile: false },
  words: {
    label: 'External',
    note: 'We ask another service whether a username and password are right.',
    catalogue: 'accounts elsewhere',
  },
  config: z.strictObject({
    verify_url: field(
      webAddress.describe('The service that checks username and password'),
      'Address that checks',
      {
        hint: 'It gets the username and password as JSON, with the secret below as a bearer token.',
        as: 'url',
      },
    ),
    timeout_ms: timeoutOf(3000),
    ...describedPeople,
    second_factor: secondFactorElsewhere,
    allow_private_network: privateNetwork,
  }),
  secret: { key: 'verify_token', label: 'Token we send' },
  addresses: ['verify_url'],
  verify: askVerifier,
  probes: verifierProbes,
} as const satisfies MethodKind;
