import { expect, test } from 'vitest';
import { requesterIn } from './subscription-facts.tsx';

type Requested = Parameters<typeof requesterIn>[0];
const asked = (actor: string | null, emails: Partial<Requested> = {}): Requested => ({
  history: (actor === null ? [] : [{ from: null, to: 'pending', actor }]) as never,
  requestedByEmail: null,
  ownerEmail: null,
  ...emails,
});

test.each<[string, Requested, string]>([
  ['a program', asked('client provisioning'), 'the client provisioning'],
  ['a program of an owner', asked('client ci', { requestedByEmail: 'dev@example.com' }), 'the client ci'],
  ['a person', asked('Dev', { requestedByEmail: 'dev@example.com' }), 'dev@example.com'],
  ['a person who is gone', asked('gone@example.com'), 'gone@example.com'],
  ['the file', asked('config', { ownerEmail: 'dev@example.com' }), 'the configuration file'],
  ['the command line', asked('operator'), 'the command line'],
  ['a request without a history', asked(null, { ownerEmail: 'dev@example.com' }), 'dev@example.com'],
  ['nobody known', asked(null), 'the configuration file'],
])('a request of %s names its actor', (_, of, name) => {
  expect(requesterIn(of)).toBe(name);
});
