// The costly steps: hashing a password, an outgoing call, decoding a picture, rendering a document.
// testing/data/costly-steps.ts lists each file that runs such a step, with the number of steps.
// costly-steps.db.test.ts checks that a limit is counted before each step that anonymous callers can trigger.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { COSTLY } from '#testing/data/costly-steps.ts';

const STEP =
  /(?<![.'\w])(?:hashPassword|verifyPassword|verifyNobody|outboundFetch|isBreached|breachFaults|passwordFaults|newPasswordFaults|withNewPassword|drawLogo|openApiDocument|renderToStaticMarkup)\(|\bverifyPassword\b(?=[;,} ])/g;

const sources = ['lib', 'app', 'cli', 'packages/doctor-mcp', 'packages/moving-in']
  .flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => path.join(room, name)),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.includes('/generated/'));
const textOf = (file: string) => readFileSync(file, 'utf8');
/** Ignores comments, because they may mention a step. */
const codeOf = (file: string) => textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

test('the table of this test lists each file with costly steps, and the number of its costly steps', () => {
  const found = sources
    .map((file) => [file, codeOf(file).match(STEP)?.length ?? 0] as const)
    .filter(([, calls]) => calls > 0);
  const listed = Object.entries(COSTLY).map(([file, { calls }]) => [file, calls]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
});
