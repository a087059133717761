// A machine whose clock is an hour off: the doctor says so, and so does the log of each process that asks the database.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it.each([
  ['3600', 'ahead of'],
  ['-3600', 'behind'],
])('with a clock that is %s s off', (seconds, where) => {
  const env = { ...process.env, FAULTS_CLOCK_SECONDS: seconds };
  const args = ['--import', './scripts/faults/support/wrong-clock.mjs', 'cli/main.ts', 'doctor', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(status).toBe(1);
  const found = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  expect(found.find(({ check }) => check === 'clock')).toEqual({
    check: 'clock',
    state: 'broken',
    detail: expect.stringMatching(/^3(?:599|600)\.\d s from the database/),
  });
  expect(stderr).toMatch(new RegExp(`the clock of this machine is 3(?:599|600) s ${where} the database's`));
});
