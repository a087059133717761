// Results of Vercel's build: functions with sizes, routes, crons, and forbidden files.
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export type Output = {
  functions: { name: string; bytes: number }[];
  /** number of additional names of functions */
  aliases: number;
  routes: number;
  crons: { path: string; schedule: string }[];
  /** size in bytes of the files that Vercel's edge serves without a function */
  files: number;
  faults: string[];
};

/** Vercel's limit for a function, unpacked. */
const MOST_BYTES = 250 * 1024 * 1024;
/** Gatehouse files that a function may contain besides pages: files read at runtime. */
const OURS = [
  '.next',
  '.vc-config.json',
  '___next_launcher.cjs',
  ...['CHANGELOG.md', 'CONTRIBUTING.md', 'GLOSSARY.md', 'SECURITY.md'],
  'docs',
  'gatehouse.schema.json',
  'node_modules',
  'package.json',
  'prisma',
];
const NOT_OURS = ['.env', '.git', '.data', 'e2e', 'testing', 'demo', 'scripts', 'package-lock.json'];

export function readOutput(folder: string): Output {
  const config = JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8')) as {
    routes: unknown[];
    crons?: Output['crons'];
  };
  const all = foldersIn(path.join(folder, 'functions'));
  const own = all.filter((one) => !lstatSync(one).isSymbolicLink());
  const functions = own.map((one) => ({
    name: path.relative(path.join(folder, 'functions'), one),
    bytes: bytesIn(one),
  }));
  const faults = [
    ...functions.filter(({ bytes }) => bytes > MOST_BYTES).map(({ name }) => `${name} is too large`),
    ...own.flatMap((one) =>
      readdirSync(one)
        .filter((name) => !OURS.includes(name))
        .map((name) => `${one} has ${name}`),
    ),
    ...NOT_OURS.filter((name) => readdirSync(path.join(folder, 'static')).includes(name)).map(
      (name) => `${name} is public`,
    ),
  ];
  return {
    functions,
    aliases: all.length - own.length,
    routes: config.routes.length,
    crons: config.crons ?? [],
    files: bytesIn(path.join(folder, 'static')),
    faults,
  };
}

/** Returns the folders of functions, including links to such folders. */
function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.name.endsWith('.func')) return [full];
    return entry.isDirectory() ? foldersIn(full) : [];
  });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

export function reportOf({ functions, aliases, routes, crons, files, faults }: Output): string {
  const mega = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    ...functions.map(({ name, bytes }) => `${mega(bytes).padStart(9)}  ${name}`),
    `${mega(files).padStart(9)}  files of the edge`,
    `${functions.length} functions under ${functions.length + aliases} names, ${routes} routes`,
    ...crons.map((cron) => `cron ${cron.path} at ${cron.schedule}`),
    ...faults.map((fault) => `✗ ${fault}`),
  ].join('\n');
}
