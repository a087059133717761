// What every version keeps: its line for operators, its place in the record, and its migrations as they were.
import { expect, test } from 'vitest';
import { readMigrations } from '#lib/store/migrations/migrate.ts';
import { commitOf, migrationsOf, readReleases } from '../../scripts/upgrade/releases.ts';
import { textOf } from './sources.ts';

const releases = readReleases();
const newest = releases.at(-1);
const sections = textOf('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    return { heading, first: lines.find((line) => line !== '') ?? '' };
  });
const LINE = /^What an operator must do: (?:nothing|.*\S)\.$/;

test('each version of CHANGELOG.md says first, in one line, what an operator must do, or "nothing"', () => {
  expect(sections.length).toBeGreaterThan(1);
  expect(sections.filter(({ first }) => !LINE.test(first))).toEqual([]);
  expect('The first version.').not.toMatch(LINE);
  expect('What an operator must do: .').not.toMatch(LINE);
});

test('the record, CHANGELOG.md, SECURITY.md, package.json and the lock file name one newest version', () => {
  const headings = sections.map(({ heading }) => heading);
  expect(headings[0]).toBe('Unreleased');
  const released = headings
    .slice(1)
    .map((heading) => /^(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/.exec(heading)?.[1]);
  expect(released).toEqual(releases.map(({ version }) => version).toReversed());
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect(version).toBe(newest?.version);
  const lock = JSON.parse(textOf('package-lock.json')) as {
    version: string;
    packages: Record<string, object>;
  };
  expect([lock.version, lock.packages['']]).toMatchObject([version, { version }]);
  expect(textOf('SECURITY.md')).toContain(`the newest minor version (${version.replace(/\.\d+$/, '')})`);
});

test('a released migration is on disk as it was released: a change of the schema is a migration of its own', async () => {
  const here = await readMigrations('prisma/migrations');
  const digests = Object.fromEntries(here.map(({ name, checksum }) => [name, checksum]));
  for (const { version, migrations } of releases) {
    expect(digests, `prisma/migrations has those of ${version}`).toMatchObject(migrations);
    // an older one would run after the released ones on their databases, and before them on a new one
    expect(Object.keys(digests).slice(0, Object.keys(migrations).length)).toEqual(Object.keys(migrations));
  }
});

test('a release names its commit as soon as there is one, and records the migrations of that commit', () => {
  for (const release of releases) {
    if (release !== newest) expect(release.commit, release.version).toMatch(/^[0-9a-f]{40}$/);
    const commit = commitOf(release);
    // a shallow clone has neither the tag nor the commit
    if (commit) expect(migrationsOf(commit), release.version).toEqual(Object.keys(release.migrations));
  }
});
