// Vercel build of the last commit in a clean folder, without an account: equals the result of `git push`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startOwnDatabase } from '#testing/service/service.ts';

/** Version of Vercel's tool: the newest version that needs only the npm registry. */
const VERCEL = '60.1.3';
const ROOT = path.resolve(import.meta.dirname, '../..');
const TOOL = path.join(ROOT, '.data', `vercel-${VERCEL}`);
const COMMAND = path.join(TOOL, 'node_modules/vercel/dist/vc.js');

/** Writes the folder in the format of the Build Output API, with everything that a function needs. */
export async function buildFunctions(output: string): Promise<void> {
  installTool();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-vercel-'));
  // the build command migrates its database to this version's schema
  const database = await startOwnDatabase();
  try {
    checkOut(folder);
    rmSync(output, { recursive: true, force: true });
    run(process.execPath, [COMMAND, ...['build', '--prod', '--standalone', '--yes', '--token', 'none']], {
      cwd: folder,
      env: {
        ...process.env,
        DATABASE_URL: database.databaseUrl,
        GATEHOUSE_SECRET: database.env['GATEHOUSE_SECRET'],
        NEXT_TELEMETRY_DISABLED: '1',
        VERCEL_TELEMETRY_DISABLED: '1',
      },
    });
    mkdirSync(path.dirname(output), { recursive: true });
    cpSync(path.join(folder, '.vercel/output'), output, { recursive: true, verbatimSymlinks: true });
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs Vercel's tool in a separate folder, because it is larger than all dependencies. */
function installTool(): void {
  if (existsSync(COMMAND)) return;
  mkdirSync(TOOL, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  run('npm', ['install', `vercel@${VERCEL}`, '--prefix', TOOL, ...quiet], { cwd: TOOL });
}

/** Copies the committed files and the installed packages, so that `npm install` finds nothing to install. */
function checkOut(folder: string): void {
  const archive = path.join(folder, 'source.tar');
  run('git', ['archive', '--output', archive, 'HEAD'], { cwd: ROOT });
  run('tar', ['-xf', archive], { cwd: folder });
  rmSync(archive);
  mkdirSync(path.join(folder, '.vercel'));
  cpSync(path.join(import.meta.dirname, 'project.json'), path.join(folder, '.vercel/project.json'));
  run('cp', ['-a', '--link', path.join(ROOT, 'node_modules'), folder], {});
}

type Options = { cwd?: string; env?: NodeJS.ProcessEnv };

/** Runs a program. If it fails, throws an error with its output. */
function run(program: string, args: string[], options: Options): void {
  try {
    execFileSync(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}
