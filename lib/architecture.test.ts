import { expect, test } from 'vitest';
import { PACKAGES } from '#testing/code/packages.ts';
import {
  CORE,
  EDGES,
  ENTRY_FILES,
  FOLDERS,
  INSIDE,
  OAUTH_ORDER,
  OTHER_KINDS,
  ROOMS,
  roomOf,
  TYPES_ONLY,
} from '#testing/code/rooms.ts';
import {
  importsOf,
  importTarget,
  isTest,
  PROGRAMS,
  passedOnBy,
  sourceOf,
  sourcesIn,
  textOf,
  typeImportsOf,
} from '#testing/code/sources.ts';

const served = sourcesIn(
  ...['lib', 'app', 'cli', ...PROGRAMS],
  ...Object.keys(INSIDE).map((name) => `${name}/src`),
);
const sources = [...served, ...sourcesIn('scripts', 'delivery', 'testing', 'e2e', 'packages/verify/src')];
const files = served.map(({ file }) => file);

type Import = { from: string; specifier: string; target: string | null; isType: boolean };
const allImports: Import[] = sources.flatMap((source) => {
  const types = typeImportsOf(source);
  return importsOf(source).map((specifier) => ({
    from: source.file,
    specifier,
    target: importTarget(source.file, specifier),
    isType: types.has(specifier),
  }));
});
const imports = allImports.filter(({ from }) => files.includes(from));

type IntoRoom = Import & { target: string };
/** Imports of a file in a folder of lib/ or in a package, by code outside of that folder or package. */
const importsIntoRooms = imports.filter((one): one is IntoRoom => {
  const { from, target } = one;
  if (!target || !isInRoom(target) || target.split('/').length < 3 || isTest(from)) return false;
  return roomOf(from) !== roomOf(target);
});
/** Files of routes: Next reads their exports, so no other file needs to import them. */
const IS_ROUTE = /^app\/(?:.*\/)?route\.tsx?$/;

test('the table of rooms lists every room, and each room is a folder of lib/', () => {
  const code = files.filter((file) => file.startsWith('lib/') && !isTest(file));
  expect(code.filter((file) => !CORE.includes(roomOf(file)))).toEqual([]);
});

test('each row of OTHER_KINDS names a file or folder of lib/catalogue', () => {
  const isThere = (name: string) =>
    files.some((file) => file === `lib/catalogue/${name}.ts` || file.startsWith(`lib/catalogue/${name}/`));
  expect(Object.keys(OTHER_KINDS).filter((name) => !isThere(name))).toEqual([]);
});

test.each([
  ['lib/store/hot/codes.ts', 'store'],
  ['lib/catalogue/groups/definition.ts', 'registry'],
  ['lib/catalogue/people/rows-registrations.ts', 'store'],
  ['lib/catalogue/groups/operations.ts', 'management'],
  ['lib/catalogue/groups/routes.ts', 'management-api'],
  ['lib/catalogue/methods/ldap/verify.ts', 'registry'],
  ['lib/catalogue/clients/access.ts', 'management'],
  ['lib/catalogue/groups/rowset.ts', 'catalogue'],
  ['packages/moving-in/src/output.ts', 'packages/moving-in'],
  ['app/health/route.ts', 'app'],
])('the file %s obeys the rules of the room %s', (file, room) => {
  expect(roomOf(file)).toBe(room);
});

/** Describes an import that the row of the importing file's room does not list; null: the row permits it. */
function roomFault({ from, target, isType }: Omit<Import, 'specifier'>): string | null {
  const to = target !== null && isInRoom(target) ? roomOf(target) : null;
  if (to === null || isTest(from)) return null;
  const own = roomOf(from);
  if (own === to || (ROOMS[own] ?? INSIDE[own] ?? EDGES[own])?.includes(to)) return null;
  if (isType && TYPES_ONLY[own]?.includes(to)) return null;
  return `${from} may not import ${to}, because its row does not list it`;
}

test('rooms import only rooms listed in their row', () => {
  expect(imports.map(roomFault).filter((fault) => fault !== null)).toEqual([]);
});

