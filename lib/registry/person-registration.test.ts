import { expect, test } from 'vitest';
import { openedByOthers } from './person-registration.ts';

const local = (id: string, registration?: string) => ({ id, type: 'local', config: { registration } });
const named = (...methods: Parameters<typeof openedByOthers>[0]) =>
  openedByOthers(methods).map(({ id, message }) => `${id} ${message}`);

test('an approval or an invitation at one local method that another one opens is said', () => {
  const found = named(
    local('public', 'open'),
    local('staff', 'invite'),
    local('desk', 'approval'),
    local('old'),
  );
  expect(found).toEqual([
    expect.stringMatching(
      /^staff is invite.* at public \(registration: open\), desk \(registration: approval\) sign in here too/,
    ),
    expect.stringMatching(/^desk is approval.* at public \(registration: open\) sign in/),
    expect.stringMatching(/^old is off.* at public .*, staff .*, desk /),
  ]);
});

test('nothing is said of one local method, of several of one registration, or of methods of other kinds', () => {
  expect(named(local('a', 'invite'))).toEqual([]);
  expect(named(local('a', 'approval'), local('b', 'approval'))).toEqual([]);
  expect(named(local('a', 'off'), local('b'))).toEqual([]);
  expect(named(local('a', 'invite'), { id: 'b', type: 'broker', config: { registration: 'open' } })).toEqual(
    [],
  );
});
