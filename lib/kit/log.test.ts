import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Runs a program, and returns the lines that it logs. */
function logged(program: string): Record<string, unknown>[] {
  const file = path.join(import.meta.dirname, 'log.ts');
  const source = `import { log, logConsole } from ${JSON.stringify(file)}; ${program}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a logged error contains code and cause, and no other properties', () => {
  const [line] = logged(`
    const cause = Object.assign(new Error('no answer'), { code: 'ECONNREFUSED', password: 'hunter22' });
    log().error({ err: new Error('no mail', { cause }) }, 'failed');`);
  expect(line).toMatchObject({ err: { message: 'no mail', cause: { fault: 'ECONNREFUSED' } } });
  expect(JSON.stringify(line)).not.toContain('hunter22');
});

test('LK-01: fields with secret names are never logged', () => {
  const [line] = logged(
    `log().info({ password: 'hunter22', request: { code: 'ghc_x', cookie: 'c' } }, 'asked');`,
  );
  expect(line).toMatchObject({
    password: '[redacted]',
    request: { code: '[redacted]', cookie: '[redacted]' },
  });
});

test('output of libraries and Node warnings become JSON log lines', () => {
  const lines = logged(`
    logConsole((text) => text.replaceAll('hunter22', '[redacted]'));
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

/** Log lines of a console call, with `hunter22` as credential. */
const printed = (call: string) =>
  logged(`logConsole((text) => text.replaceAll('hunter22', '[redacted]')); ${call};`);

test.each([
  ['a member', `console.log({ user: 'ada', password: 'pw-1' })`],
  ['a member of another case', `console.log({ user: 'ada', smtpPassword: 'pw-1', METRICS_TOKEN: 'pw-1' })`],
  ['a header', `console.warn('ada', { headers: { 'Set-Cookie': ['a=pw-1'], Authorization: 'x pw-1' } })`],
  ['a list', `console.log('ada', [[{ client_secret: 'pw-1' }]])`],
  ['an entry', `console.log('ada', new Map([['refresh_token', 'pw-1']]), new Headers({ cookie: 'pw-1' }))`],
  ['a code', `console.log('ada', { code: 'pw-1' })`],
  ['a code of capitals', `console.log('ada', { code: 'PWDJBMJHT' })`],
  ['a secret of capitals', `console.log('ada', { secret: 'PWSWY3DPEHPK3PXP', pass: 'PW2026' })`],
  ['a number', `console.log('ada', { password: 11112222 })`],
  ['an object as a secret', `console.log('ada', { token: { value: 'pw-1' } })`],
  ['a value', `console.log('ada', { note: 'it is hunter22' })`],
  ['a text', `console.log('ada %s', 'it is hunter22')`],
  ['a name', `console.log('ada', { hunter22: 1 })`],
  ['JSON', `console.log('ada %j', { password: 'pw-1', note: 'hunter22' })`],
  [
    'a class',
    `class Login { user = 'ada'; secret = 'pw-1'; toJSON() { return 'pw-1' } } console.log('%o', new Login())`,
  ],
  [
    'an error inside',
    `console.log('ada', { error: Object.assign(new Error('hunter22'), { password: 'pw-1' }) })`,
  ],
  ['an error with a cause', `console.error('ada', new Error('no', { cause: new Error('hunter22') }))`],
  ['bytes', `console.log('ada', { body: Buffer.from('pw-1') })`],
])('a secret in the output of a library is redacted: %s', (_, call) => {
  const lines = JSON.stringify(printed(call));
  expect(lines).toContain('ada');
  expect(lines).not.toMatch(/pw-1|PW[A-Z0-9]|hunter22|11112222|70 77 2d 31/);
});

test('the log prints values without secrets: system codes, empty members, circular and deep objects', () => {
  const [line] = printed(`
    const circle = { code: 'ECONNREFUSED', token: null, secret: true, at: new Date(0) };
    circle.self = circle;
    console.log('%s of %d', 'one', 2, circle, { a: { b: { c: 1 } } })`);
  expect(line?.['msg']).toMatch(
    /^one of 2 \{\s+code: 'ECONNREFUSED',\s+token: null,\s+secret: true,\s+at: 1970-01-01T00:00:00.000Z,\s+self: '\[circular\]'\s+\} \{ a: \{ b: \{ c: 1 \} \} \}$/,
  );
});
