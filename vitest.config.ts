import { defineConfig } from 'vitest/config';
import { LongestFirst } from './testing/run/longest-first.ts';
import { RELEASE_TESTS } from './testing/run/release.ts';

const unit = [
  'lib/**/*.test.ts',
  'cli/**/*.test.ts',
  'demo/**/*.test.ts',
  'app/**/*.test.ts',
  'scripts/**/*.test.ts',
  'testing/**/*.test.ts',
  'delivery/**/*.test.ts',
  'packages/**/*.test.ts',
];
const db = ['lib', 'cli', 'app', 'testing', 'packages'].map((place) => `${place}/**/*.db.test.ts`);

// Vitest sets a BASE_URL of its own, which is none of ours
const own = { BASE_URL: 'http://localhost:3000' };

/** What is waited for comes; how soon is no test's business. */
const patient = { poll: { timeout: 15_000 } };

/**
 * One process runs many files, each of which starts as a new process would: most of a file's time was loading packages.
 */
const asNew = './testing/run/as-new.ts';
const inOneProcess = { isolate: false, sequence: { setupFiles: 'list' as const } };

const withDatabase = {
  env: own,
  ...inOneProcess,
  globalSetup: './testing/run/database.ts',
  setupFiles: [asNew, './testing/run/own-database.ts'],
  maxWorkers: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: patient,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          env: own,
          include: unit,
          ...inOneProcess,
          setupFiles: asNew,
          exclude: [...db, '**/node_modules/**'],
          // the same number for all, or one project would run after the other; tests wait for each other's PostgreSQL
          maxWorkers: 3,
          testTimeout: 120_000,
          expect: patient,
        },
      },
      {
        test: { name: 'db', include: db, exclude: [...RELEASE_TESTS, '**/node_modules/**'], ...withDatabase },
      },
      { test: { name: 'release', include: RELEASE_TESTS, ...withDatabase } },
    ],
  },
});
