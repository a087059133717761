// Endpoints called by a scheduler on serverless platforms.
import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const secret = process.env['E2E_CRON_SECRET'] as string;

eachDoor((door) => {
  const call = (authorization?: string) =>
    send(`${door.url}/api/cron/cleanup`, { headers: authorization === undefined ? {} : { authorization } });

  test('the scheduler’s address deletes expired data, for any caller with its secret', async () => {
    const key = randomBytes(8).toString('hex');
    await sql(`insert into attempts (key, count, expires_at) values ($1, 1, now() - interval '2 hours')`, [
      key,
    ]);
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${secret}x`,
      `Basic ${secret}`,
      secret,
    ]) {
      const refused = await call(wrong);
      expect(refused.status, String(wrong)).toBe(401);
      expect(refused.headers['cache-control']).toBe('no-store');
    }
    expect(await sql('select 1 from attempts where key = $1', [key])).toHaveLength(1);
    const done = await call(`Bearer ${secret}`);
    expect(done.status).toBe(200);
    expect((done.json()['deleted'] as Record<string, number>)['attempts']).toBeGreaterThan(0);
    const jobs = { seals: 'done', keys: 'done', cleanup: 'done', events: 'done', mails: 'done' };
    // functions also run the jobs that a server runs by timers
    const timed = process.env['GATEHOUSE_FUNCTIONS'] ? { directories: 'done', logouts: 'done' } : {};
    expect(done.json()['jobs']).toEqual({ ...jobs, ...timed });
    expect(await sql('select 1 from attempts where key = $1', [key])).toHaveLength(0);
  });
});
