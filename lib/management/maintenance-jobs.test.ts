import { expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { runJobs } from './maintenance.ts';

test('runJobs runs jobs in parallel, reports a job that still runs at its deadline as late, and names a failed job', async () => {
  setLogLevel('silent');
  const hang = Promise.withResolvers<void>();
  const began: string[] = [];
  const job = (name: string, run: () => Promise<unknown>, deadlineMs = 60_000) => ({
    [name]: {
      deadlineMs,
      run: () => {
        began.push(name);
        return run();
      },
    },
  });
  const { outcomes, failures } = await runJobs({
    ...job('hangs', () => hang.promise, 20),
    ...job('fails', () => Promise.reject(new Error('no room left'))),
    ...job('quick', async () => {}),
    ...job('throws', () => {
      throw new Error('at once');
    }),
  });
  expect(began).toEqual(['hangs', 'fails', 'quick', 'throws']);
  expect(outcomes).toEqual({ hangs: 'late', fails: 'failed', quick: 'done', throws: 'failed' });
  expect(failures.toSorted()).toEqual([
    'fails: no room left',
    'hangs: passed its deadline',
    'throws: at once',
  ]);
  hang.reject(new Error('after its deadline'));
});
