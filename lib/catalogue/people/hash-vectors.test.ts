// Hashes that other programs made, each with the command that made it. Default password: 'correct horse é'.
import { expect, it } from 'vitest';
import { cutsPassword, wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { needsRehash, verifyPassword } from '#lib/kit/password-hash.ts';
import { typed } from '#testing/in-process/typed.ts';
import { readHash } from './person-line.ts';

const VECTORS: [command: string, hash: string, password?: string][] = [
  // made with passlib by NAME.hash('correct horse é'), python3-passlib 1.7.4 with python3-argon2 21.1 and
  // python3-bcrypt 3.2
  [
    "passlib bcrypt.using(rounds=5, ident='2b')",
    '$2b$05$PJsEbNCPZPA7pDwg6pbJQeg2/kkZI72fHZVN2eeWWgEzQIyLp976i',
  ],
  [
    "passlib bcrypt.using(rounds=5, ident='2a')",
    '$2a$05$TpnLwBaRkHz5fSMxSRWMO.Ha/RxDqLktHblNTDBjJygZTbMmAwcW.',
  ],
  [
    "passlib bcrypt.using(rounds=5, ident='2y')",
    '$2y$05$hKO/2oBAYr/7Qaj/YPlijOc5qhH7R.xQEb4f0NklwcgtxZ3AEQ7i2',
  ],
  [
    "passlib argon2.using(type='I')",
    '$argon2i$v=19$m=8192,t=2,p=2$GAPAWGtNSakVYsz5n1MKIQ$qNntvD+pgBIBFo/XrhFQ2w',
  ],
  [
    "passlib argon2.using(type='ID')",
    '$argon2id$v=19$m=8192,t=1,p=1$qBWCMAbgHMN4D6FUitHaGw$qalZetNOEuDjfyXjXbZZWQ',
  ],
  [
    'passlib pbkdf2_sha1.using(rounds=1500)',
    '$pbkdf2$1500$FQLAeC/l/B9jDMG4NybkfA$1WCWjTiHuO8onEj9wlrXZHIBBHo',
  ],
  [
    'passlib pbkdf2_sha256.using(rounds=1500)',
    '$pbkdf2-sha256$1500$ZEzJWSvFmJOyFkKodW4NwQ$MFfx05Nb8K6iVcU5uVFzzY4mmNTk1igxqyMEU7/31mI',
  ],
  [
    'passlib pbkdf2_sha512.using(rounds=1500)',
    '$pbkdf2-sha512$1500$a00JodS6d.7d2/sfIySkNA$qgecQI4oRYH0sn88qv95komLdcqdf3SbpRJmx5tqAFWRAZo1MoKwy1Bu6ieuMi8BQWWGFrQlLbCP4DE5.7bLrw',
  ],
  [
    'passlib django_pbkdf2_sha256.using(rounds=1500)',
    'pbkdf2_sha256$1500$rViclvrO4RI9$vO713FKueaFF+YCWJikcRV5e3Tq3MdjNOOMNxTpCdaA=',
  ],
  [
    'passlib django_pbkdf2_sha1.using(rounds=1500)',
    'pbkdf2_sha1$1500$he9MQJMkgxnH$R/WT6SITcZTEGYMKVQOZ2ESz7aM=',
  ],
  [
    'passlib django_bcrypt.using(rounds=5)',
    'bcrypt$$2b$05$Uj3CLhVznUaAStnpc21Waun9WohfYY5UQ1vBd4OzNOUK5d8wC0zEq',
  ],
  [
    'passlib django_bcrypt_sha256.using(rounds=5)',
    'bcrypt_sha256$$2b$05$/7eVRPtPleVrFI98S8JikeOJmuiQ.fRbNbnRUPRMLoB0RY4ETWquO',
  ],
  [
    'passlib django_argon2',
    'argon2$argon2i$v=19$m=8192,t=1,p=1$+x/jHEOI0fpfq5USYkzp/Q$Qj9sBzj+iVWcz0VnrPCT3g',
  ],
  ['passlib django_salted_sha1', 'sha1$Zi69wwngdrBm$a304ff0cb71ccc686db79e8d88961932e7d2c32f'],
  ['passlib django_salted_md5', 'md5$BXs7pJs8UJOz$addd9aeecf3e939c50a3d6d2bb416df9'],
  [
    'passlib scrypt.using(rounds=12)',
    '$scrypt$ln=12,r=8,p=1$mxNirBVCyNm7NwYAIGSMkQ$/i9Sj2lGugosIu5EdGLhlO1DAeZLLox/vxZ8MZMZ65Y',
  ],
  ['passlib ldap_salted_sha1', '{SSHA}u8Jg/oq4+lKTK4KiHfEz06VLPP/Quleq'],
  ['htpasswd -nbs', '{SHA}/8wfRUGm8tTSBrWrjhQj2hPe5cw='],
  ['passlib ldap_salted_md5', '{SMD5}k1Ib+FPPlTmmRf7cKjB0ySvF2Ps='],
  ['passlib ldap_md5', '{MD5}mdTqo8SmDcMiisuCO4kkvg=='],
  ['passlib ldap_salted_sha256', '{SSHA256}B3UeYXe2VGrHoQTYhzkj//aTfZSxC/rCtyGxqcXfufXnXAuBcK7Veg=='],
  [
    'passlib ldap_salted_sha512',
    '{SSHA512}WlIV/NQBCVC6rb+hqlBY7i1WRJpevAJvQWC0tgqx8/4amp44GJS5qqqlLN4EyDuaITTQcwOffi8AgqPqgZPD6joHoNQaI8SY',
  ],
  ['passlib md5_crypt', '$1$.gSLIgvX$a63gP4GGRbNjDewrgOMl//'],
  ['passlib apr_md5_crypt', '$apr1$dN.ia3tt$EFDaX0AukwsznvgRgp2VH1'],
  [
    'passlib sha256_crypt.using(rounds=5000)',
    '$5$YIHTqZ54fjrmB/Qr$zmMhfnQphxDZAOHx8bLqV2BWyaPwMcZARmagJDulYOD',
  ],
  [
    'passlib sha512_crypt.using(rounds=1200)',
    '$6$rounds=1200$lveqvJ//tX1DMMEI$w.VhM0UrCCakWe4d6OizAwKa5RazPJUPKA8uXg4EyToVWfUTN9eDiBKpper/8MfGhcJr2RNeT3m2ZSUWJxtsh0',
  ],
  ['passlib phpass.using(rounds=8)', '$P$6QnRBWflvaqvG9kF1HrqB15AaebQPG0'],
  [
    'passlib ldap_sha512_crypt.using(rounds=5000)',
    '{CRYPT}$6$ex.2IjpF3O6UC.hQ$afVBk3GETkk.FdDHdlq7Mtr5a0RHrQHW1BYDheNi35u0YWEzPYVd8auQb4FDpFb//l1Qp5b.9kux0Ab0BHhfG0',
  ],
  ['htpasswd -nbm', '$apr1$3PE3/j7/$a6gnvWL3jI5xGboN4FWi60'],
  ['openssl passwd -1', '$1$64xWxKWp$fZJk3HhCHSSGF68J/R8NB/'],
  ['openssl passwd -5', '$5$ojrr4gEjgpptcdcP$Yt76HJ061/r4GeBrX..pZoOAEAqgeIa4V8etZYBC677'],
  [
    'openssl passwd -6',
    '$6$kQZWUivOmxa7zIW3$Rl69WiPHcCf8NVDECmwNDtgYK4ZkBQLWZk5yPRElMVNYDWQpJnYSliCw9WOy8SHR2eSYT8AeTuemisLYwmxON.',
  ],
  ["slappasswd -h '{SSHA}' -s", '{SSHA}estJEQBikP224ICFS48nW0F+yOpnX3N+'],
  [
    "slappasswd -o module-load=pw-sha2.so -h '{SSHA256}' -s",
    '{SSHA256}mTE0hLSl7gj/AAugtTpOyxwuGxtnLsKARtLl1IESMZoQ+iNKH1HMgQ==',
  ],
  ['php password_hash(…, PASSWORD_BCRYPT)', '$2y$05$YGVNKZcwmJmHJ1EkxA8PJ.z/UEyaVKlsb2BYX0K9m9UHUoXlqJ05e'],
  [
    "php '$wp' . password_hash(base64_encode(hash_hmac('sha384', …, 'wp-sha384', true)))",
    '$wp$2y$05$NliZG/bonrxz0bhJSX3iSubmVsxaj50CtzdFHkb/E1yMVRJTzl9IG',
  ],
  [
    'php password_hash(…, PASSWORD_ARGON2ID)',
    '$argon2id$v=19$m=8192,t=4,p=1$L1BUYkFJRkJrZ0E5QUFXNA$9DJUFNQCp4crNY0sX9snyjFbBcuKGy7HqE7JSg5o2H8',
  ],
  [
    "slappasswd -o module-load=argon2 -h '{ARGON2}' -s",
    '{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$FCoGU/Z6hRAsnYXejfM6Xw$tNaMWHg/8axEltogo2eFpKY5Y7LKkCqa347sqs/InFE',
  ],
  [
    'the README of firebase/scrypt',
    '$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
    'user1password',
  ],
  ['hashcat --example-hashes -m 7900', '$S$C33783772bRXEx1aCsvY.dqgaaSu76XmVlKrW9Qu8IQlvxHlmzLf', 'hashcat'],
  ['hashcat --example-hashes -m 400', '$P$984478476IagS59wHZvyQMArzfx58u.', 'hashcat'],
  ['htpasswd -nbBC 5', '$2y$05$S459Akfw2wJMZUctPmFoxuP06zi2/9dHMWc4KttQ7mgaJoHmPOrXa'],
  [
    'python hashlib.scrypt, as Django writes it',
    'scrypt$saltysalt$4096$8$1$x7KtpIH6nOqpwB7KbL2ie0E86ucuskWvo3IYMWuvPGYyKPvKAh+hz2/pMGcn5UqY0p6dH3/FFaNuU5DtPvDi0A==',
  ],
  [
    'python hashlib.scrypt, as Kratos writes it',
    '$scrypt$ln=4096,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA==$tDPxJnxSOE3J0iayp6qmZzQEJIzlIcPa0G909MoZ83A=',
  ],
  [
    'python hashlib.pbkdf2_hmac, as ASP.NET Identity 3 writes it',
    'AQAAAAEAAAPoAAAAEHNhbHRzYWx0c2FsdHNhbHS/OK6BNhef6+rXzBeAmqCH2qzIHexCccoBbHU9lnWSQA==',
  ],
  [
    'python hashlib.pbkdf2_hmac, as ASP.NET Identity 3 writes it with SHA-512',
    'AQAAAAIAAAPoAAAAEHNhbHRzYWx0c2FsdHNhbHQFgJWNrsV+VuliCSku1VQ1HcBiGozS5MM0P9whT6TynA==',
  ],
  [
    'python hashlib.pbkdf2_hmac, as ASP.NET Identity 2 writes it',
    'AHNhbHRzYWx0c2FsdHNhbHSevO+Si7K/9KoR/CEdljUc2pP74NH0tStL7H+uXAHung==',
  ],
  [
    'python hashlib.pbkdf2_hmac, 64 bytes with SHA-256 as old Keycloaks',
    '$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0c2FsdA==$vziugTYXn+vq18wXgJqgh9qsyB3sQnHKAWx1PZZ1kkASZuPeHu8QCEk750ODULUVNVC4xrtUidieaAjr3OcECQ==',
  ],
  [
    'python hashlib.pbkdf2_hmac, 64 bytes with SHA-1',
    '$pbkdf2-sha1$i=1000$c2FsdHNhbHRzYWx0c2FsdA==$nrzvkouyv/SqEfwhHZY1HNqT++DR9LUrS+x/rlwB7p5dqOwbDtL6dGbHA+sxJZb94EgBrg3+JAgYzSBiWsi8qw==',
  ],
  [
    'passlib bcrypt of hashlib.sha256(…).hexdigest()',
    '$bcrypt-sha256hex$2b$04$TVzOQwnvHOnyuL2gmbYcoO0WqSPo6p9yDZfpNVJ3ASpkJrL2SSXW.',
  ],
  [
    "passlib bcrypt of the password and 'pepper'",
    '$bcrypt-pepper$2b$04$Z1RH5XAk.0G84b7y7z.3sukFLwkGLM.v8yz7vVPtsiYu9LYFgSCaC$cGVwcGVy',
  ],
  [
    'passlib bcrypt of hmac.new(b"wp-sha384", …, "sha384")',
    '$wp$2y$04$m5qjpI7lKu7rjL3Rav.3eecMQ.uMhYstKmjb/gloMAQ4EEVom3ZnO',
  ],
];

async function stored(hash: string): Promise<string> {
  const read = readHash(hash);
  if (read.form === 'refused') throw new Error(read.because);
  return read.form === 'fast' ? wrapHash(read.hash) : read.hash;
}

it.each(VECTORS)(
  'the imported hash (%s: %s) accepts only its password',
  async (_, hash, password = 'correct horse é') => {
    const kept = await stored(hash);
    expect(needsRehash(kept)).toBe(true);
    expect(await verifyPassword(kept, typed(password))).toBe(true);
    expect(await verifyPassword(kept, typed(`${password}x`))).toBe(false);
    expect(await verifyPassword(kept, typed(''))).toBe(false);
    if (kept.startsWith('$kept$')) expect(kept).not.toContain(hash.slice(-20));
  },
);

it('bcrypt uses 72 bytes, and longer passwords are accepted and detected', async () => {
  // made with passlib: bcrypt.using(rounds=5).hash('x' * 72)
  const hash = '$2b$05$JZiEO5yRNutVt5wBvkWYkupotT54Mb6qLgnRifGqMHF4EPg/UCcxK';
  for (const [length, right] of [
    [71, false],
    [72, true],
    [73, true],
  ] as const)
    expect(await verifyPassword(hash, typed('x'.repeat(length)))).toBe(right);
  expect(cutsPassword(hash, 'x'.repeat(72))).toBe(false);
  expect(cutsPassword(hash, 'é'.repeat(37))).toBe(true);
  expect(cutsPassword(`$bcrypt-sha256hex${hash}`, 'x'.repeat(73))).toBe(false);
});

it('a $2x$ hash matches no password, although the library treats it as $2a$', async () => {
  const hash = '$2y$05$S459Akfw2wJMZUctPmFoxuP06zi2/9dHMWc4KttQ7mgaJoHmPOrXa';
  expect(await verifyPassword(hash, typed('correct horse é'))).toBe(true);
  expect(await verifyPassword(hash.replace('2y', '2x'), typed('correct horse é'))).toBe(false);
});
