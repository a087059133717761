// Claims that can decide about access, under their names at the provider.
import { expect, test } from 'vitest';
import { claimFault, requiredClaimFaultAt } from './questions.ts';

const brokerWith = (member: string) => ({
  type: 'broker' as const,
  config: { issuer: 'https://id.example', client_id: 'x', claims: { team: member } },
});

test.each(['address', 'address.locality', 'profile.team', 'email.domain'])(
  'a claim that the claim map reads from %s, which users can edit, cannot decide access',
  (member) => {
    const fault = { kind: 'personal', claim: 'team', member };
    expect(claimFault(brokerWith(member), { claim: 'team', values: ['x'] })).toEqual(fault);
    expect(requiredClaimFaultAt(brokerWith(member), { name: 'team', values: ['x'] })).toEqual(fault);
  },
);

test.each(['team', 'realm_access.roles', 'https://id.example/address.locality'])(
  'a claim that the claim map reads from %s can decide access',
  (member) => expect(claimFault(brokerWith(member), { claim: 'team', values: ['x'] })).toBeNull(),
);
