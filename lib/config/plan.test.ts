import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, plan } from './plan.ts';

const keep = { prune: false };
const client = (redirect_uris: string[], confidential = true, application_type = 'web'): Item => ({
  type: 'client',
  id: 'c',
  fields: { confidential, application_type, redirect_uris },
  secrets: {},
});
const subscription = (fields: object, rest: Partial<Item> = {}): Item => ({
  type: 'subscription',
  id: 'c a',
  fields: { client_id: 'c', api: 'a', trusted: true, scopes: [], ...fields },
  secrets: {},
  ...rest,
});
const stateAfter = (current: Item[], desired: Item[]) =>
  plan(current, desired, keep).find((change) => change.type === 'subscription')?.after?.fields.state;

describe('the plan', () => {
  it('what is as the file says is nothing to change, whatever it is', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()), fc.constant(null));
    const item = fc.record({
      type: fc.constantFrom('auth_method' as const, 'api' as const, 'client' as const, 'user' as const),
      id: fc.string({ minLength: 1 }),
      fields: fc.dictionary(fc.string({ minLength: 1 }), value),
      secrets: fc.dictionary(fc.string({ minLength: 1 }), fc.string()),
    });
    const items = fc.uniqueArray(item, { selector: (one) => `${one.type} ${one.id}` });
    fc.assert(
      fc.property(items, (some) => {
        expect(plan(some, some, { prune: true })).toEqual([]);
      }),
    );
  });

  it('a field or secret that the file does not give is left, and a secret is never shown', () => {
    const before: Item = {
      type: 'user',
      id: 'a',
      fields: { name: 'A', disabled: true },
      secrets: { password: 'old-hash' },
    };
    expect(plan([before], [{ ...before, fields: {}, secrets: {} }], keep)).toEqual([]);
    const [change] = plan([before], [{ ...before, secrets: { password: 'new-hash' } }], keep);
    expect(change?.lines).toEqual(['~ password: (changed)']);
  });

  it('removes only with --prune, only what a file made, subscriptions before clients', () => {
    const current = [
      { ...client([]), managed: true },
      { ...subscription({ state: 'approved' }), managed: true },
    ];
    expect(plan(current, [], keep)).toEqual([]);
    expect(plan(current, [], { prune: true }).map((one) => `${one.kind} ${one.type}`)).toEqual([
      'remove subscription',
      'remove client',
    ]);
    expect(plan([client([])], [], { prune: true })).toEqual([]);
  });

  it('a new trusted subscription waits unless the file names who approved it', () => {
    expect(stateAfter([], [subscription({})])).toBe('pending');
    expect(stateAfter([], [subscription({}, { approvedBy: 'admin' })])).toBe('approved');
    expect(stateAfter([], [subscription({ trusted: false })])).toBe('approved');
  });

  it.each(['rejected', 'suspended', 'revoked', 'pending'])(
    'never undoes what a person decided: %s',
    (state) => {
      const before = subscription({ state }, { decided: true });
      expect(plan([before], [subscription({}, { approvedBy: 'admin' })], keep)).toEqual([]);
      if (state === 'pending') return;
      expect(stateAfter([before], [subscription({ scopes: ['x'] }, { approvedBy: 'admin' })])).toBe(state);
    },
  );

  it.each([
    ['other scopes', subscription({ scopes: ['x'] }), client(['https://c.example'])],
    ['other redirect addresses', subscription({}), client(['https://d.example'])],
    ['turning public', subscription({}), client(['https://c.example'], false)],
  ])('%s send an approved trusted subscription to pending', (_, wanted, asClient) => {
    const current = [client(['https://c.example']), subscription({ state: 'approved' }, { decided: true })];
    expect(stateAfter(current, [asClient, wanted])).toBe('pending');
  });

  it('so does a browser client that turns native', () => {
    const uris = ['https://c.example'];
    const current = [client(uris, false, 'browser'), subscription({ state: 'approved' }, { decided: true })];
    expect(stateAfter(current, [client(uris, false, 'native')])).toBe('pending');
    expect(stateAfter(current, [client(uris, false, 'browser')])).toBeUndefined();
  });

  it('also where the subscription is not in the file, and approved_by does not cover a change of the client', () => {
    const current = [client(['https://c.example']), subscription({ state: 'approved' }, { decided: true })];
    expect(stateAfter(current, [client(['https://d.example'])])).toBe('pending');
    const named = subscription({}, { approvedBy: 'admin' });
    expect(stateAfter(current, [client(['https://d.example']), named])).toBe('pending');
  });
});
