// The Python of this run, and what is installed for it. The tests of CI have all of it (.ci/run).
import { spawnSync } from 'node:child_process';

export const PYTHON = process.env['GATEHOUSE_PYTHON'] ?? 'python3';

/** Can it import these modules? */
export const hasPython = (modules: string) => spawnSync(PYTHON, ['-c', `import ${modules}`]).status === 0;
