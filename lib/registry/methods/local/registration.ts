// How people come to an account of ours. What a client registers (RFC 7591) is client.ts.
import { z } from 'zod';

const MODES = ['off', 'invite', 'open', 'approval'] as const;

export const methodRegistration = z
  .enum(MODES, `must be ${MODES.join(', ')}`)
  .optional()
  .describe(
    'Who may make an account: nobody (off), whoever was invited (invite), everybody whose address is proved (open), or those of them whom somebody approved (approval)',
  );

export const REGISTRATION_WORDS = {
  '': { label: 'Off', note: 'An administrator makes the accounts.' },
  off: { label: 'Off (set explicitly)', note: 'No one can sign up, even if the default changes.' },
  invite: {
    label: 'Invited people',
    note: 'An invitation goes to an address, and its link makes the account.',
  },
  open: { label: 'Everybody', note: 'Whoever proves an address may make an account with it.' },
  approval: {
    label: 'Whoever is approved',
    note: 'Whoever proves an address waits until an approver or administrator lets them in.',
  },
};
