import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  // the leak test looks at what all others have left behind, whatever became of them
  projects: [
    { name: 'all', testMatch: '**/*.spec.ts', testIgnore: '**/leaks.spec.ts', teardown: 'leaks' },
    { name: 'leaks', testMatch: '**/leaks.spec.ts' },
  ],
  globalSetup: './e2e/support/global-setup.ts',
  fullyParallel: false,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['./testing/playwright-reporter.ts']],
  outputDir: 'test-results/output',
  use: {
    browserName: 'chromium',
    launchOptions: {
      ...(process.env['GATEHOUSE_CHROMIUM'] ? { executablePath: process.env['GATEHOUSE_CHROMIUM'] } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
