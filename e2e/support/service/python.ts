// The Python of this test run, with its installed modules. CI containers include both (.ci/run).
import { spawnSync } from 'node:child_process';

export const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';

/** Returns whether Python can import these modules. */
export const hasPython = (modules: string) => spawnSync(PYTHON, ['-c', `import ${modules}`]).status === 0;
