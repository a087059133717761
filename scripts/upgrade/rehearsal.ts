// Performs the upgrade steps of docs/operate/upgrade.md while the activities of walks.ts continue.
import path from 'node:path';
import { grantServiceRole, migrate } from '#lib/store/migrate.ts';
import { freePort } from '#testing/net/free-port.ts';
import { attempt } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import { credentialsOf } from '#testing/service/token.ts';
import { brokenInvariants } from '../faults/support/invariants.ts';
import type { Ledger } from '../faults/support/ledger.ts';
import { Checks } from './checks.ts';
import { documentedEnvironments } from './old-environment.ts';
import { withScratchMigration } from './scratch-migration.ts';
import { DATABASE, ROOT, type Stage } from './stage.ts';
import { type Phase, Tally } from './tally.ts';
import { beginWalks } from './walks.ts';

type Options = {
  ledger: Ledger;
  /** commit of the released version */
  commit: string;
  /** migrations that the release lacks */
  newer: string[];
  least: number;
  say: (line: string) => void;
};

export async function rehearse(stage: Stage, options: Options): Promise<{ checks: Checks; tally: Tally }> {
  const { ledger, least, say } = options;
  const checks = new Checks();
  await stage.fill();
  await stage.start('old');
  const { door, people, machine } = stage;
  const tally = new Tally(await beginWalks({ door, ledger, people, machine }));
  const phase = async (name: string, crosses: boolean, change: () => Promise<void>) => {
    say(`… ${name}`);
    await change();
    const now: Phase = { name, crosses };
    tally.begin(now);
    checks.add(`${name}: each walk came to its end`, faultsOf(tally, now, await tally.hasReached(least)));
  };

  await phase('the old version, its own schema', false, async () => {});
  await phase('the old version, the new schema', false, async () => {
    await checks.hold('gatehouse doctor --before-upgrade of the new version finds nothing broken', () =>
      say(stage.gatehouse('new', 'doctor', '--before-upgrade').trimEnd()),
    );
    await checks.hold('the schema is migrated while the old version serves', () =>
      migrateStage(stage, options, tally),
    );
  });
  await phase('both, the new one joins', true, () => stage.start('new'));
  await phase('the new version', false, () => stage.drain('old'));
  await phase('both, the old one is put back', true, () => stage.start('old'));
  await phase('the old version, put back', false, () => stage.drain('new'));
  await phase('both, the new one joins again', true, () => stage.start('new'));
  await phase('the new version, to stay', false, () => stage.drain('old'));
  await tally.stop();
  checks.add('no walk failed between the phases either', faultsBetween(tally));
  await checks.hold(
    'a code and a refresh token were used once, and what was given is in the database',
    async () => {
      const broken = await stage.postgres.asOwner((client) => brokenInvariants(ledger, client), DATABASE);
      if (broken.length > 0) throw new Error(broken.join('; '));
    },
  );
  await checks.hold('the new version starts with the settings that the old one documents', () =>
    startsAsDocumented(stage, options.commit),
  );
  return { checks, tally };
}

async function migrateStage(stage: Stage, { newer, say }: Options, tally: Tally): Promise<void> {
  const before = tally.total();
  if (newer.length > 0) say(stage.gatehouse('new', 'migrate', '--service-role', 'service').trimEnd());
  else {
    const folder = withScratchMigration(path.join(ROOT, 'prisma'), stage.folder);
    for (const name of await migrate(stage.urlOf('owner'), folder)) say(`+ ${name}`);
    await grantServiceRole('service', path.join(folder, 'roles.sql'), stage.urlOf('owner'));
  }
  say(`  ${tally.total() - before} walks came to their end meanwhile`);
}

function faultsOf(tally: Tally, phase: Phase, reached: boolean): string | null {
  const faults = tally.kinds.flatMap((kind) => {
    const { faults: of } = tally.of(phase, kind);
    return of.length > 0 ? [`${of.length} × ${kind}: ${of[0]}`] : [];
  });
  if (faults.length > 0) return faults.join('; ');
  return reached ? null : 'some walk did not come to its end often enough';
}

/**
 * Returns the fault of the phase; null: none. A walk (walks.ts) belongs to the phase in which it starts, even
 * if the next phase is prepared meanwhile.
 */
function faultsBetween(tally: Tally): string | null {
  const faults = tally.phases.flatMap((phase) => faultsOf(tally, phase, true) ?? []);
  return faults.length === 0 ? null : faults.join('; ');
}

async function startsAsDocumented(stage: Stage, commit: string): Promise<void> {
  const found = documentedEnvironments(commit).find(
    ({ document }) => path.basename(document) === 'deploy-node.md',
  );
  if (!found) throw new Error('deploy-node.md of the old version has no block of settings');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = new Program({
    command: [process.execPath, 'server.ts'],
    cwd: ROOT,
    log: path.join(stage.folder, 'as-documented.log'),
    answers: async () => (await attempt(`${url}/ready`)).status === 200,
    env: {
      NODE_ENV: 'production',
      ...found.env,
      // test-specific values: folders and database server
      PATH: process.env['PATH'],
      GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'],
      GATEHOUSE_DATA_DIR: stage.folder,
      PORT: String(port),
      DATABASE_URL: stage.urlOf('service'),
      GATEHOUSE_SECRET: stage.secret,
    },
  });
  await program.start();
  try {
    const form = { grant_type: 'client_credentials', ...credentialsOf(stage.machine) };
    const { status, text } = await attempt(`${url}/auth/pw/api/orders/token`, { form });
    if (status !== 200) throw new Error(`it gives no token: ${status} ${text.slice(0, 200)}`);
  } finally {
    await program.stop();
  }
}