const GROUPS = 'lib/catalogue/groups';
test.each([
  // a definition knows no rows, and rows know no operation
  [`${GROUPS}/definition.ts`, `${GROUPS}/rows.ts`],
  [`${GROUPS}/definition.ts`, 'lib/store/prisma.ts'],
  [`${GROUPS}/rows.ts`, `${GROUPS}/operations.ts`],
  [`${GROUPS}/operations.ts`, `${GROUPS}/routes.ts`],
  ['lib/store/hot/codes.ts', `${GROUPS}/operations.ts`],
  ['lib/oauth/token.ts', `${GROUPS}/operations.ts`],
  ['app/(console)/admin/groups/page.tsx', `${GROUPS}/rows.ts`],
])('%s may not import %s', (from, target) => {
  expect(roomFault({ from, target, isType: false })).not.toBeNull();
});

test.each([
  [`${GROUPS}/rows.ts`, `${GROUPS}/definition.ts`],
  [`${GROUPS}/routes.ts`, `${GROUPS}/operations.ts`],
  ['lib/oauth/token.ts', `${GROUPS}/rows.ts`],
  ['app/(console)/admin/groups/page.tsx', `${GROUPS}/operations.ts`],
])('%s may import %s', (from, target) => {
  expect(roomFault({ from, target, isType: false })).toBeNull();
});

