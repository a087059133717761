import { describe, expect, it } from 'vitest';
import { requiredClaim, requiredClaimFault } from './claims.ts';

const read = (name: string, ...values: string[]) => requiredClaim.safeParse({ name, values });

describe('a required claim', () => {
  it('a required claim consists of a name and unique values, and email addresses are stored in lower case', () => {
    expect(read('groups', 'Finance', ' eu ', 'Finance').data).toEqual({
      name: 'groups',
      values: ['Finance', 'eu'],
    });
    expect(read('email', 'Erin@Example.com', '@Example.com').data?.values).toEqual([
      'erin@example.com',
      '@example.com',
    ]);
    expect(read(`it's-"quoted"`, `a "b" 'c' \\`).data?.name).toBe(`it's-"quoted"`);
  });

  it.each<[string, string, string[]]>([
    ['no value', 'groups', []],
    ['an empty value', 'groups', [' ']],
    ['a value over 200 characters', 'groups', ['x'.repeat(201)]],
    ['more than a hundred', 'groups', Array.from({ length: 101 }, (_, at) => `g${at}`)],
    ['a NUL', 'groups', ['a\u0000']],
    ['half a character', 'groups', ['\ud800']],
    ['a reserved name', 'sub', ['x']],
    ['a name with a space', 'my groups', ['x']],
    ['a name that people choose', 'name', ['Erin']],
    ['no address', 'email', ['example.com']],
    ['a value that email_verified never has', 'email_verified', ['yes']],
  ])('a required claim with %s is rejected', (_, name, values) => {
    expect(read(name, ...values).success).toBe(false);
  });

  it('the name of a required claim must be a claim that a method of the API issues', () => {
    const claim = { name: 'team', values: ['x'] };
    expect(requiredClaimFault(claim, ['team'])).toBe(null);
    expect(requiredClaimFault(claim, ['department'])?.message).toBe(
      'must be a claim that a method of the API provides: department, email, email_verified, groups',
    );
    expect(requiredClaimFault({ ...claim, name: 'groups' }, [])).toBe(null);
    expect(requiredClaimFault({ ...claim, name: 'email' }, [])).toBe(null);
  });
});
