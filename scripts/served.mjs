// Detects processes that serve the build to be replaced. A running service loads code and pages on first request, so a
// new build in its folder breaks it. Runs before `next build`, on Linux only, because /proc lists processes.
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './running.mjs';

const PROCESSES = '/proc';

/** Stops with one line if a running process serves the build. */
export function refuseServed(distDir = '.next') {
  const pid = servingProcess(root, distDir);
  if (pid !== null)
    throw new Error(
      `process ${pid} serves ${path.join(root, distDir)}: stop it first, or build the new version in another folder (docs/operate/upgrade.md, "A build where the service runs")`,
    );
}

/**
 * Returns the first process that was started in the folder and serves its build `distDir`, or any build if `distDir`
 * is null. `null`: none is visible to this user.
 */
export function servingProcess(folder, distDir) {
  const home = realpathSync(folder);
  const pids = existsSync(PROCESSES) ? readdirSync(PROCESSES).filter((name) => /^\d+$/.test(name)) : [];
  const serving = pids.filter((pid) => {
    try {
      const of = (name) => readFileSync(path.join(PROCESSES, pid, name), 'utf8').split('\0');
      if (!isService(of('cmdline')) || readlinkSync(path.join(PROCESSES, pid, 'cwd')) !== home) return false;
      const env = of('environ');
      const named = env.findLast((one) => one.startsWith('GATEHOUSE_DIST_DIR='))?.split('=')[1];
      const isWanted = distDir === null || distDir === (named || '.next');
      // `next dev` uses a separate build
      return isWanted && !env.includes('NEXT_PRIVATE_WORKER=1');
    } catch {
      // this process is ignored: it has ended, or belongs to another user
      return false;
    }
  });
  return serving.map(Number).sort((one, other) => one - other)[0] ?? null;
}

/** True for Gatehouse's server, or for a Next server, which its process title identifies. */
const isService = ([program = '', ...args]) =>
  args.includes('server.ts') || program.startsWith('next-server');

// this file was started by `npm run build`, not imported
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    refuseServed(process.env.GATEHOUSE_DIST_DIR || '.next');
  } catch (error) {
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}
