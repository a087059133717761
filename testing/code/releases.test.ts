// Release rules: operator line in the changelog, entry in the record, unchanged migrations.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { minorOf } from '#lib/kit/version.ts';
import { readMigrations } from '#lib/store/migrate.ts';
import { debianVersionOf, tagOf, versionOf } from '../../delivery/tree.ts';
import { commitOf, migrationsOf, readReleases } from '../../scripts/upgrade/releases.ts';
import { textOf } from './sources.ts';

const releases = readReleases();
const newest = releases.at(-1);
const sections = textOf('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    return { heading, first: lines.find((line) => line !== '') ?? '', lines };
  });
const nextMinor = (version: string) => {
  const [major, minor] = version.split('.').map(Number);
  return `${major}.${(minor ?? 0) + 1}.0`;
};
/** Patterns for installed versions in guides. */
const EXAMPLES: readonly [string, ...RegExp[]][] = [
  ['docs/operate/deploy-node.md', /--branch=v(\d+\.\d+\.\d+)/g, /\/srv\/gatehouse\/(\d+\.\d+\.\d+)/g],
  ['docs/operate/deploy-container.md', /gatehouse:(\d+\.\d+\.\d+)/g, /newTag: (\d+\.\d+\.\d+)/g],
  ['docs/operate/deploy-debian.md', /gatehouse_(\d+\.\d+\.\d+)_amd64/g],
  ['docs/operate/deploy-package.md', /server-(\d+\.\d+\.\d+)-linux/g],
];
const LINE = /^What an operator must do: (?:nothing|.*\S)\.$/;

test('each version in CHANGELOG.md starts with one line about what operators must do, or "nothing"', () => {
  expect(sections.length).toBeGreaterThan(1);
  expect(sections.filter(({ first }) => !LINE.test(first))).toEqual([]);
  expect('The first version.').not.toMatch(LINE);
  expect('What an operator must do: .').not.toMatch(LINE);
});

test('the release record, CHANGELOG.md and SECURITY.md name the same newest version', () => {
  const headings = sections.map(({ heading }) => heading);
  expect(headings[0]).toBe('Unreleased');
  const released = headings
    .slice(1)
    .map((heading) => /^(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/.exec(heading)?.[1]);
  expect(released).toEqual(releases.map(({ version }) => version).toReversed());
  expect(textOf('SECURITY.md')).toContain(`the newest minor version (${minorOf(newest?.version ?? '')})`);
});

test('package.json, the lock file and each package name the release, or the development version of the next one', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  const released = newest?.version ?? '';
  // a version with unreleased changes is a development version, so that two builds with different migrations never
  // have the same version
  const unreleased = sections[0]?.lines.some((line) => line.startsWith('- ')) ?? false;
  if (unreleased) expect(version).toBe(`${nextMinor(released)}-dev`);
  else expect([released, `${nextMinor(released)}-dev`]).toContain(version);
  const manifests = globSync('packages/*/package.json');
  expect(manifests).toContain('packages/verify/package.json');
  for (const file of manifests) expect(JSON.parse(textOf(file)), file).toMatchObject({ version });
  const lock = JSON.parse(textOf('package-lock.json')) as {
    version: string;
    packages: Record<string, object>;
  };
  expect([lock.version, lock.packages['']]).toMatchObject([version, { version }]);
});

test('the deployment guides name the current or the next version of the repository', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  const own = version.replace('-dev', '');
  for (const [file, ...patterns] of EXAMPLES)
    for (const pattern of patterns) {
      const named = [...textOf(file).matchAll(pattern)].map(([, found]) => found);
      expect(named, `${file} ${pattern}`).toContain(own);
      expect([own, nextMinor(own)], `${file} ${pattern}`).toEqual(expect.arrayContaining(named));
    }
});

test.each([
  ['0.3.0-dev+0123456789ab', '0.3.0-dev-0123456789ab', '0.3.0~dev+202611291022.0123456789ab'],
  [
    '0.3.0-dev+0123456789ab-changed',
    '0.3.0-dev-0123456789ab-changed',
    '0.3.0~dev+202611291022.0123456789ab.changed',
  ],
  ['0.3.0', '0.3.0', '0.3.0'],
])('a build of %s has the image tag %s and the Debian version %s', (version, tag, debian) => {
  const time = Date.UTC(2026, 10, 29, 10, 22) / 1_000;
  expect(tagOf(version)).toBe(tag);
  // tag syntax of the OCI distribution specification 1.1
  expect(tag).toMatch(/^\w[\w.-]{0,127}$/);
  expect(debianVersionOf({ version, time })).toBe(debian);
});

test.skipIf(spawnSync('dpkg', ['--version']).status !== 0)(
  'dpkg sorts a later development version as newer, and the release as newer than all development versions',
  () => {
    const early = debianVersionOf({ version: '0.3.0-dev+ffffffffffff', time: 1_795_000_000 });
    const late = debianVersionOf({ version: '0.3.0-dev+000000000000', time: 1_795_900_000 });
    for (const [older, newer] of [
      ['0.2.0', early],
      [early, late],
      [late, '0.3.0'],
    ] as const)
      expect(
        spawnSync('dpkg', ['--compare-versions', older, 'lt', newer]).status,
        `${older} < ${newer}`,
      ).toBe(0);
  },
);

test('the version number of a development tree contains its commit', () => {
  const { version, commit } = versionOf();
  const { version: source } = JSON.parse(textOf('package.json')) as { version: string };
  expect(version).toBe(source.endsWith('-dev') ? `${source}+${commit}` : source);
});

test('released migrations are unchanged on disk, and schema changes need a new migration', async () => {
  const here = await readMigrations('prisma/migrations');
  const digests = Object.fromEntries(here.map(({ name, checksum }) => [name, checksum]));
  for (const { version, migrations } of releases) {
    expect(digests, `prisma/migrations has those of ${version}`).toMatchObject(migrations);
    // an older name would run after released migrations in existing databases, but before them in new databases
    expect(Object.keys(digests).slice(0, Object.keys(migrations).length)).toEqual(Object.keys(migrations));
  }
});

test('the record of each release contains its commit and its migrations', () => {
  for (const release of releases) {
    if (release !== newest) expect(release.commit, release.version).toMatch(/^[0-9a-f]{40}$/);
    const commit = commitOf(release);
    // checked only if the clone contains the commit: a shallow clone lacks tag and commit
    if (commit) expect(migrationsOf(commit), release.version).toEqual(Object.keys(release.migrations));
  }
});
