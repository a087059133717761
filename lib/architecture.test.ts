// Imports follow the table of rooms and folders (testing/code/rooms.ts): no cycles, none past the index.ts of a room.
import path from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGES } from '#testing/code/packages.ts';
import { CORE, EDGES, FOLDERS, ROOMS } from '#testing/code/rooms.ts';
import { importsOf, isTest, sourcesIn, textOf } from '#testing/code/sources.ts';

const served = sourcesIn('lib', 'app', 'cli', 'server.ts', 'serve.ts', 'proxy.ts', 'instrumentation.ts');
const sources = [...served, ...sourcesIn('scripts', 'delivery', 'testing', 'e2e', 'packages/verify/src')];
const files = served.map(({ file }) => file);

type Import = { from: string; specifier: string; target: string | null };
const allImports: Import[] = sources.flatMap((source) =>
  importsOf(source).map((specifier) => ({
    from: source.file,
    specifier,
    target: targetOf(source.file, specifier),
  })),
);
const imports = allImports.filter(({ from }) => files.includes(from));

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

test('every folder of a place in the table has its row, which lists rows above it alone', () => {
  for (const [place, rows] of Object.entries(FOLDERS)) {
    const names = Object.keys(rows);
    const found = sources.map(({ file }) => folderIn(place, file)).filter((name) => name !== null);
    expect(new Set(found), place).toEqual(new Set(names));
    for (const [at, name] of names.entries())
      expect(names.slice(0, at), `${place}: the row of ${name}`).toEqual(
        expect.arrayContaining([...(rows[name] ?? [])]),
      );
  }
});

test('folders import the folders of their row; in lib/ by its index.ts alone', () => {
  const faults = Object.entries(FOLDERS).flatMap(([place, rows]) =>
    allImports.flatMap(({ from, target, specifier }) => {
      const [own, to] = [folderIn(place, from), target && folderIn(place, target)];
      if (own === null || !to || own === to || isTest(from) || isSpec(from)) return [];
      if (!rows[own]?.includes(to)) return [`${from} may not import ${place}/${to}`];
      const whole = place.startsWith('lib/') && target !== `${place}/${to}/index.ts`;
      return whole ? [`${from} does not import the index.ts: ${specifier}`] : [];
    }),
  );
  expect(faults).toEqual([]);
});

test('a folder in lib/ or app/ imports no file that lies above it in its room', () => {
  const faults = ['app', ...Object.keys(FOLDERS)]
    .filter((place) => /^(?:lib|app)\b/.test(place))
    .flatMap((place) =>
      imports.filter(
        ({ from, target }) =>
          folderIn(place, from) !== null &&
          !isTest(from) &&
          target !== null &&
          path.posix.dirname(target) === place,
      ),
    );
  expect(faults).toEqual([]);
});

test('nothing in lib/ imports code outside of lib/', () => {
  const faults = imports.filter(
    ({ from, target }) =>
      from.startsWith('lib/') &&
      target !== null &&
      !target.startsWith('lib/') &&
      // only package.json has the version
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
    'app/_doors/plain.ts',
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
    const isOurs =
      file.startsWith('lib/management') && file !== 'lib/management/core/record.ts' && !isTest(file);
    return isOurs && /import \{[^}]*\brecordEvent\b[^}]*\} from '#lib\/audit/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('only settings read the environment, only the kit reads the clock', () => {
  const faults = files
    // snippets are code for other programs
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
  const edges = new Map(sources.map(({ file }) => [file, [] as string[]]));
  for (const { from, target } of allImports) if (target) edges.get(from)?.push(target);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    }
  };
  for (const { file } of sources) visit(file, []);
  expect(cycles).toEqual([]);
});

/** The folder of this place that a file is in; null: in none. What Prisma generates is no folder of ours. */
function folderIn(place: string, file: string): string | null {
  const [folder, ...rest] = file.startsWith(`${place}/`) ? file.slice(place.length + 1).split('/') : [];
  return folder === undefined || rest.length === 0 || folder === 'generated' ? null : folder;
}

const isSpec = (file: string) => file.endsWith('.spec.ts');

function roomOf(file: string): string {
  return file.split('/')[1] as string;
}

/** The file of this repository that an import names; null for a package. */
function targetOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : null;
}
