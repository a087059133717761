// How people come to an account of ours. What a client registers (RFC 7591) is client.ts.
import { z } from 'zod';

const MODES = ['off', 'invite', 'open', 'approval'] as const;

export const methodRegistration = z
  .enum(MODES, `must be ${MODES.join(', ')}`)
  .optional()
  .describe(
    'Who may make an account. off: only administrators; invite: people with an invitation; open: everybody who proves an address; approval: those of them whom an approver lets in. Left out: off',
  );

export const REGISTRATION_WORDS = {
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
