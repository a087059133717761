// Functions for the scripts and for an installed package: their folder, environment and port. Runs on Node 20,
// before packages are installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Environment of every process that this script starts. Like npm, it puts node_modules/.bin first in PATH. */
export const environment = {
  ...process.env,
  PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
  NEXT_TELEMETRY_DISABLED: '1',
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
};

/** Runs a step and prints its duration; prints its output only after failure. `estimate`: expected duration. */
export async function step(title, work, estimate = '') {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const terminal = process.stdout.isTTY;
  const usual = estimate === '' ? '' : ` (${estimate})`;
  process.stdout.write(terminal ? `  ${title}${usual} …` : `  ${title}${usual} …\n`);
  const ticking = terminal
    ? setInterval(() => process.stdout.write(`\r  ${title}${usual} … ${seconds()}`), 500)
    : setInterval(() => process.stdout.write(`  ${title} … ${seconds()}\n`), 30_000);
  try {
    const result = await work();
    process.stdout.write(`${terminal ? '\r\x1b[K' : ''}  ${title}: ${result ?? 'done'} (${seconds()})\n`);
    return result;
  } finally {
    clearInterval(ticking);
  }
}

/** Runs a program and waits for its exit; prints output only after failure. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else
        reject(
          Object.assign(new Error(`${path.basename(program)} ${args.join(' ')} failed`), { output, code }),
        );
    });
  });
}

/**
 * Returns the address on which the server listens. The code repeats lib/settings, because packages may be
 * missing at this point.
 */
export const hostToServe = (env) => env.HOST || (isLocal(env) ? '127.0.0.1' : '0.0.0.0');

/** True if both public URLs (BASE_URL and AUTH_URL) are local. */
export const isLocal = ({ BASE_URL, AUTH_URL }) =>
  [BASE_URL, AUTH_URL]
    .filter(Boolean)
    .every((address) =>
      /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostnameOf(address)),
    );

/** True if mails are shown at /account/mail. lib/mail has the same condition. */
export const keepsMail = (env) => !env.SMTP_URL && isLocal(env);

const hostnameOf = (address) => (URL.canParse(address) ? new URL(address).hostname : '');

/** Checks the port before other work: valid number, unused at the listen address. */
export async function requirePort(command) {
  const { PORT, HOST } = process.env;
  const port = Number(PORT || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('PORT must be a port from 1 to 65535');
  const obstacle = await obstacleAt(port, hostToServe(process.env));
  if (obstacle === null) return port;
  if (obstacle === 'EADDRINUSE')
    throw new Error(`port ${port} is taken; set PORT to another one, for example: PORT=3001 ${command}`);
  if (obstacle === 'EACCES')
    throw new Error(`port ${port} needs more rights; set PORT to one from 1024 on: PORT=3001 ${command}`);
  throw new Error(
    `HOST=${HOST} is no address of this machine (${obstacle}); leave it away, or use 127.0.0.1`,
  );
}

export async function isPortFree(port, host) {
  return (await obstacleAt(port, host)) === null;
}

/** Returns the error code that prevents listening. `null`: the port is free. */
function obstacleAt(port, host) {
  return new Promise((resolve) => {
    const probe = net.createServer().once('error', (error) => resolve(error.code));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

/** Prints one readable line below the last output of the failed program, and exits. */
export function fail(error) {
  if (error?.output)
    process.stderr.write(`${String(error.output).trim().split('\n').slice(-40).join('\n')}\n`);
  process.stderr.write(`${error?.message ?? error}\n`);
  process.exit(1);
}

/** Source file of a program; packages contain a compiled file. */
export const program = (name) =>
  [`${name}.js`, `${name}.ts`].find((file) => existsSync(path.join(root, file)));
