// CSV that arrives in pieces of a few bytes: rows, line numbers and faults.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { csvRows } from './source.ts';

async function rowsOf(content: string | Uint8Array, size = 3) {
  const rows = [];
  for await (const row of csvRows(sourceFile('people.csv', content, size))) rows.push(row);
  return rows;
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

it('csv: each row is read with its fields and the line on which it begins', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '\n', '\r\n', ' ') });
  const table = fc.tuple(field, field, field).map((fields) => fields.map((text) => `x${text}`));
  const file = fc.record({
    rows: fc.array(table, { minLength: 1, maxLength: 8 }),
    separator: fc.constantFrom(',', ';', '\t'),
    end: fc.constantFrom('\n', '\r\n'),
    size: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(file, async ({ rows, separator, end, size }) => {
      const all = [['a', 'b', 'c'], ...rows];
      const text = all.map((fields) => fields.map(quoted).join(separator) + end);
      const begins = text.map((_, at) => text.slice(0, at).join('').split('\n').length);
      expect(await rowsOf(text.join(''), size)).toEqual(
        all.map((fields, at) => ({ fields, number: begins[at] })),
      );
    }),
  );
});

it('csv: blank lines are skipped and counted', async () => {
  expect(await rowsOf('\n \nemail\tname\n\n1\tAda\n   \n2\tBob')).toEqual([
    { fields: ['email', 'name'], number: 3 },
    { fields: ['1', 'Ada'], number: 5 },
    { fields: ['2', 'Bob'], number: 7 },
  ]);
});

it.each([
  ['a,b\n1,2\n"3"x,4\n', '3: has text after a quoted field'],
  [
    'a,b\r\n"x\r\ny",1\r\n2,"3\r\n4,5\r\n6,7',
    '4: begins a quoted field without an end: the file is incomplete',
  ],
  ['a,b\n1,5" pipe\n3,6" pipe\n', '2: has a quote inside of a field without quotes: put the field in quotes'],
  ['a,b\n1, "x,y"\n', '2: has a quote inside of a field without quotes'],
  [Buffer.from('a,b\n1,2\n3,Jos\xe9\n', 'latin1'), '3: contains bytes that are not UTF-8'],
])(
  'csv: reading the file %j ends with an error that names the line and the fault',
  async (content, fault) => {
    await expect(rowsOf(content)).rejects.toThrow(`people.csv:${fault}`);
  },
);

it('csv: UTF-16 is rejected, and the error names the solution', async () => {
  const utf16 = Buffer.from('\ufeffemail\n', 'utf16le');
  await expect(rowsOf(utf16, 64)).rejects.toThrow('people.csv: is UTF-16, write it as UTF-8');
});

it.each([
  ['a line', ''],
  ['a quoted field', 'a,b\n1,"'],
])('csv: %s of more than 16 MiB stops the import', async (_, start) => {
  const piece = Buffer.from('x'.repeat(1_048_576));
  const file = {
    name: 'people.csv',
    async *chunks() {
      yield Buffer.from(start);
      for (let n = 0; n < 18; n += 1) yield piece;
    },
  };
  await expect(csvRows(file).next()).rejects.toThrow('is a row without an end');
});

it('csv: a failing source ends with its error, and a reader that stops early closes the source', async () => {
  const broken = {
    name: 'people.csv',
    async *chunks() {
      yield Buffer.from('a,b\n');
      throw new Error('EIO: read');
    },
  };
  await expect(Array.fromAsync(csvRows(broken))).rejects.toThrow('EIO: read');
  const closed = Promise.withResolvers<void>();
  const endless = {
    name: 'people.csv',
    async *chunks() {
      try {
        for (;;) yield Buffer.from('a,b\n');
      } finally {
        closed.resolve();
      }
    },
  };
  for await (const { fields } of csvRows(endless)) {
    expect(fields).toEqual(['a', 'b']);
    break;
  }
  await closed.promise;
});
