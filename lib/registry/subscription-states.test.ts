import { describe, expect, it } from 'vitest';
import { decide, mayRequest, stateWhenChanged, stateWhenRequested } from './subscription-states.ts';

const STATES = ['pending', 'approved', 'rejected', 'suspended', 'revoked'] as const;

describe('CONTEXT.md: a subscription’s states', () => {
  it.each([
    ['approve', ['approved', null, 'approved', null, null]],
    ['reject', ['rejected', null, null, null, null]],
    ['suspend', [null, 'suspended', null, null, null]],
    ['resume', [null, null, null, 'approved', null]],
    ['revoke', ['revoked', 'revoked', 'revoked', 'revoked', null]],
  ] as const)('%s leads from each state only where the table says', (action, expected) => {
    expect(STATES.map((state) => decide(state, action))).toEqual(expected);
  });

  it('trusted always waits, plain only where the API says so', () => {
    expect(stateWhenRequested({ trusted: true, requireApproval: false })).toBe('pending');
    expect(stateWhenRequested({ trusted: false, requireApproval: true })).toBe('pending');
    expect(stateWhenRequested({ trusted: false, requireApproval: false })).toBe('approved');
  });

  it('only what is not there, rejected or revoked can be asked for', () => {
    expect([null, ...STATES].filter((state) => mayRequest(state))).toEqual([null, 'rejected', 'revoked']);
  });

  it('a change sends an approved trusted subscription to pending and never undoes a no', () => {
    const change = { wasTrusted: true, trusted: true, requireApproval: false };
    expect(STATES.map((state) => stateWhenChanged(state, change))).toEqual([
      'pending',
      'pending',
      'rejected',
      'suspended',
      'revoked',
    ]);
    expect(stateWhenChanged('approved', { wasTrusted: false, trusted: false, requireApproval: false })).toBe(
      'approved',
    );
  });
});
