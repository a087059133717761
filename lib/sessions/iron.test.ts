// Sealed by iron-session 9.0.1, as the version before did.
import { expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/index.ts';
import { sha256 } from '../kit/index.ts';
import { readSessionHash } from './index.ts';
import { openIronSeal } from './iron.ts';

const passwords = {
  7: 'a-password-of-at-least-thirty-two-characters',
  9: 'another-password-of-thirty-two-characters',
};
const VALUE = { ids: { local: 'ghs_something', ünïcode: '☃' } };
const BY_7 =
  'Fe26.2*7*00dfec6378e7de8784c9ec464f108dccd96021b09340586b29b13e1dd605b527*vxGwgJwpJPab_oFU1-7H6A*tDJTZh8CVS9TgpBJ_RruR4lO-HHcawwT4FRPlPxQdnMh1NmtGy3VXzBQzEOTABddpiLyY_jiD8T_hnby7QtCHA**81a9b8ce16cf7b23d226decd5fa51bb56a1a8efd34896b8a290929b61c59d256*s1oZrSfYDNSJHEih6pcxRx9BNeV-KJ3uxly4oA0MkTo';
const BY_9 =
  'Fe26.2*9*1adfec59d6187bd9a587a59e88b3c496430e3e0a8840100ae9c4b9a00e48f795*R_yCnsZpDxonqH4c7VBkXg*2ckU_4-fY62c-4dS8aFM48nfDiJUj6a6nxV-bW3clhcyJc4VRWtl9_ros_-UpZkZs7ySM3fxCU_rLowms7BL0w**0cf38e6bcf4773401a247c0ff998c3f8250634084b5ab850f14a1af83b69061e*c4wRp3wI1k_4sfOCx9r5p72Dpo-JEpNixez-M_HvN0E';
const WITH_EXPIRY =
  'Fe26.2*7*e2bde98e94ad276fde3017a97e9d9d68bf023de9b7c25ada3db076ae6ea9f36c*p6hkgFKYlbDyzJzTIiv8aQ*phYzAxjUwQrVDgoZlhjYNEWNJgq1ckQx6g3f9uNz0NxEr-pda_KbbNllwdZguevDwiU6rMAiU0tEphvypUAKXQ*1795330613677*6ced8c75bf68d230c16a6c8b635d916688b923d205ee0b7b08db25a23ee6a7ae*qZ6mxCsV7cSzjvLV-QnkwwtkoIvhCs7WwkmmY7nxwo4';
/** A whole cookie, under the GATEHOUSE_SECRET of 43 times A. */
const COOKIE =
  'Fe26.2*3947721073*828675902cf25f13bb9f6157a697a7ff2b949a9e6984722334bbdcc52f488486*3Odod2VwT1Aq1Gq6-Ikl4A*QYX690Hn5TrhXKXDb_0daUfpLdgLqJEwEf5VibOAyNZhzRnjNzlkSKch78W0WLpmSj5qGcos9peibMMd9jdTe-cKt33BUcmBdHFkm_EaeWc**fed06e25ce10a93a4b3c133b441d70ab0e9968b56327b5a965bf0ca6d77db117*swT1S60s8jwJsIdB7GxYMGI7vNejRBPCNVD48Zuovug~2';

test('a session of the version before goes on, whatever secret was put in front since', () => {
  for (const secrets of ['A'.repeat(43), `${'B'.repeat(43)},${'A'.repeat(43)}`]) {
    loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: secrets });
    const header = `gatehouse-sign-in=${COOKIE}`;
    expect(readSessionHash(header, 'campus')).toEqual(sha256(`ghs_${'b'.repeat(43)}`));
    expect(readSessionHash(header, 'another')).toBeNull();
  }
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'B'.repeat(43) });
  expect(readSessionHash(`gatehouse-sign-in=${COOKIE}`, 'campus')).toBeNull();
});

test('what iron-session sealed under any of the passwords opens', () => {
  for (const sealed of [BY_7, BY_9]) expect(JSON.parse(openIronSeal(sealed, passwords) ?? '')).toEqual(VALUE);
});

test('a seal that was changed in any character of any part opens nothing', () => {
  const parts = BY_7.split('*');
  for (const [index, part] of parts.entries()) {
    const at = Math.floor(part.length / 2);
    const other = part.slice(0, at) + (part[at] === 'a' ? 'b' : 'a') + part.slice(at + 1);
    expect(openIronSeal(parts.with(index, other).join('*'), passwords), `part ${index}`).toBeNull();
    expect(openIronSeal(parts.toSpliced(index, 1).join('*'), passwords)).toBeNull();
  }
  expect(openIronSeal(`${BY_7}*`, passwords)).toBeNull();
  expect(openIronSeal(parts.with(1, 'constructor').join('*'), passwords)).toBeNull();
  expect(openIronSeal(parts.with(1, '9').join('*'), passwords)).toBeNull();
});

test('a password that is gone, a seal with an expiry, and no seal at all open nothing', () => {
  expect(openIronSeal(BY_7, { 9: passwords[9] })).toBeNull();
  expect(openIronSeal(WITH_EXPIRY, passwords)).toBeNull();
  for (const text of ['', '*', '*******', 'Fe26.2', 'Fe26.1**0*x*x**x*x'])
    expect(openIronSeal(text, passwords)).toBeNull();
});
