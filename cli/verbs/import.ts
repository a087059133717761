// import: the files of another service as files that apply and people import take over.
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { IMPORT_SOURCES, type ImportSource, importFiles, readChoices } from '#lib/moving-in/import-files.ts';
import type { SourceFile } from '#lib/moving-in/reading/source-file.ts';
import { countsInWords } from '#lib/moving-in/writing/report-file.ts';
import { environment } from '#lib/settings/environment.ts';
import { option, print, verb } from '../command.ts';
import { PROGRAM } from '../program.ts';
import { WrongUsage } from '../typed.ts';

export const importCommand = verb(
  'import SOURCE FILE…',
  'make a configuration file and people.jsonl of what another service exported, and a report of what became of each thing',
  async ({ args: [source = '', ...named], text }) => {
    if (!isSource(source))
      throw new WrongUsage(`there is no source ${source}: take ${IMPORT_SOURCES.join(', ')}`);
    if (named.length === 0) throw new WrongUsage('name the files of the source');
    const files = (await Promise.all(named.map(filesAt))).flat();
    const choicesFile = text('choices');
    const choices = choicesFile && readChoices(await readFile(choicesFile, 'utf8'), choicesFile);
    const to = text('to') as string;
    const report = await importFiles({ source, files, to, ...(choices && { choices }), env: environment() });
    const tokens = report.tokens > 0 ? `, ${report.tokens} refresh tokens` : '';
    print(`${to}: ${report.people} people${tokens}; ${countsInWords(report.counts)}`);
    for (const unused of report.unused_choices)
      process.stderr.write(`warning: ${choicesFile}: nothing asked for ${unused}\n`);
    if (report.counts.decide === 0) return 0;
    process.stderr.write(
      `${report.counts.decide} to decide: see ${path.join(to, 'report.md')}, and choose with --choices\n`,
    );
    return 1;
  },
  {
    options: {
      to: option(
        'DIR',
        'the folder that is made: registry.yaml, people.jsonl, tokens.jsonl of wicked, report.md, report.json',
        {
          required: true,
        },
      ),
      choices: option('FILE', 'YAML: the path of each thing to decide, and what is chosen for it'),
    },
    notes: `SOURCE: ${IMPORT_SOURCES.join(', ')}. A FILE may be a folder. No database is used, and nothing is asked of another service.
Exit status 1 while something is to be decided. Then: ${PROGRAM} apply DIR/registry.yaml, ${PROGRAM} people import DIR.`,
    needs: 'nothing',
  },
);

const isSource = (text: string): text is ImportSource => IMPORT_SOURCES.some((source) => source === text);

/** The file, or the files below the folder. */
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
