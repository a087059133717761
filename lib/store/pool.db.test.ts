import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { UnstorableText } from './index.ts';
import { query, transaction } from './pool.ts';

const terminate = (pid: number) => query({ text: 'select pg_terminate_backend($1)', values: [pid] });
const pidOf = (rows: unknown[]) => (rows as { pid: number }[])[0]?.pid ?? 0;
const PID = { text: 'select pg_backend_pid() as pid', values: [] };

test('a connection lost between two statements of a transaction fails that transaction and nothing else', async () => {
  const lost = transaction(async (run) => {
    await terminate(pidOf(await run(PID)));
    // the loss arrives while no statement is under way
    await sleep(100);
    return run(PID);
  });
  await expect(lost).rejects.toThrow('the database is not available');
  for (let again = 0; again < 12; again += 1) expect(await query(PID)).toHaveLength(1);
});

test('UN-01: a text with a NUL is the fault of whoever sent it, not of the database', async () => {
  await expect(query({ text: 'select $1::text', values: ['a\u0000b'] })).rejects.toBeInstanceOf(
    UnstorableText,
  );
});