test('each folder of a listed place has a row in the table, and a row lists only rows above it', () => {
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

test('a folder imports only the folders listed in its row of FOLDERS', () => {
  const faults = Object.entries(FOLDERS).flatMap(([place, rows]) =>
    allImports.flatMap(({ from, target }) => {
      const [own, to] = [folderIn(place, from), target && folderIn(place, target)];
      if (own === null || !to || own === to || isTest(from) || isSpec(from)) return [];
      return rows[own]?.includes(to) ? [] : [`${from} may not import ${place}/${to}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('files and folders of lib/oauth import only files and folders that precede them in OAUTH_ORDER', () => {
  const placeOf = (file: string) => {
    const name = file.slice('lib/oauth/'.length);
    return OAUTH_ORDER.includes(name) ? name : `${name.split('/')[0]}/`;
  };
  const oauth = files.filter((file) => file.startsWith('lib/oauth/') && !isTest(file));
  expect([...new Set(oauth.map(placeOf))].toSorted()).toEqual(OAUTH_ORDER.toSorted());
  const faults = imports
    .filter(({ from, target }) => oauth.includes(from) && target?.startsWith('lib/oauth/'))
    .map(({ from, target }) => ({ from, target, at: placeOf(from), to: placeOf(target as string) }))
    .filter(({ at, to }) => at !== to && OAUTH_ORDER.indexOf(to) > OAUTH_ORDER.indexOf(at))
    .map(({ from, target }) => `${from} imports ${target}, which is above it`);
  expect(faults).toEqual([]);
});

test('nothing in lib/ imports code outside of lib/, and a package imports lib/ and itself only', () => {
  const faults = imports.filter(
    ({ from, target }) =>
      isInRoom(from) &&
      target !== null &&
      !target.startsWith('lib/') &&
      roomOf(target) !== roomOf(from) &&
      // this import is allowed, because only package.json contains the version
      !(from === 'lib/kit/version.ts' && target === 'package.json') &&
      !isTest(from),
  );
  expect(faults).toEqual([]);
});

test('a room imports from another room only the files listed in ENTRY_FILES', () => {
  const faults = importsIntoRooms
    .filter(({ target }) => !ENTRY_FILES[placeOf(target)]?.includes(inRoom(target)))
    .map(
      ({ from, target }) =>
        `${from} imports ${target}: use a listed file, or add '${inRoom(target)}' to ${placeOf(target)} in ENTRY_FILES`,
    );
  expect(faults).toEqual([]);
});

test('ENTRY_FILES lists each file once, in order, and only files that another room imports', () => {
  const used = new Set(importsIntoRooms.map(({ target }) => target));
  for (const [place, names] of Object.entries(ENTRY_FILES)) {
    expect(names, place).toEqual([...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)));
    const unused = names.filter((name) => !used.has(`${folderOf(place)}/${name}.ts`));
    expect(unused, `no other room imports these files of ${folderOf(place)}`).toEqual([]);
  }
});

test('each import names the file that declares the name: no file re-exports a name of another file', () => {
  const faults = sources
    .filter(({ file }) => !file.startsWith('packages/verify/') && !IS_ROUTE.test(file))
    .flatMap((source) => passedOnBy(source).map((name) => `${source.file} exports ${name} of another file`));
  expect(faults).toEqual([]);
  const text =
    "import { a } from './a.ts'; export { a, d }; export { b } from '#lib/b.ts'; export * from './c.ts'; const d = 1;";
  expect(passedOnBy(sourceOf('one.ts', text))).toEqual(['a', 'b', '*']);
});

test('only the files that the table PACKAGES lists import npm packages', () => {
  const faults = imports.flatMap(({ from, specifier }) =>
    PACKAGES.filter(
      ([name, places]) =>
        name.test(specifier) && !isTest(from) && !places.some((place) => from.startsWith(place)),
    ).map(([, , because]) => `${from} may not import ${specifier}, because ${because}`),
  );
  expect(faults).toEqual([]);
});

test('the manifest of a package lists the npm packages that it imports, at the version of package.json', () => {
  type Manifest = { dependencies: Record<string, string> };
  const { dependencies } = JSON.parse(textOf('package.json')) as Manifest;
  for (const name of Object.keys(INSIDE)) {
    const used = imports
      .filter(({ from, target }) => from.startsWith(`${name}/`) && target === null && !isTest(from))
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith('node:'));
    const listed = (JSON.parse(textOf(`${name}/package.json`)) as Manifest).dependencies;
    expect(listed, name).toEqual(Object.fromEntries(used.map((one) => [one, dependencies[one]])));
  }
});

test('only the room store contains SQL', () => {
  const faults = files.filter((file) => {
    // the embedded database server creates its database itself
    const mayHave = ['store', 'embedded-database'].includes(roomOf(file));
    if (isTest(file) || mayHave) return false;
    return /\.(?:orm|query)[<(]/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('pages and forms read input only through the check for storable text', () => {
  const readers = [
    'app/_components/page-input.ts',
    'app/_html/html-page.ts',
    'app/_doors/plain.ts',
    // this file itself rejects text that cannot be stored
    'app/_proxy.ts',
    // this file uses the names of forms only as keys of a lookup
    'app/(console)/_kit/dispatch.ts',
  ];
  const raw =
    /await (?:props\.)?(?:params|searchParams)\b|\b(?:request|req)\.(?:json|text|formData|arrayBuffer|blob|url|nextUrl)\b|useSearchParams/;
  const faults = files.filter(
    (file) => file.startsWith('app/') && !isTest(file) && !readers.includes(file) && raw.test(textOf(file)),
  );
  expect(faults).toEqual([]);
});

test('only one file of management writes audit events', () => {
  const faults = files.filter((file) => {
    const isOurs = /^management/.test(roomOf(file)) && file !== 'lib/management/record.ts' && !isTest(file);
    return isOurs && /import \{[^}]*\brecordEvent\b[^}]*\} from '#lib\/audit/.test(textOf(file));
  });
  expect(faults).toEqual([]);
});

test('only the settings read the environment, and only lib/kit reads the clock', () => {
  const faults = files
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const text = textOf(file);
      const asksClock = /\bDate\.now\(|\bnew Date\(\)/.test(text) && file !== 'lib/kit/clock.ts';
      // Next replaces these two names when it builds
      const asksEnvironment =
        /process\.env(?!(?:\.|\[')(?:NODE_ENV|NEXT_RUNTIME))/.test(text) && !file.startsWith('lib/settings/');
      return [
        ...(asksClock && isInRoom(file) ? [`${file} asks the clock`] : []),
        ...(asksEnvironment ? [`${file} asks the environment`] : []),
      ];
    });
  expect(faults).toEqual([]);
});

test('source files have no import cycle', () => {
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

/** The folder directly below `place` that contains the file; `null`: none. Code that Prisma generates is excluded. */
function folderIn(place: string, file: string): string | null {
  const [folder, ...rest] = file.startsWith(`${place}/`) ? file.slice(place.length + 1).split('/') : [];
  return folder === undefined || rest.length === 0 || folder === 'generated' ? null : folder;
}

const isSpec = (file: string) => file.endsWith('.spec.ts');

/** True for files of lib/ and for files of packages that the command line uses. */
function isInRoom(file: string): boolean {
  return file.startsWith('lib/') || Object.hasOwn(INSIDE, roomOf(file));
}

/** Returns the folder or package whose row of ENTRY_FILES lists the file. */
function placeOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'packages' ? `${first}/${second}` : second;
}

const folderOf = (place: string) => (Object.hasOwn(INSIDE, place) ? `${place}/src` : `lib/${place}`);

/** The name of a file within its place, as written in ENTRY_FILES. */
function inRoom(file: string): string {
  return file.slice(folderOf(placeOf(file)).length + 1).replace(/\.ts$/, '');
}
