// apply, export, schema: the configuration file. import: converts the files of another service into files for `apply`
// and `people import`.
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { applyConfiguration } from '#lib/config/apply.ts';
import { besideFile } from '#lib/config/brands.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { describeFault } from '#lib/config/file.ts';
import type { PlannedChange } from '#lib/config/plan.ts';
import { jsonSchema } from '#lib/config/schema.ts';
import type { SourceFile } from '#lib/kit/source-file.ts';
import { environment } from '#lib/settings/environment.ts';
import { IMPORT_SOURCES, type ImportSource, importFiles, readChoices } from '#moving-in/import-files.ts';
import { countsInWords } from '#moving-in/output.ts';
import { type Command, option, print, toggle, verb } from '../command.ts';
import { PROGRAM } from '../program.ts';
import { WrongUsage } from '../typed.ts';

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
    'apply the configuration file to the database, all or nothing (- reads standard input)',
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
        const report = { dry_run: options.dryRun, changes: changes.map(publicChange), stops_working: stops };
        return print(JSON.stringify(report, null, 2));
      }
      for (const change of changes) printChange(change);
      print(summary(changes, options.dryRun));
    },
    {
      options: {
        'dry-run': toggle('print the changes without applying them'),
        prune: toggle('remove objects that an earlier file created and this one no longer contains'),
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

// import: converts another service's export into files for `apply` and `people import`.

export const importCommand = verb(
  'import SOURCE FILE…',
  'convert the export of another service into a configuration file and people.jsonl, with a report of each item',
  async ({ args: [source = '', ...named], text }) => {
    if (!isSource(source))
      throw new WrongUsage(`unknown source ${source}: the sources are ${IMPORT_SOURCES.join(', ')}`);
    if (named.length === 0) throw new WrongUsage('specify the files of the source');
    const files = (await Promise.all(named.map(filesAt))).flat();
    const choicesFile = text('choices');
    const choices = choicesFile && readChoices(await readFile(choicesFile, 'utf8'), choicesFile);
    const to = text('to') as string;
    const report = await importFiles({ source, files, to, ...(choices && { choices }), env: environment() });
    const tokens = report.tokens > 0 ? `, ${report.tokens} refresh tokens` : '';
    print(`${to}: ${report.people} people${tokens}; ${countsInWords(report.counts)}`);
    for (const unused of report.unused_choices)
      process.stderr.write(`warning: ${choicesFile}: unused choice ${unused}\n`);
    if (report.counts.decide === 0) return 0;
    process.stderr.write(
      `${report.counts.decide} to decide: see ${path.join(to, 'report.md')}, then choose with --choices\n`,
    );
    return 1;
  },
  {
    options: {
      to: option(
        'DIR',
        'the folder to create, with registry.yaml, people.jsonl, tokens.jsonl (wicked), report.md and report.json',
        {
          required: true,
        },
      ),
      choices: option('FILE', 'a YAML file with the path of each item to decide, and its choice'),
    },
    notes: `SOURCE: ${IMPORT_SOURCES.join(', ')}. A FILE may be a folder. The command uses no database and calls no other service.
Exit status 1: something must still be decided. Next commands: ${PROGRAM} apply DIR/registry.yaml, ${PROGRAM} people import DIR.`,
    needs: 'nothing',
  },
);

const isSource = (text: string): text is ImportSource => IMPORT_SOURCES.some((source) => source === text);

/** Reads the file, or all files below the folder. */
async function filesAt(name: string): Promise<SourceFile[]> {
  if (!(await stat(name)).isDirectory())
    return [{ name: path.basename(name), chunks: () => createReadStream(name) }];
  const entries = await readdir(name, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ name: path.relative(name, file), chunks: () => createReadStream(file) }));
}
