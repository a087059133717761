// The programs as delivered: Node must find each file that they import. The programs do not contain `app/`, because
// Next builds it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importsIn } from './compile.ts';
import { CORE_PACKAGE, writeCore } from './core.ts';
import { writeProgram } from './program.ts';

const root = path.resolve(import.meta.dirname, '..');
const dir = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-program-'));
const { imports } = writeProgram(root, dir);
const core = `node_modules/${CORE_PACKAGE}`;
await writeCore(root, path.join(dir, core), { version: '0.0.0' }, { maps: false });
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const requests = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.m?js$/.test(file))
  .flatMap((file) =>
    importsIn(file, readFileSync(path.join(dir, file), 'utf8')).map((specifier) => ({ file, specifier })),
  );

/** Returns the path relative to the tree; null: an npm package, or an alias that is missing in `imports`. */
function targetOf(file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier);
  const [alias = ''] = specifier.split('/', 1);
  const mapped = file.startsWith(core) ? { '#lib/*': `${CORE_PACKAGE}/*` } : imports;
  const target = specifier.startsWith(CORE_PACKAGE)
    ? specifier
    : (mapped[`${alias}/*`]?.replace('*', specifier.slice(alias.length + 1)) ?? null);
  return target?.replace(new RegExp(`^${CORE_PACKAGE}/`), `${core}/`) ?? null;
}

test('each relative or aliased import in the compiled programs names an existing file', () => {
  const ours = requests.filter(({ specifier }) => /^[.#]|^gatehouse-lib\//.test(specifier));
  const missing = ours.filter(({ file, specifier }) => {
    const target = targetOf(file, specifier);
    if (target === null) return true;
    return /\.m?js$/.test(target) && !target.startsWith('app/') && !existsSync(path.join(dir, target));
  });
  expect(missing).toEqual([]);
  const aliases = new Set(ours.map(({ specifier }) => /^#[\w-]+/.exec(specifier)?.[0]));
  expect(aliases).toContain('#verify');
});

test('the core keeps calls whose only purpose is an error', () => {
  const text = readFileSync(path.join(dir, core, 'chunks', 'core.js'), 'utf8');
  expect(text).toMatch(/function isDecodable\(path\) \{\s*try \{\s*decodeURIComponent\(path\);/);
});

test('a delivered chunk names its source map, which an operator can add', () => {
  const chunks = readdirSync(path.join(dir, core, 'chunks'));
  expect(chunks.filter((file) => file.endsWith('.map'))).toEqual([]);
  const text = readFileSync(path.join(dir, core, 'chunks', 'core.js'), 'utf8');
  expect(text).toMatch(/\n\/\/# sourceMappingURL=core\.js\.map\s*$/);
});
