import { afterEach, expect, test, vi } from 'vitest';
import { BUILT_IN_API, type Decidable } from '#lib/catalogue/apis/definition.ts';
import type { Role } from '#lib/catalogue/people/definition.ts';
import { now } from '#lib/kit/clock.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import {
  type Action,
  type Actor,
  accessOf,
  CONFIGURATION,
  decidableBy,
  idOf,
  isDeciderOf,
  isHost,
  isOwnSession,
  MANAGEMENT_SCOPES,
  mayDo,
  missingScope,
  nameOf,
  OPERATOR,
  type Person,
  readerOf,
  refuseSelf,
  requesterOf,
  requireAction,
  requireDecider,
  requirePerson,
  requireRecent,
  whoOf,
} from './policy.ts';
import { Refused } from './refused.ts';

type Machine = Extract<Actor, { kind: 'machine' }>;

const REQUEST = { id: 'r', ip: null };
const person = (over: Partial<Person> = {}): Person => ({
  kind: 'person',
  id: 'p1',
  email: 'Ann@Example.com',
  roles: [],
  signedInAt: now(),
  request: REQUEST,
  ...over,
});
const machine = (over: Partial<Machine> = {}): Machine => ({
  kind: 'machine',
  clientId: 'm1',
  ownerId: 'p1',
  scopes: MANAGEMENT_SCOPES,
  request: REQUEST,
  ...over,
});

/** The code and values of the error; null: none. */
function refusal(work: () => void): { code: string; values: object } | null {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { code: error.code, values: error.values };
  }
  return null;
}

// A second copy of the permission table, so that a changed right needs two changes.
const EVERYBODY = 'everybody';
const [ADMIN, DEVELOPER, APPROVER] = [
  ['administrator'],
  ['administrator', 'developer'],
  ['administrator', 'approver'],
] as const satisfies readonly Role[][];
const ACCESS: Record<Action, [roles: readonly Role[] | typeof EVERYBODY, scope: string]> = {
  'account.read': [EVERYBODY, 'account:read'],
  'account.change': [EVERYBODY, 'account:write'],
  'people.read': [ADMIN, 'people:read'],
  'people.manage': [ADMIN, 'people:write'],
  'people.decide': [APPROVER, 'people:decide'],
  'groups.read': [ADMIN, 'groups:read'],
  'groups.manage': [ADMIN, 'groups:write'],
  'clients.create': [DEVELOPER, 'clients:write'],
  'clients.see-own': [DEVELOPER, 'clients:read'],
  'clients.see-all': [ADMIN, 'clients:read'],
  'clients.manage-own': [DEVELOPER, 'clients:write'],
  'clients.manage-all': [ADMIN, 'clients:write'],
  'subscriptions.see-own': [DEVELOPER, 'subscriptions:read'],
  'subscriptions.see-all': [APPROVER, 'subscriptions:read'],
  'subscriptions.request': [DEVELOPER, 'subscriptions:write'],
  'subscriptions.decide': [APPROVER, 'subscriptions:decide'],
  'registry.read': [ADMIN, 'registry:read'],
  'registry.manage': [ADMIN, 'registry:write'],
  'sessions.read': [ADMIN, 'sessions:read'],
  'sessions.end': [ADMIN, 'sessions:write'],
  'keys.read': [ADMIN, 'keys:read'],
  'keys.manage': [ADMIN, 'keys:write'],
  'audit.read': [ADMIN, 'audit:read'],
};
const ROLES: readonly Role[] = ['administrator', 'developer', 'approver'];
const ACTIONS = Object.keys(ACCESS) as Action[];

