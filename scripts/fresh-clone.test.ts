// Runs each script of package.json in a clone without packages: it installs packages or prints one line with
// instructions.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
/** Scripts of package.json. Scripts such as `prestart` are omitted, because npm runs them before `start`. */
const NAMES = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
/** Arguments that a script needs to reach its main work. */
const WORDS: Record<string, string> = {
  vercel: 'out',
  screenshots: 'out',
  package: 'out',
  image: 'out',
  debian: 'out',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-clone-'));
  for (const name of ['package.json', 'package-lock.json', 'scripts'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  mkdirSync(path.join(folder, 'bin'));
  // a fake npm, which installs nothing and records its arguments
  writeFileSync(path.join(folder, 'bin', 'npm'), '#!/bin/sh\necho "$@" >> "$0.asked"\nexit 7\n');
  chmodSync(path.join(folder, 'bin', 'npm'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(NAMES)(
  'npm run %s without packages installs them, or prints one line that names npm install',
  (name) => {
    const asked = path.join(folder, 'bin', 'npm.asked');
    rmSync(asked, { force: true });
    const commands = [scripts[`pre${name}`], `${scripts[name]} ${WORDS[name] ?? ''}`].filter(Boolean);
    const { status, stderr } = spawnSync('sh', ['-c', commands.join(' && ')], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: folder,
        NODE_ENV: process.env.NODE_ENV,
        INIT_CWD: folder,
      },
    });
    const installs = existsSync(asked) && /^(?:install|ci)\b/m.test(readFileSync(asked, 'utf8'));
    if (!installs) expect(stderr).toBe('the packages are not installed: run npm install first\n');
    expect(status).not.toBe(0);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);
