// Decision records: format, index and references.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const folder = 'docs/project/decisions';
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const records = readdirSync(path.join(root, folder))
  .filter((file) => file !== 'README.md')
  .map((file) => ({ file, number: file.slice(0, 4), text: read(`${folder}/${file}`) }));
const numbers = new Set(records.map(({ number }) => number));

test('each decision number from 0001 on has a record, or is merged into a record', () => {
  const merged = [...read(`${folder}/README.md`).matchAll(/^- (\d{4}) is a part of \[(\d{4})\]/gm)];
  const all = [...records.map(({ number }) => number), ...merged.map(([, number]) => number)];
  expect(all.toSorted()).toEqual(all.map((_, at) => String(at + 1).padStart(4, '0')));
  expect(merged.filter(([, , into = '']) => !numbers.has(into))).toEqual([]);
});

test('each decision record has at most one page', () => {
  const long = records.filter(({ text }) => (text.match(/[\p{L}\p{N}]\S*/gu) ?? []).length > 650);
  expect(long.map(({ file }) => file)).toEqual([]);
});

describe('a decision record has a title, a status, a summary and four sections', () => {
  test.each(records)('the decision record $file has all required parts', ({ number, text }) => {
    const [title, , status, , short] = text.split('\n');
    expect(title).toMatch(new RegExp(`^# ${number} [A-Z][^.?]{20,95}$`));
    expect(status).toMatch(/^Status: accepted, 20\d\d-\d\d-\d\d$/);
    expect(short).toMatch(/^In short: \S/);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(sections).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives refused']);
  });
});

test('the index lists each decision record once, title included', () => {
  const listed = [...read(`${folder}/README.md`).matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.+)$/gm)].map(
    ([, number, file, title]) => `${file}: # ${number} ${title}`,
  );
  expect(listed.toSorted((a, b) => a.localeCompare(b))).toEqual(
    records.map(({ file, text }) => `${file}: ${text.split('\n')[0]}`),
  );
});

/** Files that can cite a decision record: all text files of the repository. */
const texts = globSync(
  [
    '*.{md,ts,mjs}',
    '{app,cli,demo,docs,e2e,lib,prisma,scripts,testing}/**/*.{md,ts,tsx,mjs,sql,prisma,yaml}',
  ],
  { cwd: root },
).filter((file) => !/(?:^|\/)(?:node_modules|generated|\.next[^/]*)\//.test(file));

test('every decision record that a file cites exists', () => {
  const cited = texts.flatMap((file) =>
    [...read(file).matchAll(/\bdecisions?[/ ](?:(\d{4}), )?(\d{4})\b/g)].flatMap(([, first, last]) =>
      [first, last].filter((number) => number !== undefined).map((number) => ({ file, number })),
    ),
  );
  expect(cited.length).toBeGreaterThan(60);
  expect(cited.filter(({ number }) => !numbers.has(number))).toEqual([]);
});

test('text and target of a decision record link have equal numbers', () => {
  const links = texts.flatMap((file) =>
    [...read(file).matchAll(/\[(\d{4})\]\((?:[^)]*\/)?(\d{4})-[^)]+\.md\)/g)].map(([, said, to]) => ({
      file,
      said,
      to,
    })),
  );
  expect(links.filter(({ said, to }) => said !== to)).toEqual([]);
});

test('the files and folders that decision records name exist', () => {
  const named = records.flatMap(({ file, text }) =>
    [...text.matchAll(/`((?:lib|app|cli|public|scripts|prisma|testing)\/[^`\s*]+)`/g)]
      .map(([, place = '']) => place)
      .filter((place) => !place.includes('NAME'))
      .map((place) => ({ file, place })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ place }) => !existsSync(path.join(root, place)))).toEqual([]);
});
