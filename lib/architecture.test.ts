// Which room of lib/ may import which, which package belongs to which room, no cycles, no import past the index.ts of a room.
import path from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, isTest, sourcesIn, textOf } from '#testing/sources.ts';

const GROUND = [
  'kit',
  'http',
  'settings',
  'language',
  'outbound',
  'registry',
  'pictures',
  'store',
  'observability',
];

/** Each room with the rooms that it may import. */
const ROOMS: Record<string, readonly string[]> = {
  kit: [],
  settings: ['kit'],
  'embedded-database': ['kit', 'settings'],
  language: ['kit', 'settings'],
  http: ['kit', 'settings', 'language'],
  outbound: ['kit', 'settings'],
  registry: ['kit', 'outbound'],
  pictures: ['kit'],
  store: ['kit', 'http', 'settings', 'registry'],
  observability: ['kit', 'http', 'settings', 'store'],
  audit: GROUND,
  keys: GROUND,
  tokens: [...GROUND, 'keys'],
  sessions: [...GROUND, 'tokens'],
  'auth-methods': [...GROUND, 'audit'],
  factors: [...GROUND, 'audit', 'auth-methods'],
  // how a parameter is declared, and the one generator of documents
  openapi: ['kit'],
  // an authorize request may be the request of an agent, which is an operation like any other
  oauth: [
    ...GROUND,
    'keys',
    'tokens',
    'sessions',
    'auth-methods',
    'factors',
    'audit',
    'openapi',
    'management',
  ],
  management: [...GROUND, 'keys', 'tokens', 'sessions', 'auth-methods', 'factors', 'audit'],
  config: [...GROUND, 'audit', 'keys', 'management'],
  'management-api': [...GROUND, 'management', 'openapi'],
  reference: ['kit', 'oauth', 'openapi'],
  workers: ['kit', 'http', 'settings', 'observability'],
};
const CORE = Object.keys(ROOMS);

/** The code outside of lib/, which translates an address or a verb into a call. */
const EDGES: Record<string, readonly string[]> = {
  app: CORE.filter((room) => room !== 'store'),
  'proxy.ts': [],
  // starts what a lasting process keeps open
  'instrumentation.ts': ['settings', 'http', 'observability', 'store'],
  // these open and close the database that everything else runs on
  cli: CORE,
  'server.ts': CORE,
  'serve.ts': CORE,
};

/** A package, and the places that may import it: a room, a file of a room, or an edge. */
const PACKAGES: [name: RegExp, places: readonly string[], because: string][] = [
  [/^next(\/|$)/, ['app', 'proxy.ts', 'serve.ts'], 'the core runs under plain Node'],
  [/^react(-dom)?(\/|$)/, ['app'], 'the core runs under plain Node'],
  [/^server-only$/, [], 'it throws outside of the React server condition'],
  [
    /^(pg|@prisma\/.*)$/,
    ['lib/store', 'lib/embedded-database/embedded'],
    'every statement lives in the store; the embedded server is asked whether it answers',
  ],
  [
    /^jose$/,
    ['lib/keys', 'lib/tokens', 'lib/auth-methods/broker', 'app/(console)/developer/playground'],
    'keys and tokens are these rooms’ business; the playground checks ID tokens as a client does',
  ],
  [/^nodemailer$/, ['lib/kit/mail'], 'mail leaves in one place'],
  [/^(prom-client|@opentelemetry\/.*)$/, ['lib/observability'], 'what is off is not even loaded'],
  [/^@node-rs\/argon2$/, ['lib/kit/password-hash'], 'its use is bounded in one place'],
  [/^(intl-messageformat|@formatjs\/.*)$/, ['lib/language'], 'messages are put together in one place'],
  [/^sharp$/, ['lib/pictures/drawing-process'], 'pictures are decoded in a process of their own'],
  [/^undici$/, ['lib/outbound'], 'calls to others leave in one place'],
  [/^ipaddr\.js$/, ['lib/outbound', 'lib/http/peer-address'], 'callers and called addresses are read there'],
  [/^(@simplewebauthn\/server|otpauth|qrcode)$/, ['lib/factors'], 'only who proves a factor loads them'],
  [/^openid-client$/, ['lib/auth-methods/broker'], 'brokers are called in one place'],
];

