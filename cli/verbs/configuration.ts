// apply, export, schema: the configuration file.
import { readFile } from 'node:fs/promises';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { besideFile } from '#lib/config/file/brands.ts';
import { describeFault } from '#lib/config/file/file.ts';
import { jsonSchema } from '#lib/config/file/schema.ts';
import type { PlannedChange } from '#lib/config/plan.ts';
import { environment } from '#lib/settings/environment.ts';
import { type Command, print, toggle, verb } from '../command.ts';

const SIGNS = { create: '+', change: '~', remove: '-' } as const;
const NAMES = {
  auth_method: 'auth method',
  group: 'group',
  api: 'API',
  client: 'client',
  subscription: 'subscription',
  user: 'user',
};

export const configurationCommands: Command[] = [
  verb(
    'apply FILE',
    'bring the database to the configuration file, all or nothing (- reads standard input)',
    async ({ args, flag }) => {
      const file = args[0] as string;
      const source = await readSource(file);
      const options = {
        env: environment(),
        dryRun: flag('dry-run'),
        prune: flag('prune'),
        readBeside: file === '-' ? null : besideFile(file),
        onWarning: (line: string) => process.stderr.write(`warning: ${line}\n`),
      };
      const changes = await applyConfiguration(source, options);
      if (flag('json')) {
        const stops = changes.flatMap(stoppedSubscription);
        const found = { dry_run: options.dryRun, changes: changes.map(publicChange), stops_working: stops };
        return print(JSON.stringify(found, null, 2));
      }
      for (const change of changes) printChange(change);
      print(summary(changes, options.dryRun));
    },
    {
      options: {
        'dry-run': toggle('print what would change, change nothing'),
        prune: toggle('remove what an earlier file made and this one no longer names'),
        json: toggle('print the changes as JSON'),
      },
    },
  ),
  verb('export', 'print the configuration that apply would accept, without secrets', async () => {
    process.stdout.write(await exportConfiguration());
  }),
  verb(
    'schema',
    "print the configuration file's JSON Schema (gatehouse.schema.json)",
    async () => {
      process.stdout.write(jsonSchema());
    },
    { needs: 'nothing' },
  ),
];

async function readSource(path: string): Promise<string> {
  if (path !== '-') return readFile(path, 'utf8');
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

function stoppedSubscription({ id, stopsBy, stops }: PlannedChange) {
  if (!stopsBy || !stops) return [];
  const [client_id, api] = id.split(' ');
  return [{ client_id, api, changed: stopsBy, ...stops }];
}

const publicChange = ({ kind, type, id, lines }: PlannedChange) => ({ kind, type, id, lines });

function printChange(change: PlannedChange): void {
  print(`${SIGNS[change.kind]} ${NAMES[change.type]} ${change.id.replace(' ', ' → ')}`);
  for (const line of change.lines) print(`    ${line}`);
  if (change.stops) print(`    ! ${describeFault(change.stops)}`);
}

function summary(changes: PlannedChange[], dryRun: boolean): string {
  if (changes.length === 0) return 'nothing to change';
  const count = (kind: PlannedChange['kind']) => changes.filter((change) => change.kind === kind).length;
  const counts = `${count('create')} created, ${count('change')} changed, ${count('remove')} removed`;
  const stopped = changes.filter(({ stops }) => stops).map(({ id }) => id.replace(' ', ' → '));
  const stops = stopped.length > 0 ? `; stops working until it is approved: ${stopped.join(', ')}` : '';
  return dryRun ? `would be: ${counts}${stops} (dry run, nothing was done)` : `${counts}${stops}`;
}
