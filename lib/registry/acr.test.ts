import { expect, test } from 'vitest';
import { ACR_ALIASES, ACR_VALUES, acrOfLevel, levelOf } from './claims.ts';

test('acr classes are in ascending order and map to levels', () => {
  expect(ACR_VALUES.map(levelOf)).toEqual([1, 2, 3]);
  expect(([1, 2, 3] as const).map(acrOfLevel)).toEqual([...ACR_VALUES]);
});

test('EAP ACR Values §2: phr and phrh are the highest class, and other aliases are unknown', () => {
  expect(Object.keys(ACR_ALIASES).map(levelOf)).toEqual([3, 3]);
  for (const other of ['', 'mfa', 'PHR', '__proto__', 'toString', 'urn:gatehouse:acr:', '0'])
    expect(levelOf(other), other).toBeNull();
});
