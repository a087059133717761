import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What this program logs, line by line. */
function logged(program: string): Record<string, unknown>[] {
  const file = path.join(import.meta.dirname, 'log.ts');
  const source = `import { log, logConsole } from ${JSON.stringify(file)}; ${program}`;
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

test('lines of libraries and warnings of Node are lines of the log', () => {
  const lines = logged(`
    logConsole();
    console.log('\x1b[32m✓\x1b[39m Running %s took 18ms', 'next.config.mjs');
    console.info('');
    console.error('failed:', Object.assign(new Error('no answer'), { password: 'hunter22' }));
    console.warn('two\\nlines');
    process.emitWarning('old', { type: 'DeprecationWarning', code: 'DEP0001' });`);
  expect(lines).toMatchObject([
    { level: 30, msg: '✓ Running next.config.mjs took 18ms' },
    { level: 50, msg: 'failed: no answer', err: { message: 'no answer' } },
    { level: 40, msg: 'two\nlines' },
    { level: 40, msg: 'a warning of Node', err: { message: 'old', fault: 'DEP0001' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('hunter22');
});
