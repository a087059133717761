// Values that are objects or lists, such as a name in several languages, are readable in every table of the command
// line and in every error of a server.
import { expect, test, vi } from 'vitest';
import type { Input } from './command.ts';
import { COMMANDS } from './commands.ts';
import type { Json, Service } from './service.ts';
import { inOneLine, inText } from './typed.ts';

const NAME = { en: 'Orders', de: 'Bestellungen' };

test.each([
  ['text', 'text'],
  [7, '7'],
  [null, ''],
  [undefined, ''],
  [NAME, 'Orders'],
  [{ und: 'Orders' }, 'Orders'],
  [{}, '{}'],
  [{ code: 'x', reason: 'y' }, '{"code":"x","reason":"y"}'],
  [{ name: 'department', values: ['a', 'b'] }, '{"name":"department","values":["a","b"]}'],
  [[NAME], '[{"en":"Orders","de":"Bestellungen"}]'],
])('the value %j is shown as %s', (value, text) => {
  expect(inText(value)).toBe(text);
});

test('the reason of a failed call is readable, even if a server sends an object', () => {
  expect(inOneLine({ error: 'invalid_scope', error_description: ['x'] })).toBe('invalid_scope: ["x"]');
  expect(inOneLine({ message: { detail: 7 } })).toBe('{"detail":7}');
  expect(inOneLine(new Error('no'))).toBe('no');
});

/** Commands that print rows of the management API as a table. */
const tables = COMMANDS.filter(
  ({ name, remote, options = {} }) => remote && 'json' in options && name !== 'explain',
);

test.each([
  ['a name in several languages', NAME],
  ['a list of names', [NAME, 'x']],
  ['an object', { name: 'department', values: ['a'] }],
])('tables print %s readably in each column', async (_, value) => {
  expect(tables.length).toBeGreaterThan(5);
  const row = new Proxy<Json>({}, { get: () => value });
  const answer = { rows: [row], next: null, previous: null };
  const service = { call: async () => answer, list: async () => answer } as unknown as Service;
  for (const { name, args, run } of tables) {
    const printed: string[] = [];
    const write = vi
      .spyOn(process.stdout, 'write')
      .mockImplementation((line) => printed.push(String(line)) > 0);
    const input = { args, text: () => undefined, texts: () => [], flag: () => false, service };
    try {
      await run(input as unknown as Input);
    } finally {
      write.mockRestore();
    }
    expect(printed.length, name).toBeGreaterThan(0);
    expect(printed.join(''), name).not.toContain('[object');
  }
});
