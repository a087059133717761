import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callerLimits, kindOfLimit } from './limits.ts';

const allowance = fc.record({
  what: fc.constant('things'),
  each: fc.integer({ min: 1, max: 5_000 }),
  windowSeconds: fc.integer({ min: 300, max: 86_400 }),
  all: fc.integer({ min: 4, max: 5_000 }),
  allSeconds: fc.constantFrom(5, 300, 3_600),
});

test('an address block can use at most 1/4 of a global limit, and a /48 network 1/2', () => {
  fc.assert(
    fc.property(allowance, fc.constantFrom('192.0.2.1', '2001:db8::1'), (of, address) => {
      const limits = callerLimits(of, address);
      const least = (kind: string) =>
        Math.min(...limits.filter(({ key }) => kindOfLimit(key) === kind).map(({ max }) => max));
      expect(least('all')).toBe(of.all);
      expect(least('address')).toBeLessThanOrEqual(of.all / 4);
      if (address.includes(':')) expect(least('wide')).toBeLessThanOrEqual(of.all / 2);
    }),
  );
});
