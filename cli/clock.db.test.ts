// The clock of the host is wrong by one hour: the doctor reports this, and each process that queries the database
// logs it.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it.each([
  ['3600', 'ahead of'],
  ['-3600', 'behind'],
])('doctor reports a clock offset of %s s', (seconds, where) => {
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
