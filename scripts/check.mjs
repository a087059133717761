// `npm run check`: format, lint, types, dead code, words, unit tests; fast enough to run before each commit. The
// rules for code are unit tests: lib/architecture.test.ts (imports) and lib/code-rules.test.ts.
import { fail, run, step } from './running.mjs';
import { bin, generatePrisma, install } from './steps.mjs';

try {
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('format and lint', () => run(bin('biome'), ['ci', '.']));
  await step('types', () => run(bin('tsc'), ['--noEmit']));
  await step('dead code', () => run('node', [bin('knip')]));
  await step('words', () => run('node', ['scripts/words.ts']));
  await step('unit tests', () => run('node', [bin('vitest'), 'run', '--project', 'unit']));
} catch (error) {
  fail(error);
}