test.each(ACTIONS)('%s requires its role and, with a token, its scope (RFC 6750 §3.1)', (action) => {
  const [roles, scope] = ACCESS[action];
  const others = MANAGEMENT_SCOPES.filter((name) => name !== scope);
  expect(accessOf([action])).toEqual({ roles: [roles].flat(), scopes: [scope] });
  for (const role of ROLES) {
    const allowed = roles === EVERYBODY || roles.includes(role);
    const asRole = (scopes?: string[]) => person({ roles: [role], ...(scopes && { scopes }) });
    expect(mayDo(asRole(), action), role).toBe(allowed);
    expect(mayDo(asRole([scope]), action), role).toBe(allowed);
    expect(mayDo(asRole(others), action), role).toBe(false);
    expect(missingScope(asRole(others), action), role).toBe(allowed ? scope : null);
    expect(missingScope(asRole([scope]), action), role).toBeNull();
    expect(refusal(() => requireAction(asRole(), action)) === null, role).toBe(allowed);
  }
  expect(mayDo(person(), action)).toBe(roles === EVERYBODY);
  expect(mayDo(machine({ scopes: [scope] }), action)).toBe(roles !== EVERYBODY);
  expect(mayDo(machine({ scopes: others }), action)).toBe(false);
  for (const host of [OPERATOR, CONFIGURATION]) {
    expect(mayDo(host, action)).toBe(true);
    expect(missingScope(host, action)).toBeNull();
    requireAction(host, action);
  }
});

test('isHost accepts command line and configuration file, not people or programs', () => {
  expect([OPERATOR, CONFIGURATION, person(), machine()].map(isHost)).toEqual([true, true, false, false]);
});

test.each<[string, Actor, Action, object]>([
  [
    'the missing scope',
    person({ roles: ['administrator'], scopes: ['keys:read'] }),
    'keys.manage',
    { code: 'right.scope', values: { scope: 'keys:write' } },
  ],
  [
    'the missing scope of a program',
    machine({ scopes: [] }),
    'audit.read',
    { code: 'right.scope', values: { scope: 'audit:read' } },
  ],
  ['the missing account of a program', machine(), 'account.read', { code: 'account.program', values: {} }],
  [
    'the required roles',
    person(),
    'people.decide',
    { code: 'right.role', values: { actor: 'Ann@Example.com', roles: 'administrator_approver' } },
  ],
])('requireAction names %s', (_, actor, action, expected) => {
  expect(refusal(() => requireAction(actor, action))).toEqual(expected);
});

test('accessOf lists roles and scopes of several actions once', () => {
  expect(accessOf(['clients.create', 'clients.see-own', 'clients.manage-own'])).toEqual({
    roles: ['administrator', 'developer'],
    scopes: ['clients:write', 'clients:read'],
  });
  expect(MANAGEMENT_SCOPES).toEqual([...new Set(Object.values(ACCESS).map(([, scope]) => scope))]);
});

const SHOP = { api: 'shop', approvers: [] };
const BUILT_IN = { api: BUILT_IN_API, approvers: [] };

test.each<[string, Actor, Decidable, string | null]>([
  ['the command line', OPERATOR, BUILT_IN, null],
  ['a program with the scope', machine(), BUILT_IN, null],
  ['a program without the scope', machine({ scopes: [] }), SHOP, 'decider.other'],
  ['an administrator', person({ roles: ['administrator'] }), BUILT_IN, null],
  ['an approver of any API', person({ roles: ['approver'] }), SHOP, null],
  [
    'an approver of another API',
    person({ roles: ['approver'] }),
    { ...SHOP, approvers: ['b@x.org'] },
    'decider.other',
  ],
  ['an approver at the built-in API', person({ roles: ['approver'] }), BUILT_IN, 'decider.administrators'],
  ['an approver without the scope', person({ roles: ['approver'], scopes: [] }), SHOP, 'decider.other'],
  ['a developer', person({ roles: ['developer'] }), SHOP, 'decider.other'],
])('isDeciderOf and requireDecider agree about %s', (_, actor, decidable, code) => {
  expect(isDeciderOf(actor, decidable)).toBe(code === null);
  expect(refusal(() => requireDecider(actor, decidable))?.code ?? null).toBe(code);
});

