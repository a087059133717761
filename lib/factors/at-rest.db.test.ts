// A copy of the database reveals only that factors exist.
import { beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { tableThatHolds } from '#testing/data/at-rest.ts';
import { codeOf, FACTOR_CONTEXT as context, givenPersonWithApp } from '#testing/factors/factors.ts';
import { makeRecoveryCodes, proveRecoveryCode, proveTotp } from './totp.ts';

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
});

test('no table contains secrets of authenticator apps, recovery codes or typed codes in plain text', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const codes = await makeRecoveryCodes(personId);
  const [used = ''] = codes;
  await proveRecoveryCode({ personId, code: used, context });
  await proveTotp({ personId, code: codeOf(secret), context });
  const mistyped = ['wrong-and-telling-1', 'wrong-and-telling-2'];
  for (const code of mistyped) {
    await proveTotp({ personId, code, context });
    await proveRecoveryCode({ personId, code, context });
  }
  // proves that the search works: it finds a value that is stored
  expect(await tableThatHolds([personId])).not.toBeNull();
  const bare = codes.map((code) => code.replaceAll('-', ''));
  // if the hashes had no salt, one search could compare a code with every row
  const hashes = bare.map((code) => sha256(code).toString('hex'));
  expect(await tableThatHolds([secret, ...codes, ...bare, ...hashes, ...mistyped])).toBeNull();
});
