import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadSettings } from '#lib/settings/index.ts';
import { openCookie, sealCookie } from './sealing.ts';

loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
const shape = z.object({ ids: z.record(z.string(), z.string()) });

test('a cookie opens as what it was sealed for, and only in the shape that is expected', () => {
  const cookie = sealCookie({ ids: { local: 'ghs_x' } }, 'sign-in session');
  expect(openCookie(shape, cookie, 'sign-in session')).toEqual({ ids: { local: 'ghs_x' } });
  expect(openCookie(shape, cookie, 'console session')).toBeNull();
  expect(openCookie(z.object({ console: z.string() }), cookie, 'sign-in session')).toBeNull();
  for (const odd of [{}, { ids: null }, { ids: { local: 7 } }, []])
    expect(openCookie(shape, sealCookie(odd, 'sign-in session'), 'sign-in session')).toBeNull();
});
