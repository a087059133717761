// `npm test`: runs every check, and every test that is not for a release (testing/run/release.ts). It has its own build
// folder, ports and database, so a running quickstart is not disturbed.
import { bin } from './steps.mjs';
import { buildPages, check, playwright, runSuites, vitest } from './suites.mjs';

await runSuites(async () => {
  await check('format and lint', bin('biome'), ['ci', '--reporter=summary', '.']);
  // uses one thread, beside the type check
  const deadCode = check('dead code', 'node', [bin('knip')]);
  await check('types', bin('tsc'), ['--noEmit']);
  await deadCode;
  await vitest('Unit and integration tests', 'unit', 'db');
  await buildPages();
  await playwright('End-to-end tests', 'all', 'whole browser');
});
