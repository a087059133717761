// This version starts with the settings documented by the last release: no new setting is required, none was removed.
// `npm run upgrade-test` starts real services.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '#lib/settings/settings.ts';
import { documentedEnvironments, documentedSettings } from './old-environment.ts';
import { commitOf, documentAt, fileOf, readReleases } from './releases.ts';

const release = readReleases().at(-1);
const commit = release ? commitOf(release) : null;

// shallow clones lack tag and commit
describe.skipIf(commit === null)(`the environment of the release ${release?.version}`, () => {
  const environments = commit ? documentedEnvironments(commit) : [];

  test('the guides of the released version contain environments with settings', () =>
    expect(environments.map(({ document }) => document)).toContain(
      documentAt(commit ?? '', 'deploy-node.md'),
    ));

  test.each(environments)('the settings in $document are accepted by this version', ({ env }) => {
    const least = {
      DATABASE_URL: 'postgres://db.example/g',
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64url'),
    };
    expect(() => parseSettings({ ...least, ...env })).not.toThrow();
  });

  test('DATABASE_URL, GATEHOUSE_SECRET and BASE_URL are enough to start', () => {
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://db.example/g',
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64url'),
      BASE_URL: 'https://login.example',
    };
    expect(() => parseSettings(env)).not.toThrow();
  });

  test('every setting that the released version documents still exists', () => {
    const before = documentedSettings(fileOf(commit ?? '', documentAt(commit ?? '', 'settings.md')));
    expect(before.length).toBeGreaterThan(20);
    const now = documentedSettings(readFileSync('docs/reference/settings.md', 'utf8'));
    expect(before.filter((name) => !now.includes(name))).toEqual([]);
  });
});
