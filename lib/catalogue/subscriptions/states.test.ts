import { describe, expect, it } from 'vitest';
import {
  decide,
  isAsApproved,
  mayRequest,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
} from './definition.ts';

const PLAIN = { trusted: false, machine: false, device: false };
const TRUSTED = { trusted: true, machine: false, device: false };
const DEVICE = { trusted: false, machine: false, device: true };
const MACHINE = { trusted: false, machine: true, device: false };
const STATES = ['pending', 'approved', 'rejected', 'suspended', 'revoked'] as const;

describe('GLOSSARY.md: the states of a subscription', () => {
  it.each([
    ['approve', ['approved', null, 'approved', null, null]],
    ['reject', ['rejected', null, null, null, null]],
    ['suspend', [null, 'suspended', null, null, null]],
    ['resume', [null, null, null, 'approved', null]],
    ['revoke', ['revoked', 'revoked', 'revoked', 'revoked', null]],
  ] as const)(
    '%s: the transitions that the code allows equal the table in GLOSSARY.md',
    (action, expected) => {
      expect(STATES.map((state) => decide(state, action))).toEqual(expected);
    },
  );

  it('trusted, machine and device subscriptions always wait for approval, and plain subscriptions only if the API requires approval', () => {
    expect(stateWhenRequested({ ...TRUSTED, requireApproval: false })).toBe('pending');
    expect(stateWhenRequested({ ...MACHINE, requireApproval: false })).toBe('pending');
    expect(stateWhenRequested({ ...DEVICE, requireApproval: false })).toBe('pending');
    expect(stateWhenRequested({ ...PLAIN, requireApproval: true })).toBe('pending');
    expect(stateWhenRequested({ ...PLAIN, requireApproval: false })).toBe('approved');
  });

  it('a subscription can be requested if there is none, or after a rejection or revocation', () => {
    expect([null, ...STATES].filter((state) => mayRequest(state))).toEqual([null, 'rejected', 'revoked']);
  });

  it('a change returns an approved subscription with extra permissions to pending, and leaves rejected, suspended and revoked ones unchanged', () => {
    const requireApproval = false;
    for (const powers of [TRUSTED, MACHINE, DEVICE]) {
      const change = { before: powers, after: powers, requireApproval };
      expect(STATES.map((state) => stateWhenChanged(state, change))).toEqual([
        'pending',
        'pending',
        'rejected',
        'suspended',
        'revoked',
      ]);
      expect(stateWhenChanged('approved', { before: PLAIN, after: powers, requireApproval })).toBe('pending');
      expect(stateWhenChanged('approved', { before: powers, after: PLAIN, requireApproval })).toBe(
        'approved',
      );
    }
    expect(stateWhenChanged('approved', { before: PLAIN, after: PLAIN, requireApproval })).toBe('approved');
  });

  it('a resumed subscription has exactly the permissions that were approved', () => {
    const client = { kind: 'confidential' as const, redirectUris: [], scopes: [] };
    expect(isAsApproved({ ...client, ...MACHINE }, { ...client, ...MACHINE })).toBe(true);
    expect(isAsApproved({ ...client, ...MACHINE }, { ...client, ...PLAIN })).toBe(false);
    expect(isAsApproved({ ...client, ...MACHINE }, { ...client, ...MACHINE, kind: 'native' })).toBe(false);
  });

  it('if a client is replaced under the same name, each subscription with extra permissions returns to pending', () => {
    expect(stateWhenTrustEnds('approved', MACHINE)).toBe('pending');
    expect(stateWhenTrustEnds('approved', PLAIN)).toBe('approved');
  });
});
