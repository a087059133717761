// gatehouse import at the command line: a process of its own, as an operator runs it. It needs no database.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const main = path.resolve(import.meta.dirname, 'main.ts');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: 'postgresql://x@127.0.0.1:1/y' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'import', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

it('exit status 1 while something is to be decided, and 0 once it is chosen', () => {
  write('people.csv', 'email,Shoe size\nada@example.com,38\n');
  expect(run('csv', 'people.csv', '--to', 'out')).toEqual({
    status: 1,
    stdout: 'out: 1 people; 1 decide, 1 left out, 0 changed, 0 not looked at, 2 carried\n',
    stderr: '1 to decide: see out/report.md, and choose with --choices\n',
  });
  expect(read('out/report.md')).toContain('| `columns.Shoe size` | 1 | Which key is this column:');
  write('choices.yaml', 'columns.Shoe size: claims.shoe_size\nlines[7]: leave out\n');
  expect(run('csv', 'people.csv', '--to', 'out', '--choices', 'choices.yaml')).toEqual({
    status: 0,
    stdout: 'out: 1 people; 0 decide, 0 left out, 1 changed, 0 not looked at, 3 carried\n',
    stderr: 'warning: choices.yaml: nothing asked for lines[7]\n',
  });
  expect(read('out/people.jsonl')).toBe('{"email":"ada@example.com","claims":{"shoe_size":"38"}}\n');
  expect(readdirSync(path.join(folder, 'out')).sort()).toEqual([
    'people.jsonl',
    'registry.yaml',
    'report.json',
    'report.md',
  ]);
  expect(JSON.parse(read('out/report.json'))).toMatchObject({
    source: 'csv',
    people: 1,
    unused_choices: ['lines[7]'],
  });
});

it('a cut file leaves nothing, what was there stays, and another folder is not replaced', () => {
  mkdirSync(path.join(folder, 'out'));
  write('out/report.md', 'of before');
  write('people.jsonl', '{"email":"bob@example.com"}\n{"email":"eve@exam');
  expect(run('jsonl', 'people.jsonl', '--to', 'out')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'people.jsonl:2: is not JSON, and nothing follows: the file was cut\n',
  });
  expect(read('out/report.md')).toBe('of before');
  expect(readdirSync(folder).sort()).toEqual(['out', 'people.jsonl']);
  expect(run('bogus', 'x', '--to', 'out')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('jsonl'),
  });
});
