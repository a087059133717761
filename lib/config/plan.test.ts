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
  it('property: the plan of equal items contains no changes', () => {
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

  it('fields and secrets that the file lacks stay unchanged, and the plan never shows secrets', () => {
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

  it('the plan removes objects only with --prune and only managed ones, and removes subscriptions before clients', () => {
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

  it('a new trusted subscription waits for approval unless the file names who approved it', () => {
    expect(stateAfter([], [subscription({})])).toBe('pending');
    expect(stateAfter([], [subscription({}, { approvedBy: 'admin' })])).toBe('approved');
    expect(stateAfter([], [subscription({ trusted: false })])).toBe('approved');
  });

  it.each(['rejected', 'suspended', 'revoked', 'pending'])(
    'contract 3: approved_by never replaces a person’s decision: %s',
    (state) => {
      const before = subscription({ state }, { refused: true });
      expect(plan([before], [subscription({}, { approvedBy: 'admin' })], keep)).toEqual([]);
      const widened = subscription({ scopes: ['x'] }, { approvedBy: 'admin' });
      expect(stateAfter([before], [widened])).toBe(state);
    },
  );

  it('approved_by approves a pending subscription that nobody rejected', () => {
    const before = subscription({ state: 'pending' });
    expect(stateAfter([before], [subscription({}, { approvedBy: 'admin' })])).toBe('approved');
  });

  const clientOf = (uris: string[], rest: unknown[]) => client(uris, ...(rest as [boolean, string]));
  const uris = ['https://c.example'];
  const approved = (fields: object) => subscription({ state: 'approved', ...fields });
  const TERMS: [name: string, before: Item[], after: [Item, object], changed: string[]][] = [
    ['scopes', [client(uris)], [client(uris), { scopes: ['x'] }], ['scopes']],
    ['redirect_uris', [client(uris)], [client(['https://d.example']), {}], ['redirect_uris']],
    ['one redirect URI less', [client([...uris, 'a:/b'])], [client(uris), {}], ['redirect_uris']],
    [
      'confidential',
      [client(uris)],
      [client(uris, false, 'browser'), {}],
      ['confidential', 'application_type'],
    ],
    [
      'application_type',
      [clientOf(uris, [false, 'browser'])],
      [clientOf(uris, [false, 'native']), {}],
      ['application_type'],
    ],
  ];
  const KINDS = [{ trusted: true }, { trusted: false, machine: true }, { trusted: false, device: true }];
  const CASES = TERMS.flatMap((term) =>
    KINDS.map((kind) => [term[0], JSON.stringify(kind), term, kind] as const),
  );

  it.each(CASES)(
    'contract 10: a subscription with changed %s of %s waits for approval, and approved_by grants the approval',
    (_, __, term, kind) => {
      const [, before, [asClient, fields], changed] = term;
      const current = [...before, approved(kind)];
      const waiting = plan(current, [asClient, subscription({ ...kind, ...fields })], keep);
      const stopped = waiting.find(({ type }) => type === 'subscription');
      expect([stopped?.after?.fields.state, stopped?.stopsBy]).toEqual(['pending', changed]);
      const named = subscription({ ...kind, ...fields }, { approvedBy: 'admin' });
      const change = plan(current, [asClient, named], keep).find(({ type }) => type === 'subscription');
      expect([change?.after?.fields.state, change?.stopsBy]).toEqual(['approved', undefined]);
    },
  );

  it('a changed client returns its subscription to pending, even if the file omits the subscription', () => {
    const current = [client(uris), approved({})];
    expect(stateAfter(current, [client(['https://d.example'])])).toBe('pending');
  });

  it('an untrusted subscription stays approved after its terms change, and the plan contains no approval', () => {
    const current = [client(uris), approved({ trusted: false })];
    const wanted = [client(['https://d.example']), subscription({ trusted: false }, { approvedBy: 'admin' })];
    expect(plan(current, wanted, keep).map(({ type }) => type)).toEqual(['client']);
  });
});
