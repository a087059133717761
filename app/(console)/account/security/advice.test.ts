import { expect, it } from 'vitest';
import { adviceOn } from './panels.tsx';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const app = (createdAt: number, lastUsedAt: number | null = null) => ({
  id: 'a',
  name: null,
  createdAt: at(createdAt),
  lastUsedAt: lastUsedAt === null ? null : at(lastUsedAt),
});
const key = (createdAt: number, lastUsedAt: number | null = null) => ({
  ...app(createdAt, lastUsedAt),
  name: 'Phone',
  rpId: 'example.com',
  backedUp: true,
});
const NOTHING = { maySetUp: true, totps: [], passkeys: [], recoveryCodes: 0, codeUsedAt: null };

it('users without a second factor are advised to add one, if the sign-in method allows second factors', () => {
  expect(adviceOn(NOTHING)).toBe('add');
  expect(adviceOn({ ...NOTHING, maySetUp: false })).toBeNull();
});

it('a used recovery code causes advice about a lost phone, until the authenticator app is used or replaced', () => {
  const used = { ...NOTHING, totps: [app(1, 2)], recoveryCodes: 9, codeUsedAt: at(5) };
  expect(adviceOn(used)).toBe('phone');
  expect(adviceOn({ ...used, totps: [app(1, 6)] })).toBeNull();
  expect(adviceOn({ ...used, totps: [app(6)] })).toBeNull();
  expect(adviceOn({ ...used, totps: [], passkeys: [key(1)] })).toBe('factor');
  expect(adviceOn({ ...used, passkeys: [key(6)] })).toBeNull();
});

it('a user with few remaining recovery codes is advised to regenerate them', () => {
  const has = { ...NOTHING, totps: [app(1)] };
  expect(adviceOn({ ...has, recoveryCodes: 4 })).toBeNull();
  expect(adviceOn({ ...has, recoveryCodes: 3 })).toBe('codes');
  expect(adviceOn({ ...has, recoveryCodes: 0 })).toBe('codes');
});
