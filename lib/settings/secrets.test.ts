// Secret settings are used exactly as given. The start rejects characters that a file or `echo` added.
import { describe, expect, test } from 'vitest';
import { parseSettings } from './settings.ts';
import { settingRows } from './table.ts';

const secret = Buffer.alloc(32, 7).toString('base64url');
const least = {
  DATABASE_URL: 'postgres://u:p@db.example:5432/g',
  GATEHOUSE_SECRET: secret,
  AUDIT_WEBHOOK_SECRET: secret,
};
/** A valid value for each secret setting. */
const GOOD: Record<string, string> = {
  ...least,
  DIRECT_URL: least.DATABASE_URL,
  SMTP_URL: 'smtp://u:p@mail.example',
  PASSWORD_RANGE_URL: 'https://p.example/range/',
  AUDIT_WEBHOOK_URL: 'https://siem.example/events',
  METRICS_TOKEN: 'sixteen-or-more!',
  CRON_SECRET: 'sixteen-or-more!',
  REGISTRATION_TOKEN: 'sixteen-or-more!',
};
const SPOILED: [how: string, spoil: (good: string) => string, reason: RegExp][] = [
  [
    'a line break after it, as echo writes',
    (good) => `${good}\n`,
    /ends in a line break \(echo adds one, printf does not\)$/,
  ],
  ['the line break of Windows', (good) => `${good}\r\n`, /ends in a line break/],
  ['a carriage return', (good) => `${good}\r`, /ends in a line break/],
  ['a line break before it', (good) => `\n${good}`, /begins with a line break/],
  ['a line break in it', (good) => `${good.slice(0, 9)}\n${good.slice(9)}`, /contains a line break/],
  ['a space before it', (good) => ` ${good}`, /begins with a space/],
  ['a space after it', (good) => `${good} `, /ends in a space/],
  ['a tab after it', (good) => `${good}\t`, /contains a control character/],
  ['a byte order mark', (good) => `\uFEFF${good}`, /begins with a byte order mark/],
  ['NUL', (good) => `${good}\u0000`, /contains a control character/],
  ['a letter that is not ASCII', (good) => `${good}é`, /contains a character outside of printable ASCII/],
  ['a space that is none', (good) => `${good}\u00A0x`, /contains a character outside of printable ASCII/],
];

const SECRET = settingRows().flatMap(([name, { secret }]) => (secret === undefined ? [] : [name]));

describe.each(SECRET)('the secret setting %s', (name) => {
  test('a valid value of the secret setting is accepted', () =>
    expect(() => parseSettings({ ...least, [name]: GOOD[name] })).not.toThrow());
  test.each(SPOILED)(
    'a secret value with %s is rejected, and the message omits the value',
    (_, spoil, reason) => {
      const value = spoil(GOOD[name] ?? '');
      let line = 'taken';
      try {
        parseSettings({ ...least, [name]: value });
      } catch (error) {
        line = (error as Error).message;
      }
      expect(line).toMatch(reason);
      expect(line.startsWith(`${name} `)).toBe(true);
      expect(line).not.toContain(GOOD[name]);
    },
  );
});

test('every setting whose name suggests a secret is marked as secret', () => {
  const shown = ['BASE_URL', 'AUTH_URL'];
  const suspect = settingRows()
    .map(([name]) => name)
    .filter((name) => /SECRET|TOKEN|PASSWORD_R|KEY\b|_URL$/.test(name) && !shown.includes(name));
  expect(new Set(suspect)).toEqual(new Set(SECRET));
});

test.each(['PORT', 'HOST', 'BASE_URL', 'SERVICE_NAME', 'LOG_LEVEL', 'PASSKEY_RP_ID'])(
  'the setting %s, which is not secret, also rejects a trailing line break',
  (name) => {
    expect(() => parseSettings({ ...least, [name]: 'x\n' })).toThrow(`${name} ends in a line break`);
  },
);
