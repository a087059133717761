// Our own store of e-mail addresses and passwords. What checks a password there is lib/auth-methods/local.ts.
import { z } from 'zod';
import { field } from '../../definition.ts';
import { secondFactor } from '../config-fields.ts';
import type { MethodKind } from '../kind.ts';
import { former, formerFaults, formerRemarks, formerSecretFaults } from './former.ts';

// How people come to an account of ours. The registration of a client (RFC 7591) is lib/registry/client.ts.

const MODES = ['off', 'invite', 'open', 'approval'] as const;

const methodRegistration = z
  .enum(MODES, `must be ${MODES.join(', ')}`)
  .optional()
  .describe(
    'Who may make an account. off: only administrators; invite: people with an invitation; open: everybody who proves an address; approval: those of them whom an approver lets in. Left out: off',
  );

const REGISTRATION_WORDS = {
  '': { label: 'Off', note: 'An administrator makes the accounts.' },
  off: { label: 'Off (set explicitly)', note: 'No one can sign up, even if the default changes.' },
  invite: {
    label: 'Invited people',
    note: 'An invitation goes to an address, and its link makes the account.',
  },
  open: { label: 'Everybody', note: 'People who prove an address may make an account with it.' },
  approval: {
    label: 'People who are approved',
    note: 'People who prove an address wait until an approver or administrator lets them in.',
  },
};

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
    former: field(
      former
        .optional()
        .describe('The service that people came from: who has no password here is asked for it there, once'),
      'Service that people came from',
      {
        hint: 'As JSON. People without a password here are asked for it there, until that day, and keep it here.',
        placeholder: '{"verify_url": "https://old.example/verify", "until": "2027-03-31"}',
        as: 'json',
        group: 'Moving in',
      },
    ),
  }),
  secret: { key: 'verify_token', label: 'Token for the service that people came from', within: 'former' },
  faults: formerFaults,
  secretFaults: formerSecretFaults,
  remarks: formerRemarks,
} as const satisfies MethodKind;
