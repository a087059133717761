import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('firstLine: a character split over two chunks of standard input stays whole', async () => {
  const script =
    "import('./cli/typed.ts').then(async ({ firstLine }) => console.log(JSON.stringify(await firstLine())))";
  const child = spawn(process.execPath, ['--eval', `process.stdout.write('ready\\n'); ${script}`]);
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += String(chunk)));
  await once(child.stdout, 'data');
  const [first, rest] = [Buffer.from('pass é').subarray(0, -1), Buffer.from('pass é\nmore').subarray(6)];
  child.stdin.write(first);
  // the pipe delivers the first part of the input alone
  await new Promise((resolve) => setTimeout(resolve, 300));
  child.stdin.end(rest);
  await once(child, 'close');
  expect(printed).toBe('ready\n"pass é"\n');
});
