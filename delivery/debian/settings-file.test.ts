// A settings file is parsed like an EnvironmentFile of systemd (systemd.exec(5)).
import { expect, test } from 'vitest';
import { settingsIn } from './settings-file.mjs';

test.each([
  [
    'A=1\nB=2',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['# A=1\n; B=2\n  # C=3\n\nD=4', [['D', '4']]],
  // a comment must be on a separate line, so this value includes `#`
  ['A=pass#word # more', [['A', 'pass#word # more']]],
  ['URL=postgresql://u:p@h/d?a=1&b=$2;c', [['URL', 'postgresql://u:p@h/d?a=1&b=$2;c']]],
  ["A='one two'  ", [['A', 'one two']]],
  ['A="one \\"two\\" \\$three \\n"', [['A', 'one "two" $three \\n']]],
  ["A='it'\\''s'", [['A', "it's"]]],
  [
    'A=one\\\ntwo\nB=3',
    [
      ['A', 'onetwo'],
      ['B', '3'],
    ],
  ],
  [
    "A='one\ntwo'\nB=3",
    [
      ['A', 'one\ntwo'],
      ['B', '3'],
    ],
  ],
  [
    'A=\nB= 2 ',
    [
      ['A', ''],
      ['B', '2'],
    ],
  ],
  ['export A=1\nno setting\nB=2\r\n', [['B', '2']]],
])('the settings file is parsed like an EnvironmentFile of systemd: %j', (text, pairs) => {
  expect(settingsIn(text)).toEqual(pairs);
});
