// Runs the implementations in other languages. A program per language (checks.*) prints one JSON line for each check.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Refusal } from '#verify/refusal.ts';

export const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';
const root = fileURLToPath(new URL('../..', import.meta.url));
/** File to copy, by language. */
export const COPIED = {
  python: path.join(root, 'packages/verify-python/gatehouse_verify.py'),
  go: path.join(root, 'packages/verify-go/gatehouse.go'),
  php: path.join(root, 'packages/verify-php/gatehouse.php'),
};

const runs = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
/** True if Python can import these modules. CI containers include these programs (.ci/run). */
export const hasPython = (modules: string) => runs(PYTHON, '-c', `import ${modules}`);
export const hasGo = () => runs('go', 'version');
export const hasPhp = () => runs('php', '-r', 'exit((int) !extension_loaded("openssl"));');

const checks = (language: 'py' | 'go' | 'php') => path.join(root, `testing/verify/checks.${language}`);

/** Compiles files in a separate folder. Returns the path of the program. */
export function buildGo(folder: string, files: Record<string, string>): string {
  for (const [file, text] of Object.entries({
    'go.mod': 'module example.com/orders\n\ngo 1.19\n',
    ...files,
  })) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  execFileSync('go', ['build', '-o', 'program', '.'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path.join(folder, 'program');
}

/** Compiles the Go checks once per test run, and returns the program. */
function goChecks(): string {
  const files = {
    'gatehouse.go': readFileSync(COPIED.go, 'utf8').replace(/^package gatehouse$/m, 'package main'),
    'checks.go': readFileSync(checks('go'), 'utf8'),
  };
  const cache = path.join(root, 'node_modules/.cache/verify-go');
  const name = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const program = path.join(cache, name);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'draft-'));
  // replaced atomically, because another test may compile the same program at the same time
  renameSync(buildGo(folder, files), program);
  rmSync(folder, { recursive: true });
  return program;
}

type Started = { child: ChildProcess; waiting: Map<number, (said: Said) => void> };
type Asked = { api: number } & Record<string, unknown>;
type Said = {
  id?: number;
  api?: number;
  caller?: Record<string, unknown>;
  refused?: Refusal;
  error?: string;
  problem?: string;
  reason?: string;
};
/** Functions that receive messages of a program that are not results. */
export type Heard = {
  onProblem?: ((problem: string) => void) | undefined;
  onRefused?: ((reason: string) => void) | undefined;
};

/** Runs checks in at most `most` processes, with at most `each` concurrent checks per process. `end` stops them. */
function programs(command: () => string[], { most = 1, each = Number.POSITIVE_INFINITY, env = {} }) {
  const started: Started[] = [];
  const queue: (() => void)[] = [];
  const heard = new Map<number, Heard>();
  let id = 0;

  function start(): Started {
    const [program = '', ...words] = command();
    const child = spawn(program, words, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const one: Started = { child, waiting: new Map() };
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as Said;
      const { onProblem, onRefused } = heard.get(said.api ?? 0) ?? {};
      if (said.problem !== undefined) return onProblem?.(said.problem);
      if (said.reason !== undefined) return onRefused?.(said.reason);
      one.waiting.get(said.id ?? 0)?.(said);
      one.waiting.delete(said.id ?? 0);
      queue.shift()?.();
    });
    child.once('exit', () => {
      for (const answer of one.waiting.values()) answer({ error: 'the program has ended' });
    });
    started.push(one);
    return one;
  }

  function ask(question: Asked, hears: Heard = {}): Promise<Said> {
    heard.set(question.api, { ...heard.get(question.api), ...hears });
    return new Promise((resolve) => {
      const idle = started.find(({ waiting }) => waiting.size < each);
      if (!idle && started.length >= most) return queue.push(() => void ask(question).then(resolve));
      const { child, waiting } = idle ?? start();
      id += 1;
      waiting.set(id, resolve);
      child.stdin?.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }

  return { ask, end: () => started.splice(0).forEach(({ child }) => void child.kill()) };
}

const python = programs(() => [PYTHON, checks('py')], {
  env: { PYTHONPATH: path.dirname(COPIED.python), PYTHONDONTWRITEBYTECODE: '1' },
});
const go = programs(() => [goChecks()], {});
/** The limits of processes resemble those of a PHP server. */
const php = programs(() => ['php', checks('php'), COPIED.php], { most: 12, each: 1 });

export const PROGRAMS = { Python: python, Go: go, PHP: php };

/** Stops the programs that the tests of a file started. */
export function endPrograms(): void {
  for (const { end } of Object.values(PROGRAMS)) end();
}
