// What is tested twice: the check of the package, and that of the file for Python, which a process of its own answers.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Caller, needsOf, type Options, type Requirement } from '#verify/options.ts';
import type { Refusal } from '#verify/refusal.ts';
import { type Header, type Outcome, verifier } from '#verify/verifier.ts';

export const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';
/** The Python of CI has what it takes (.ci/run). */
export const hasPython = (modules: string) => spawnSync(PYTHON, ['-c', `import ${modules}`]).status === 0;

const root = fileURLToPath(new URL('../..', import.meta.url));

type Check = (header: Header, requirement?: Requirement) => Promise<Outcome>;
export type Implementation = {
  name: string;
  /** `clock` gives milliseconds, for what is kept. */
  given: (options: Options, clock?: () => number) => Check;
};

const javaScript: Implementation = {
  name: 'JavaScript',
  given(options, clock) {
    const check = verifier(options, clock);
    return (header, requirement) => check(header, needsOf(requirement));
  },
};

type Said = {
  id?: number;
  caller?: Record<string, unknown>;
  refused?: Refusal;
  error?: string;
  problem?: string;
};

const python: Implementation = {
  name: 'Python',
  given({ onProblem, ...options }, clock = () => 0) {
    const child = startPython();
    const waiting = new Map<number, (said: Said) => void>();
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as Said;
      if (said.problem !== undefined) onProblem?.(said.problem);
      else waiting.get(said.id ?? -1)?.(said);
    });
    const send = (asked: object) =>
      child.stdin?.write(`${JSON.stringify({ api: 0, now: clock() / 1_000, ...asked })}\n`);
    send({ options });
    let id = 0;
    return async (header, needs = {}) => {
      id += 1;
      const answer = new Promise<Said>((resolve) => waiting.set(id, resolve));
      send({ id, header: header ?? null, needs });
      const { caller, refused, error } = await answer;
      if (error !== undefined) throw new Error(error);
      if (refused) return { refused };
      const { client_id: clientId, ...others } = caller ?? {};
      return { caller: { clientId, ...others } as Caller };
    };
  },
};

const children: ChildProcess[] = [];

function startPython(): ChildProcess {
  const child = spawn(PYTHON, [path.join(root, 'testing/verify/checks.py')], {
    env: {
      ...process.env,
      PYTHONPATH: path.join(root, 'packages/verify-python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Ends the processes that the tests of a file started. */
export function endPython(): void {
  for (const child of children.splice(0)) child.kill();
}

export const implementations = [javaScript, ...(hasPython('jwt, cryptography') ? [python] : [])];
