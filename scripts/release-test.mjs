// `npm run release-test`: measures the mutation score, runs the tests that a release needs (testing/run/release.ts), the
// short version of the faults, and third-party clients in other languages, unmodified, against a running service.
import path from 'node:path';
import { buildPages, check, DIST, playwright, RESULTS, runSuites, suite, vitest } from './suites.mjs';

await runSuites(async () => {
  await check('mutation score', 'node', ['scripts/mutants.mjs']);
  await vitest('Guides, gateways and packages', 'release');
  await buildPages();
  await playwright('Packages, image, guides, foreign clients and pages', 'release', 'release pages');
  const results = (file) => ['--results', path.join(RESULTS, file)];
  const build = { GATEHOUSE_DIST_DIR: DIST };
  const faults = ['scripts/faults/run.ts', '--quick', ...results('faults.json')];
  await suite('Faults, the short version', faults, 'faults.json', build);
  const clients = ['scripts/release/main.ts', ...results('clients.json')];
  await suite('Clients in other languages', clients, 'clients.json', build);
});
