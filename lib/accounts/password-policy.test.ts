import { describe, expect, it } from 'vitest';
import { ownWordFault } from './password-policy.ts';

const owner = { email: 'alice.smith@example.com', name: 'Alice Smith', host: 'login.shop.example' };

describe('NIST SP 800-63B §3.1.1.2: personal words as passwords', () => {
  it.each([
    'alice.smith@example.com',
    'Alice.Smith@Example.COM',
    'alice.smith',
    'alicesmith',
    'ALICE_SMITH-2026!',
    'Alice Smith',
    'alice123456',
    'smithsmithsmith',
    '1234alice',
    'Gatehouse',
    'gatehouse2026',
    '!!GateHouse!!',
    'login.shop.example',
    'shopshop1',
    'ａｌｉｃｅｓｍｉｔｈ',
  ])('a password that contains personal words is rejected: %s', (password) => {
    expect(ownWordFault(password, owner)).toEqual({ code: 'new_password.own_words' });
  });

  it.each(['alice-likes-tea', 'gatehouse and garden', 'correct horse battery', '12345678', 'smith&wesson'])(
    '%s is accepted',
    (password) => {
      expect(ownWordFault(password, owner)).toBeNull();
    },
  );

  it('a password made of the configured service name is rejected', () => {
    const nobody = { email: null, name: '', host: null, service: 'Blue Harbour' };
    expect(ownWordFault('blue-harbour-1', nobody)).not.toBeNull();
    expect(ownWordFault('blue-harbour-1', { ...nobody, service: 'Gatehouse' })).toBeNull();
  });

  it('a person without an address and a name has no personal words that a password must avoid', () => {
    expect(ownWordFault('anything-else', { email: null, name: '', host: null })).toBeNull();
    expect(ownWordFault('gatehouse1', { email: null, name: '', host: null })).not.toBeNull();
  });
});
