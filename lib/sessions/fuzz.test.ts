import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { like, nasty } from '../../scripts/fuzz/values.ts';
import { readKnownDevice, rememberDevice } from './known-device.ts';
import { findInBrowser } from './page-state.ts';
import { allSessionHashes, readSessionHash } from './sign-in.ts';
import { antiForgeryToken, isAntiForgeryToken, openTransaction, readBrowser } from './transaction.ts';

loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
const PERSON = { personId: '00000000-0000-4000-8000-000000000001', personEpoch: '1' };
const NAMES = ['gatehouse-sign-in', 'gatehouse-device', 'gatehouse-transaction', 'gatehouse-page'];

test('SN-07: a cookie with random content opens no session, matches no known browser and throws no error', async () => {
  const seal = like('Fe26.2*1*2*3*4*5*6*7~2', 'Fe26.2**a*b*c**d*e~2', 'v1.a.b.c');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), seal, async (name, value) => {
      const header = `${name}=${value}`;
      expect(await allSessionHashes(header)).toEqual([]);
      expect(await readSessionHash(header, 'pw')).toBeNull();
      expect(await readSessionHash(header, '__proto__')).toBeNull();
      expect(readKnownDevice(header, 'pw alice@example.com')).toBeNull();
      expect(findInBrowser('A'.repeat(22), { kind: 'draft' }, header)).toBeNull();
      readBrowser(header);
      openTransaction(header);
    }),
    { numRuns: 5_000 },
  );
});

test('the cookie of a known browser recognizes the accounts that signed in with it, and no other accounts', () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 5 }), nasty, (accounts, stranger) => {
      let header: string | undefined;
      for (const account of accounts) header = rememberDevice(header, [account], PERSON).split(';')[0];
      const ids = accounts.map((account) => readKnownDevice(header, account)?.id);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toBeDefined();
      if (!accounts.includes(stranger)) expect(readKnownDevice(header, stranger)).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

test('CS-03: an anti-forgery token is valid for its browser and form only', () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, (browser, form, other) => {
      const name = browser.toWellFormed();
      const token = antiForgeryToken(name, form);
      expect(isAntiForgeryToken(token, name, form)).toBe(true);
      if (other !== name) expect(isAntiForgeryToken(token, other, form)).toBe(false);
      if (Buffer.compare(Buffer.from(other), Buffer.from(form)) !== 0)
        expect(isAntiForgeryToken(token, name, other)).toBe(false);
      expect(isAntiForgeryToken(other, name, form)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
