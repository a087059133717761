// DATABASE_URL through PgBouncer without DIRECT_URL: the start reports the ignored parameter.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { hasPgbouncer, type Pooler, startPooler } from '#testing/service/pooler.ts';
import { refusePooler } from './database.ts';
import { migrate } from './migrate.ts';
import { closePool, query, whyUnreachable } from './pool.ts';

const direct = process.env['DATABASE_URL'] ?? '';

const said = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => whyUnreachable(error) ?? (error as Error).message,
  );

describe.skipIf(!hasPgbouncer())('PgBouncer in transaction mode is set as DATABASE_URL', () => {
  let plain = '';
  let ignoring = '';
  const running: Pooler[] = [];
  const started = async (settings: string) => {
    const pooler = await startPooler(direct, settings);
    running.push(pooler);
    return pooler.url;
  };
  beforeAll(async () => {
    plain = await started('');
    ignoring = await started('ignore_startup_parameters = statement_timeout, options, extra_float_digits');
  });
  afterEach(() => closePool());
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
  });
  const use = (env: Record<string, string>) => loadSettings({ GATEHOUSE_SECRET: 'x'.repeat(43), ...env });

  test('with a pooler and without DIRECT_URL, the start fails, and the error names the unsupported parameter and DIRECT_URL', async () => {
    use({ DATABASE_URL: plain });
    expect(await said(refusePooler())).toMatch(
      /unsupported startup parameter.*: (statement_timeout|options).*DIRECT_URL/,
    );
    expect(await said(query({ text: 'select 1', values: [] }))).toMatch(/statement_timeout.*DIRECT_URL/);
  });
  test('a pooler that ignores unknown startup parameters also requires DIRECT_URL', async () => {
    use({ DATABASE_URL: ignoring });
    expect(await said(refusePooler())).toMatch(/statement_timeout is not taken.*DIRECT_URL/);
  });
  test.each(['plain', 'ignoring'])(
    'with a DIRECT_URL that bypasses the pooler, the service starts and its queries succeed (%s)',
    async (which) => {
      use({ DATABASE_URL: which === 'plain' ? plain : ignoring, DIRECT_URL: direct });
      expect(await said(refusePooler())).toBe('taken');
      expect(await said(migrate(direct))).toBe('taken');
      const asked = Array.from({ length: 20 }, (_, value) =>
        query<{ value: number }>({ name: 'one-of-many', text: 'select $1::int as value', values: [value] }),
      );
      expect((await Promise.all(asked)).map(([row]) => row?.value)).toEqual(asked.map((_, value) => value));
    },
  );
  test('PostgreSQL without a pooler is accepted as DATABASE_URL', async () => {
    use({ DATABASE_URL: direct });
    expect(await said(refusePooler())).toBe('taken');
  });
});
