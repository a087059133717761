// Tests `gatehouse import`. The first test starts a separate process; the others call the command in this process. No
// database is required.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Input } from './command.ts';
import { explain } from './database.ts';
import { WrongUsage } from './typed.ts';
import { importCommand } from './verbs/configuration.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: 'postgresql://x@127.0.0.1:1/y' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'import', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
/** Runs the command in this process and captures its output. Errors become text, as in main.ts. */
async function run(source: string, file: string, choices?: string) {
  const said = { stdout: '', stderr: '' };
  const heard = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text).replaceAll(`${folder}/`, '');
      return true;
    }),
  );
  const inside = (name: string) => path.join(folder, name);
  const options: Record<string, string | undefined> = {
    to: inside('out'),
    choices: choices && inside(choices),
  };
  const input = { args: [source, inside(file)], text: (name: string) => options[name] };
  try {
    return { status: await importCommand.run(input as Partial<Input> as Input), ...said };
  } catch (error) {
    if (error instanceof WrongUsage) throw error;
    return { status: 1, stdout: said.stdout, stderr: `${explain(error)}\n` };
  } finally {
    for (const one of heard) one.mockRestore();
  }
}
const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

it('the import exits with status 1 while choices are missing, and with 0 after the operator decides', async () => {
  write('people.csv', 'email,Shoe size\nada@example.com,38\n');
  expect(start('csv', 'people.csv', '--to', 'out')).toEqual({
    status: 1,
    stdout: 'out: 1 people; 1 decide, 1 left out, 0 changed, 0 not looked at, 2 carried, 0 ignored\n',
    stderr: '1 to decide: see out/report.md, then choose with --choices\n',
  });
  expect(read('out/report.md')).toContain('| `columns.Shoe size` | 1 | Which key is this column:');
  write('choices.yaml', 'columns.Shoe size: claims.shoe_size\nlines[7]: leave out\n');
  expect(await run('csv', 'people.csv', 'choices.yaml')).toEqual({
    status: 0,
    stdout: 'out: 1 people; 0 decide, 1 left out, 1 changed, 0 not looked at, 2 carried, 0 ignored\n',
    stderr: 'warning: choices.yaml: unused choice lines[7]\n',
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

it('the import of a truncated file writes nothing, keeps existing files, and never replaces another folder', async () => {
  mkdirSync(path.join(folder, 'out'));
  write('out/report.md', 'of before');
  write('people.jsonl', '{"email":"bob@example.com"}\n{"email":"eve@exam');
  expect(await run('jsonl', 'people.jsonl')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'people.jsonl:2: is not JSON, and nothing follows: the file is incomplete\n',
  });
  expect(read('out/report.md')).toBe('of before');
  expect(readdirSync(folder).sort()).toEqual(['out', 'people.jsonl']);
  const wrong = run('bogus', 'x');
  await expect(wrong).rejects.toBeInstanceOf(WrongUsage);
  await expect(wrong).rejects.toThrow('jsonl');
});
