import { defineConfig } from '@playwright/test';
import { RELEASE_PAGE_SPECS, RELEASE_SPECS } from './testing/run/release.ts';

const WHOLE = process.env['GATEHOUSE_CHROMIUM'];
/** Chromium's engine without the browser around it: the same pages for half the processor time. */
const SHELL = process.env['GATEHOUSE_HEADLESS_SHELL'] ?? WHOLE;

/** The subject of these is what a browser adds to its engine: passkeys, and its settings for cookies of other sites. */
const OF_THE_BROWSER = ['**/passkey*.spec.ts', '**/security-page.spec.ts', '**/silent-renewal.spec.ts'];

const launch = (program: string | undefined) => ({
  launchOptions: {
    ...(program ? { executablePath: program } : {}),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
});

export default defineConfig({
  testDir: 'e2e',
  // the leak test looks at what all others have left behind
  projects: [
    {
      name: 'all',
      testMatch: '**/*.spec.ts',
      testIgnore: ['**/leaks.spec.ts', ...OF_THE_BROWSER, ...RELEASE_SPECS, ...RELEASE_PAGE_SPECS],
      use: launch(SHELL),
      teardown: 'leaks',
    },
    { name: 'whole browser', testMatch: OF_THE_BROWSER, use: launch(WHOLE), teardown: 'leaks' },
    { name: 'release', testMatch: RELEASE_SPECS, use: launch(WHOLE), teardown: 'leaks' },
    { name: 'release pages', testMatch: RELEASE_PAGE_SPECS, use: launch(SHELL), teardown: 'leaks' },
    { name: 'leaks', testMatch: '**/leaks.spec.ts' },
  ],
  globalSetup: './e2e/support/service/global-setup.ts',
  fullyParallel: false,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['./testing/run/playwright-reporter.ts']],
  outputDir: 'test-results/output',
  use: { browserName: 'chromium' },
});
