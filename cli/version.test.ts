import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { VERSION } from '#lib/kit/version.ts';

test('`gatehouse --version` prints version and commit without settings and without a database', () => {
  const env = { PATH: process.env['PATH'], GATEHOUSE_SECRET: 'not-a-secret', NODE_ENV: process.env.NODE_ENV };
  const text = execFileSync(process.execPath, ['cli/main.ts', '--version'], { encoding: 'utf8', env });
  expect(text).toMatch(/^gatehouse \S+(?: \([0-9a-f]{12}\))?\n$/);
  expect(text).toContain(`gatehouse ${VERSION}`);
});
