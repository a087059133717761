// `npm run upgrade-test`: upgrades one database under load from the last released version to this tree, downgrades it,
// and upgrades it again. Ends with a table and `N passed, N failed`.
//   --least N   minimum number of completed walks (walks.ts) of each kind in each phase (default: 10)
//   --keep      keeps logs and the list of all requests, and prints their folder
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setLogLevel } from '#lib/kit/log.ts';
import { readMigrations } from '#lib/store/migrate.ts';
import { Ledger } from '../faults/support/ledger.ts';
import { releasedTree, requireCommit } from './old-tree.ts';
import { rehearse } from './rehearsal.ts';
import { migrationsOf, readReleases } from './releases.ts';
import { ROOT, Stage } from './stage.ts';
import { tableOf } from './table.ts';

const { values } = parseArgs({
  options: { least: { type: 'string', default: '10' }, keep: { type: 'boolean', default: false } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
setLogLevel('silent');

async function main(): Promise<number> {
  const release = readReleases().at(-1);
  if (!release) throw new Error('prisma/releases.json has no version');
  const commit = requireCommit(release);
  const tree = releasedTree(release, say);
  const before = new Set(migrationsOf(commit));
  const all = await readMigrations(path.join(ROOT, 'prisma', 'migrations'));
  const newer = all.map(({ name }) => name).filter((name) => !before.has(name));
  say(
    `from ${release.version} (${commit.slice(0, 8)}) to this tree, which has ${newer.length} migrations more`,
  );
  if (newer.length > 0) say(`  ${newer.join(', ')}`);
  else say('  so it is tried with migrations of the test’s own, which expand');

  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-upgrade-'));
  const ledger = new Ledger(path.join(folder, 'ledger.jsonl'));
  const stage = await Stage.open(folder, tree);
  let passed = false;
  // stop all child processes with this program
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stage.close().finally(() => process.exit(1)));
  try {
    const { checks, tally } = await rehearse(stage, {
      ledger,
      commit,
      newer,
      least: Number(values.least),
      say,
    });
    say(`\n${tableOf(tally)}\n`);
    for (const { name, fault } of checks.all)
      say(`${fault === null ? '✓' : '✗'} ${name}${fault === null ? '' : `: ${fault}`}`);
    passed = checks.failed.length === 0;
    const [, load = 0] = os.loadavg();
    const cores = os.availableParallelism();
    say(
      `\nload average ${load.toFixed(1)} on ${cores} cores (a service without a core for seconds answers 503)`,
    );
    say(`${checks.all.length - checks.failed.length} passed, ${checks.failed.length} failed`);
  } finally {
    await stage.close();
    ledger.close();
    if (passed && !values.keep) rmSync(folder, { recursive: true, force: true });
    else say(`logs and the ledger: ${folder}`);
  }
  return passed ? 0 : 1;
}

process.exit(
  await main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }),
);
