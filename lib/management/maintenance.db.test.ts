import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the jobs that run at the start of a process and every ten minutes load no Prisma module', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    const { ensureManagementApi } = await import('#lib/management/built-in.ts');
    const { maintain } = await import('#lib/management/maintenance.ts');
    await ensureManagementApi(undefined, { atStart: true });
    await maintain();
    const { closePool } = await import('#lib/store/pool.ts');
    await closePool();
    console.log(JSON.stringify(seen.filter((name) => /@prisma\\/(client($|\\/)|adapter)|generated/.test(name))));`;
  const start = () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as string[];
  };
  // the first start creates the built-in API
  expect(start()).not.toEqual([]);
  expect(start()).toEqual([]);
});
