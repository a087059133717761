import { expect, test } from 'vitest';
import { apiToShow } from './client-code.tsx';

const APIS = [{ id: 'billing' }, { id: 'orders' }, { id: 'stock' }];
const shown = (states: Record<string, string>, chosen?: string) =>
  apiToShow(APIS, chosen, ({ id }) => states[id] ?? 'pending')?.id;

test('code examples prefer approved APIs over pending ones', () => {
  expect(shown({ orders: 'approved', stock: 'approved' })).toBe('orders');
  expect(shown({ billing: 'suspended', stock: 'approved' })).toBe('stock');
  expect(shown({})).toBe('billing');
  expect(shown({ orders: 'approved' }, 'billing')).toBe('billing');
  expect(shown({ orders: 'approved' }, 'nosuch')).toBe('orders');
});
