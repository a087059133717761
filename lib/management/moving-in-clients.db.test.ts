// Import: claims that are not stored, and subjects that a new client cannot use as its id.
import { expect, test } from 'vitest';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import type { SourceFile } from '#lib/kit/source-file.ts';
import { refusal } from '#testing/data/registry.ts';
import { sourceFile } from '#testing/data/source-file.ts';
import { importPeople } from './moving-in.ts';
import { OPERATOR } from './policy.ts';

const fileOf = (...lines: object[]): SourceFile =>
  sourceFile('people.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 4096);
const imported = async (file: SourceFile, { dryRun = false } = {}) => ({
  totals: await importPeople(OPERATOR, { file, dryRun, begun: () => undefined, progress: () => undefined }),
});

test('an import counts claims that are not stored, and a new client cannot have an imported subject as its id', async () => {
  const lines = [
    { email: 'bob@example.net', given_name: 'Bob' },
    { email: 'eve@example.net', name: 'Eve' },
  ];
  const totals = { imported: 2, unchanged: 0, refused: 0, unkept: 1 };
  expect((await imported(fileOf(...lines), { dryRun: true })).totals).toEqual(totals);
  expect((await imported(fileOf(...lines, { subject: 'of-before' }))).totals).toMatchObject({ unkept: 1 });
  const client = { name: 'Shop', kind: 'confidential' as const, redirectUris: ['https://shop.example/cb'] };
  const refused = await refusal(createClient(OPERATOR, { ...client, clientId: 'of-before' }));
  expect(refused?.faults).toMatchObject([{ field: 'clientId', code: 'api.id_taken' }]);
});
