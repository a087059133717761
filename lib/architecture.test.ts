// The house's rules as data: who may import whom, which package belongs to which room, no cycle, no way past a door.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const GROUND = ['kit', 'http', 'settings', 'outbound', 'registry', 'store', 'observability'];

/** From room to the rooms it may import. Settings may be read by everyone, and import the kit only. */
const ROOMS: Record<string, readonly string[]> = {
  kit: [],
  settings: ['kit'],
  http: ['kit', 'settings'],
  outbound: ['kit', 'settings'],
  registry: ['kit', 'outbound'],
  store: ['kit', 'http', 'settings', 'registry'],
  observability: ['kit', 'http', 'settings', 'store'],
  audit: GROUND,
  keys: GROUND,
  tokens: [...GROUND, 'keys'],
  sessions: [...GROUND, 'tokens'],
  'auth-methods': [...GROUND, 'audit'],
  oauth: [...GROUND, 'keys', 'tokens', 'sessions', 'auth-methods', 'audit'],
  management: [...GROUND, 'keys', 'tokens', 'sessions', 'auth-methods', 'audit'],
  config: [...GROUND, 'audit', 'keys', 'management'],
  'management-api': [...GROUND, 'management'],
  reference: ['oauth'],
};
const CORE = Object.keys(ROOMS);

/** What stands outside of lib/ and turns an address or a verb into a call. */
const EDGES: Record<string, readonly string[]> = {
  app: CORE.filter((room) => room !== 'store'),
  'proxy.ts': CORE.filter((room) => room !== 'store'),
  // starts what a lasting process keeps open
  'instrumentation.ts': ['settings', 'http', 'observability', 'store'],
  // these two open and close the database that everything else runs on
  cli: CORE,
  'server.ts': CORE,
};

/** A package, and the places that may import it: a room, a file of a room, or an edge. */
const PACKAGES: [name: RegExp, places: readonly string[], because: string][] = [
  [/^next(\/|$)/, ['app', 'proxy.ts', 'server.ts'], 'the core runs under plain Node'],
  [/^react(-dom)?(\/|$)/, ['app'], 'the core runs under plain Node'],
  [/^server-only$/, [], 'it throws outside of the React server condition'],
  [/^(pg|@prisma\/.*)$/, ['lib/store'], 'every statement lives in the store'],
  [
    /^jose$/,
    ['lib/keys', 'lib/tokens', 'lib/auth-methods/broker'],
    'keys and tokens are these rooms’ business',
  ],
  [/^nodemailer$/, ['lib/kit/mail'], 'mail leaves in one place'],
  [/^(prom-client|@opentelemetry\/.*)$/, ['lib/observability'], 'what is off is not even loaded'],
  [/^iron-session$/, ['lib/sessions', 'lib/kit/seal'], 'cookies are sealed in one place'],
  [/^@node-rs\/argon2$/, ['lib/kit/password-hash'], 'its use is bounded in one place'],
  [/^openid-client$/, ['lib/auth-methods/broker'], 'brokers are called in one place'],
];

const SOURCES = ['lib', 'app', 'cli', 'server.ts', 'proxy.ts', 'instrumentation.ts'];
const files = SOURCES.flatMap(sourcesUnder).filter((file) => !file.startsWith('lib/store/generated/'));

type Import = { from: string; specifier: string; target: string | null };
const imports: Import[] = files.flatMap((from) =>
  specifiersOf(from).map((specifier) => ({ from, specifier, target: targetOf(from, specifier) })),
);
const isTest = (file: string) => /\.test\.tsx?$/.test(file);

test('every room of lib/ has its row in the table', () => {
  const rooms = new Set(files.filter((file) => file.startsWith('lib/')).map(roomOf));
  rooms.delete('architecture.test.ts');
  expect([...rooms].filter((room) => !CORE.includes(room))).toEqual([]);
});

test('nobody imports upwards', () => {
  const faults = imports.flatMap(({ from, target }) => {
    const to = target?.startsWith('lib/') ? roomOf(target) : null;
    if (to === null || isTest(from)) return [];
    const own = from.startsWith('lib/') ? roomOf(from) : (from.split('/')[0] as string);
    if (own === to || (ROOMS[own] ?? EDGES[own])?.includes(to)) return [];
    return [`${from} may not import ${to}, because ${own} stands below or beside it`];
  });
  expect(faults).toEqual([]);
});

