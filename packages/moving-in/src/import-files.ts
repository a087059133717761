// `gatehouse import`: converts the files of another service into files for Gatehouse, completely or not at all.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { SourceFault, type SourceFile } from '../../../lib/kit/source-file.ts';
import { convertKeycloak } from './keycloak.ts';
import { convertAuth0, convertCsv, convertFirebase, convertJsonLines } from './lists.ts';
import { Notes } from './notes.ts';
import {
  type Converter,
  countsOf,
  emptyRegistry,
  fillFolder,
  type ImportReport,
  PeopleTaker,
  type Registry,
  registryText,
  reportInWords,
  TokenTaker,
} from './output.ts';
import { convertWicked } from './wicked.ts';

const CONVERTERS = {
  auth0: convertAuth0,
  csv: convertCsv,
  firebase: convertFirebase,
  jsonl: convertJsonLines,
  keycloak: convertKeycloak,
  wicked: convertWicked,
} as const satisfies Record<string, Converter>;

export type ImportSource = keyof typeof CONVERTERS;
export const IMPORT_SOURCES = Object.keys(CONVERTERS) as ImportSource[];

export type ImportFrom = {
  source: ImportSource;
  files: readonly SourceFile[];
  choices?: ReadonlyMap<string, unknown>;
  env?: Readonly<Record<string, string | undefined>>;
};

type Write = (line: string) => Promise<void>;

/**
 * Converts a source. `write` receives the lines of people.jsonl, and `writeToken` receives the lines of tokens.jsonl.
 */
export async function convert(
  { source, files, choices, env = {} }: ImportFrom,
  write: Write,
  writeToken: Write = async () => {},
): Promise<{ registry: Registry; report: ImportReport }> {
  const notes = new Notes(choices);
  const people = new PeopleTaker(notes, write);
  const registry = emptyRegistry();
  const tokens = new TokenTaker(writeToken);
  const take = people.take.bind(people);
  const takeToken = tokens.take.bind(tokens);
  await CONVERTERS[source]({ files, notes, registry, take, takeToken, env });
  const groupIds = new Set(registry.groups.map(({ id }) => id));
  for (const id of people.groups) if (!groupIds.has(id)) registry.groups.push({ id, name: id });
  const rows = notes.rows();
  const report = {
    source,
    files: files.map(({ name }) => name),
    people: people.count,
    tokens: tokens.count,
    counts: countsOf(rows),
    rows,
    unused_choices: notes.unusedChoices(),
  };
  return { registry, report };
}

/** Converts a source and writes the files into the folder `to`. Writes tokens.jsonl only if there are tokens. */
export function importFiles(from: ImportFrom & { to: string }): Promise<ImportReport> {
  return fillFolder(from.to, async (folder) => {
    const inside = (name: string) => path.join(folder, name);
    const people = linesInto(inside('people.jsonl'));
    let tokens: ReturnType<typeof linesInto> | undefined;
    const writeToken = (line: string) => {
      tokens ??= linesInto(inside('tokens.jsonl'));
      return tokens.write(line);
    };
    const { registry, report } = await convert(from, people.write, writeToken);
    await people.end();
    await tokens?.end();
    await writeFile(inside('registry.yaml'), registryText(registry, from.source), { mode: 0o600 });
    await writeFile(inside('report.md'), reportInWords(report));
    await writeFile(inside('report.json'), `${JSON.stringify(report, null, 2)}\n`);
    return report;
  });
}

/** Creates a file that only its owner can access, for writing line by line. */
function linesInto(name: string): { write: Write; end: () => Promise<void> } {
  const file = createWriteStream(name, { mode: 0o600 });
  const failed = once(file, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  return {
    write: async (line) => {
      if (!file.write(line)) await Promise.race([once(file, 'drain'), failed]);
    },
    end: async () => {
      file.end();
      await Promise.race([once(file, 'close'), failed]);
    },
  };
}

/** Parses the file of `--choices`: paths in the report, each with the chosen value. */
export function readChoices(text: string, name: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new SourceFault(
      `${name}: ${error instanceof Error ? error.message.split('\n')[0] : 'is not YAML'}`,
    );
  }
  if (value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value))
    throw new SourceFault(`${name}: must be keys and values`);
  return new Map(Object.entries(value));
}