const sources = sourcesIn('lib', 'app', 'cli', 'server.ts', 'serve.ts', 'proxy.ts', 'instrumentation.ts');
const files = sources.map(({ file }) => file);

type Import = { from: string; specifier: string; target: string | null };
const imports: Import[] = sources.flatMap((source) =>
  importsOf(source).map((specifier) => ({
    from: source.file,
    specifier,
    target: targetOf(source.file, specifier),
  })),
);

test('every room of lib/ has its row in the table', () => {
  const rooms = new Set(files.filter((file) => file.startsWith('lib/')).map(roomOf));
  expect([...rooms].filter((room) => !CORE.includes(room) && !isTest(room))).toEqual([]);
});

test('rooms import only the rooms of their row', () => {
  const faults = imports.flatMap(({ from, target }) => {
    const to = target?.startsWith('lib/') ? roomOf(target) : null;
    if (to === null || isTest(from)) return [];
    const own = from.startsWith('lib/') ? roomOf(from) : (from.split('/')[0] as string);
    if (own === to || (ROOMS[own] ?? EDGES[own])?.includes(to)) return [];
    return [`${from} may not import ${to}, because its row does not list it`];
  });
  expect(faults).toEqual([]);
});

test('nothing in lib/ imports code outside of lib/', () => {
  const faults = imports.filter(
    ({ from, target }) =>
      from.startsWith('lib/') &&
      target !== null &&
      !target.startsWith('lib/') &&
      // the version stands in package.json alone
      !(from === 'lib/kit/version.ts' && target === 'package.json') &&
      !isTest(from),
  );
  expect(faults).toEqual([]);
});

test('other rooms import only the index.ts of a room', () => {
  const faults = imports.filter(({ from, target }) => {
    if (!target?.startsWith('lib/') || target.split('/').length < 3 || isTest(from)) return false;
    const inside = from.startsWith('lib/') && roomOf(from) === roomOf(target);
    return !inside && target !== `lib/${roomOf(target)}/index.ts`;
  });
  expect(faults.map(({ from, specifier }) => `${from} does not import the index.ts: ${specifier}`)).toEqual(
    [],
  );
});

test('packages are imported only where the table allows it', () => {
  const faults = imports.flatMap(({ from, specifier }) =>
    PACKAGES.filter(
      ([name, places]) =>
        name.test(specifier) && !isTest(from) && !places.some((place) => from.startsWith(place)),
    ).map(([, , because]) => `${from} may not import ${specifier}, because ${because}`),
  );
  expect(faults).toEqual([]);
});

test('only the store has SQL', () => {
  const faults = files.filter((file) => {
    // the embedded server makes its database itself
    const mayHave = ['lib/store/', 'lib/embedded-database/'].some((room) => file.startsWith(room));
    if (isTest(file) || mayHave) return false;
    return /\.(?:orm|query)[<(]/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('pages and forms read their input only where it is checked to be storable', () => {
  const readers = [
    'app/_components/page-input.ts',
    'app/_html/html-page.ts',
    'app/_plain.ts',
    // it is the one that refuses
    'app/_proxy.ts',
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

test('management writes audit events in one file only', () => {
  const faults = files.filter((file) => {
    const isOurs = file.startsWith('lib/management') && file !== 'lib/management/record.ts' && !isTest(file);
    return isOurs && /import \{[^}]*\brecordEvent\b[^}]*\} from '#lib\/audit/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('only settings read the environment, only the kit reads the clock', () => {
  const faults = files
    // snippets are code for somebody else's program
    .filter((file) => !isTest(file) && !file.startsWith('app/_snippets/'))
    .flatMap((file) => {
      const text = textOf(file);
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

test('there is no import cycle', () => {
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

function roomOf(file: string): string {
  return file.split('/')[1] as string;
}

/** The file of this repository that an import names; null for a package. */
function targetOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : null;
}
