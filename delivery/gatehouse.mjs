#!/usr/bin/env node
// `gatehouse`, the command of an installed package: runs the service, the demo or another command. It stores data in
// the data folder of its user, never in the folder of the program. The first lines run on any version of Node.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDS = [22, 19];
const home = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version, commit, scripts } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'));
const [major, minor] = process.versions.node.split('.').map(Number);
const verb = process.argv[2];

if (major < NEEDS[0] || (major === NEEDS[0] && minor < NEEDS[1])) {
  process.stderr.write(
    `gatehouse: Node ${process.versions.node} is too old: Gatehouse requires ${NEEDS.join('.')} or later\n`,
  );
  process.exit(1);
}
if (verb === '--version') process.stdout.write(`gatehouse ${version} (${commit})\n`);
else {
  settle();
  if (verb === 'start') start();
  else if (verb === 'quickstart') await quickstart();
  else await import(pathToFileURL(path.join(home, 'cli', 'main.js')).href);
}

/**
 * Sets the defaults for the settings of an installed program. A relative data folder is relative to the folder of the
 * caller.
 */
function settle() {
  const { env } = process;
  const shared = env.XDG_DATA_HOME && path.isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : null;
  // default data folder; a user without a home folder must set GATEHOUSE_DATA_DIR instead
  const own = () => path.join(shared ?? path.join(homedir(), '.local', 'share'), 'gatehouse');
  env.GATEHOUSE_DATA_DIR = path.resolve(env.GATEHOUSE_DATA_DIR || own());
  env.NODE_COMPILE_CACHE ||= path.join(env.GATEHOUSE_DATA_DIR, 'compiled');
  env.PATH = `${path.dirname(process.execPath)}${path.delimiter}${env.PATH ?? ''}`;
  env.NODE_ENV ||= 'production';
}

/** Replaces this process with the service, so that the service receives signals. */
function start() {
  if (process.argv.length > 3) wrongUsage('start accepts no arguments: set environment variables instead');
  process.chdir(home);
  process.execve('/bin/sh', ['sh', '-c', scripts.start], process.env);
}

async function quickstart() {
  if (process.argv.length > 3) wrongUsage('quickstart accepts no arguments');
  const { serveDemo } = await import(pathToFileURL(path.join(home, 'scripts', 'demonstrate.mjs')).href);
  const { fail, requirePort, step } = await import(
    pathToFileURL(path.join(home, 'scripts', 'running.mjs')).href
  );
  try {
    const port = await requirePort('gatehouse quickstart');
    process.stdout.write('\nGatehouse quickstart\n\n');
    await step('service', () => serveDemo(port));
  } catch (error) {
    fail(error);
  }
}

function wrongUsage(line) {
  process.stderr.write(`gatehouse: ${line} (see gatehouse --help)\n`);
  process.exit(2);
}
