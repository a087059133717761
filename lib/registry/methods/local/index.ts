// Our own store of e-mail addresses and passwords. What checks a password there is lib/auth-methods/local.ts.
import { z } from 'zod';
import { field } from '../../fields/index.ts';
import { secondFactor } from '../config-fields.ts';
import type { MethodKind } from '../kind.ts';
import { methodRegistration, REGISTRATION_WORDS } from './registration.ts';

export const localKind = {
  type: 'local',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: true, tellsProfile: false },
  words: {
    label: 'Local',
    note: 'E-mail and password of this service’s own people.',
    catalogue: 'accounts of this service',
  },
  config: z.strictObject({
    second_factor: secondFactor('People who have one are asked for it.'),
    registration: field(methodRegistration, 'Who may make an account', { choices: REGISTRATION_WORDS }),
  }),
  secret: null,
} as const satisfies MethodKind;