test('nothing in lib/ imports an address, a verb or a door', () => {
  const faults = imports.filter(
    ({ from, target }) =>
      from.startsWith('lib/') && target !== null && !target.startsWith('lib/') && !isTest(from),
  );
  expect(faults).toEqual([]);
});

test('a room is entered by its door', () => {
  const faults = imports.filter(({ from, target }) => {
    if (!target?.startsWith('lib/') || target.split('/').length < 3 || isTest(from)) return false;
    const inside = from.startsWith('lib/') && roomOf(from) === roomOf(target);
    return !inside && target !== `lib/${roomOf(target)}/index.ts`;
  });
  expect(faults.map(({ from, specifier }) => `${from} passes the door: ${specifier}`)).toEqual([]);
});

test('each package stays in its place', () => {
  const faults = imports.flatMap(({ from, specifier }) =>
    PACKAGES.filter(
      ([name, places]) =>
        name.test(specifier) && !isTest(from) && !places.some((place) => from.startsWith(place)),
    ).map(([, , because]) => `${from} may not import ${specifier}, because ${because}`),
  );
  expect(faults).toEqual([]);
});

test('every statement stands in the store', () => {
  const faults = files.filter((file) => {
    if (isTest(file) || file.startsWith('lib/store/')) return false;
    return /\.(?:orm|query)[<(]/.test(readFileSync(path.join(root, file), 'utf8'));
  });
  expect(faults).toEqual([]);
});

test('what a page or a form is sent is read where it is asked whether it can be stored', () => {
  const readers = [
    'app/_components/page-input.ts',
    'app/_plain.ts',
    // a form's name is only looked up in a table
    'app/(console)/_forms/dispatch.ts',
  ];
  const raw =
    /await (?:props\.)?(?:params|searchParams)\b|\b(?:request|req)\.(?:json|text|formData|arrayBuffer|blob|url|nextUrl)\b|useSearchParams/;
  const faults = files.filter(
    (file) => file.startsWith('app/') && !isTest(file) && !readers.includes(file) && raw.test(textOf(file)),
  );
  expect(faults).toEqual([]);
});

test('who did something, and by which request, is put into the audit log in one place', () => {
  const faults = files.filter((file) => {
    const isOurs = file.startsWith('lib/management') && file !== 'lib/management/record.ts' && !isTest(file);
    return isOurs && /import \{[^}]*\brecord\b[^}]*\} from '#lib\/audit/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('the environment is read in settings only, the clock in the kit only', () => {
  const faults = files
    // snippets are code for somebody else's program
    .filter((file) => !isTest(file) && !file.startsWith('app/_snippets/'))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const asksClock = /\bDate\.now\(|\bnew Date\(\)/.test(text) && file !== 'lib/kit/clock.ts';
      // Next puts these two names in at build time
      const asksEnvironment =
        /process\.env(?!(?:\.|\[')(?:NODE_ENV|NEXT_RUNTIME))/.test(text) && !file.startsWith('lib/settings/');
      return [
        ...(asksClock && file.startsWith('lib/') ? [`${file} asks the clock`] : []),
        ...(asksEnvironment ? [`${file} asks the environment`] : []),
      ];
    });
  expect(faults).toEqual([]);
});

test('no file imports itself by a detour', () => {
  const edges = new Map(files.map((file) => [file, [] as string[]]));
  for (const { from, target } of imports) if (target) edges.get(from)?.push(target);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    }
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test('no file of lib/ grows over 250 lines', () => {
  const long = files
    .filter((file) => file.startsWith('lib/') && !isTest(file))
    .map((file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 250);
  expect(long).toEqual([]);
});

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function roomOf(file: string): string {
  return file.split('/')[1] as string;
}

function sourcesUnder(place: string): string[] {
  if (/\.tsx?$/.test(place)) return [place];
  return readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${place}/${file}`);
}

function specifiersOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^;'"]*?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm);
  return [...found].map((match) => (match[1] ?? match[2]) as string);
}

/** The file of this repository that an import names; null for a package. */
function targetOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : null;
}
