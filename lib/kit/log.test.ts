import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What this program logs, line by line. */
function logged(program: string): Record<string, unknown>[] {
  const file = path.join(import.meta.dirname, 'log.ts');
  const source = `import { log } from ${JSON.stringify(file)}; ${program}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('an error is logged with its code, its cause, and nothing that was hung on it', () => {
  const [line] = logged(`
    const cause = Object.assign(new Error('no answer'), { code: 'ECONNREFUSED', password: 'hunter22' });
    log().error({ err: new Error('no mail', { cause }) }, 'failed');`);
  expect(line).toMatchObject({ err: { message: 'no mail', cause: { fault: 'ECONNREFUSED' } } });
  expect(JSON.stringify(line)).not.toContain('hunter22');
});

test('LK-01: what is called like a secret is never logged', () => {
  const [line] = logged(
    `log().info({ password: 'hunter22', request: { code: 'ghc_x', cookie: 'c' } }, 'asked');`,
  );
  expect(line).toMatchObject({
    password: '[redacted]',
    request: { code: '[redacted]', cookie: '[redacted]' },
  });
});