test('requireDecider names the API or the actor', () => {
  const approver = person({ roles: ['approver'], scopes: [] });
  expect(refusal(() => requireDecider(approver, BUILT_IN))?.values).toEqual({ api: BUILT_IN_API });
  expect(refusal(() => requireDecider(approver, SHOP))?.values).toEqual({ actor: 'Ann@Example.com' });
});

test('decidableBy returns the canonical email address of an approver, and null for administrators, programs and the operator', () => {
  expect(decidableBy(person({ roles: ['approver'] }))).toBe('ann@example.com');
  expect(decidableBy(person({ roles: ['approver'], email: null }))).toBe('');
  for (const actor of [OPERATOR, machine(), person({ roles: ['approver', 'administrator'] })])
    expect(decidableBy(actor)).toBeNull();
});

afterEach(() => void vi.useRealTimers());

test('requireRecent rejects programs, and people 15 minutes after sign-in', () => {
  vi.useFakeTimers({ now: 0 });
  const since = (ms: number) => person({ signedInAt: new Date(now().getTime() - ms) });
  const limitMs = RECENT_SECONDS * 1000;
  for (const actor of [OPERATOR, CONFIGURATION, person({ signedInAt: null }), since(0), since(limitMs)])
    expect(refusal(() => requireRecent(actor))).toBeNull();
  expect(refusal(() => requireRecent(since(limitMs + 1)))?.code).toBe('right.fresh_sign_in');
  expect(refusal(() => requireRecent(machine()))?.code).toBe('right.person');
});

test.each<[string, Actor, { name: string; id: string | null; requester: string | null }]>([
  ['a person', person(), { name: 'Ann@Example.com', id: 'p1', requester: 'p1' }],
  ['a program', machine(), { name: 'client m1', id: null, requester: 'p1' }],
  [
    'a program without an owner',
    machine({ ownerId: null }),
    { name: 'client m1', id: null, requester: null },
  ],
  ['the command line', OPERATOR, { name: 'operator', id: null, requester: null }],
  ['the configuration file', CONFIGURATION, { name: 'config', id: null, requester: null }],
])('nameOf, idOf and requesterOf describe %s', (_, actor, { name, id, requester }) => {
  expect({ name: nameOf(actor), id: idOf(actor), requester: requesterOf(actor) }).toEqual({
    name,
    id,
    requester,
  });
  expect(whoOf(actor)).toEqual({ actor: name, actorId: id });
});

test('isOwnSession matches the hash of the current console session only', () => {
  const session = { idHash: Uint8Array.of(0xab, 0x01), authMethodId: 'local' };
  expect(isOwnSession(person({ session }), 'ab01')).toBe(true);
  expect(isOwnSession(person({ session }), 'ab02')).toBe(false);
  for (const actor of [person(), machine(), OPERATOR]) expect(isOwnSession(actor, '')).toBe(false);
});

test('refuseSelf rejects a program that changes its own client', () => {
  expect(refusal(() => refuseSelf(machine(), 'm1'))?.code).toBe('client.itself');
  expect(refusal(() => refuseSelf(machine(), 'm2'))).toBeNull();
  for (const actor of [person(), OPERATOR]) expect(refusal(() => refuseSelf(actor, 'm1'))).toBeNull();
});

test('requirePerson rejects programs and the command line', () => {
  const ann = person();
  expect(requirePerson(ann)).toBe(ann);
  for (const actor of [machine(), OPERATOR, CONFIGURATION])
    expect(refusal(() => requirePerson(actor))?.code).toBe('account.unnamed');
});

test('readerOf returns the user’s address and language, and the page language of the request', () => {
  const request = { ...REQUEST, pageLanguage: 'de' as const };
  expect(readerOf(person({ locale: 'fr', request }))).toEqual({
    email: 'Ann@Example.com',
    locale: 'fr',
    pageLanguage: 'de',
  });
  expect(readerOf(person({ locale: null, request: null }))).toEqual({
    email: 'Ann@Example.com',
    locale: null,
    pageLanguage: undefined,
  });
});
