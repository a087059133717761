// apply, export, schema: the configuration file.
import { readFile } from 'node:fs/promises';
import {
  applyConfiguration,
  exportConfiguration,
  jsonSchema,
  type PlannedChange,
} from '#lib/config/index.ts';
import { environment } from '#lib/settings/index.ts';
import { type Command, print } from '../command.ts';

const SIGNS = { create: '+', change: '~', remove: '-' } as const;
const NAMES = {
  auth_method: 'auth method',
  api: 'API',
  client: 'client',
  subscription: 'subscription',
  user: 'user',
};

export const configurationCommands: Command[] = [
  {
    name: 'apply',
    args: ['FILE'],
    about: 'bring the database to the configuration file, all or nothing (- reads standard input)',
    options: {
      'dry-run': { type: 'boolean', about: 'print what would change, change nothing' },
      prune: { type: 'boolean', about: 'remove what an earlier file made and this one no longer names' },
      json: { type: 'boolean', about: 'print the changes as JSON' },
    },
    needs: 'migrated',
    async run({ args, flag }) {
      const source = await readSource(args[0] as string);
      const options = { env: environment(), dryRun: flag('dry-run'), prune: flag('prune') };
      const changes = await applyConfiguration(source, options);
      if (flag('json'))
        return print(
          JSON.stringify({ dry_run: options.dryRun, changes: changes.map(publicChange) }, null, 2),
        );
      for (const change of changes) printChange(change);
      print(summary(changes, options.dryRun));
    },
  },
  {
    name: 'export',
    args: [],
    about: 'print the configuration that apply would accept, without secrets',
    needs: 'migrated',
    async run() {
      process.stdout.write(await exportConfiguration());
    },
  },
  {
    name: 'schema',
    args: [],
    about: "print the configuration file's JSON Schema (gatehouse.schema.json)",
    needs: 'nothing',
    async run() {
      process.stdout.write(jsonSchema());
    },
  },
];

async function readSource(path: string): Promise<string> {
  if (path !== '-') return readFile(path, 'utf8');
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

const publicChange = ({ kind, type, id, lines }: PlannedChange) => ({ kind, type, id, lines });

function printChange(change: PlannedChange): void {
  print(`${SIGNS[change.kind]} ${NAMES[change.type]} ${change.id.replace(' ', ' → ')}`);
  for (const line of change.lines) print(`    ${line}`);
}

function summary(changes: PlannedChange[], dryRun: boolean): string {
  if (changes.length === 0) return 'nothing to change';
  const count = (kind: PlannedChange['kind']) => changes.filter((change) => change.kind === kind).length;
  const counts = `${count('create')} created, ${count('change')} changed, ${count('remove')} removed`;
  return dryRun ? `would be: ${counts} (dry run, nothing was done)` : counts;
}
