// Verification package built with `npm pack` and installed offline in an empty folder, with running README examples.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownValue } from '#lib/kit/wire.ts';
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { Program } from '../net/program.ts';
import { buildGo, COPIED, PYTHON } from './programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = path.join(root, 'packages/verify');
const NODE = path.join(root, 'node_modules/node/bin');

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund', '--offline'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${NODE}${path.delimiter}${process.env['PATH']}` },
  });

/** Installs the package and returns its folder; this repository provides the frameworks. */
export function installed(frameworks: string[]): { folder: string; unpacked: string; packed: string } {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'verify-')));
  // `prepack` writes compiled files next to the sources, so two runs must not overlap
  const copy = path.join(folder, 'sources');
  cpSync(SOURCE, copy, { recursive: true, filter: (file) => !file.endsWith('dist') });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const packed = path.join(folder, npm(copy, 'pack', '--pack-destination', folder).trim());
  const jose = npm(
    path.join(root, 'node_modules/jose'),
    'pack',
    '--ignore-scripts',
    '--pack-destination',
    folder,
  );
  const application = path.join(folder, 'application');
  mkdirSync(application);
  // without this file, npm would install in a parent folder
  writeFileSync(path.join(application, 'package.json'), '{}');
  npm(application, 'install', packed, path.join(folder, jose.trim()));
  for (const framework of frameworks) {
    const at = path.join(application, 'node_modules', framework);
    mkdirSync(path.dirname(at), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', framework), at);
  }
  const unpacked = path.join(application, 'node_modules/gatehouse-verify');
  return { folder: application, unpacked, packed };
}

/** Returns the file that an example needs in its folder; JavaScript examples use the package. */
const copiedFor = (file: string) =>
  ownValue({ '.py': COPIED.python, '.go': COPIED.go, '.php': COPIED.php }, path.extname(file));

/** Returns the code block of the README whose first line contains the name of the file. */
export function exampleOf(file: string): string {
  const copied = copiedFor(file);
  const readme = readFileSync(path.join(copied ? path.dirname(copied) : SOURCE, 'README.md'), 'utf8');
  const found = [
    ...readme.matchAll(/^```(?:js|python|go|php)\n(<\?php )?(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm),
  ].find(([, , name]) => name === file);
  if (!found?.[3]) throw new Error(`the README has no ${file}`);
  return `${found[1] ? '<?php\n' : ''}${found[3]}`;
}

/** Values that replace the example's placeholders. */
export type Told = { api: string; scope?: string; secret?: string };

/** Writes an example to the folder; returns its path and port. */
async function write(folder: string, file: string, { api, scope = 'read', secret }: Told) {
  const port = String(await freePort());
  const option = file.endsWith('.py') ? 'introspection_secret=' : 'introspectionSecret: ';
  const quote = file.endsWith('.go') ? '"' : "'";
  const options = secret === undefined ? `${quote}${api}${quote}` : `'${api}', ${option}'${secret}'`;
  const text = exampleOf(file)
    .replace(/(['"])https:\/\/auth\.example\/[^'"]*\1/, options)
    .replace(/(['"])orders:read\1/, `${quote}${scope}${quote}`)
    .replace('8080', port);
  const target = path.join(folder, `on_${port}_${file}`);
  writeFileSync(target, text);
  return { target, port };
}

/** Returns the command that starts an example. */
function commandFor(target: string, file: string, port: string): string[] {
  const module = path.basename(target, '.py');
  const [host, log] = ['--host 127.0.0.1', '--log-level warning'];
  const words = {
    'fastapi_api.py': `-m uvicorn ${module}:app ${host} --port ${port} ${log}`,
    'starlette_api.py': `-m uvicorn ${module}:app ${host} --port ${port} ${log}`,
    'flask_api.py': `-m flask --app ${module} run ${host} --port ${port}`,
    'django_api.py': `-m django runserver --noreload 127.0.0.1:${port}`,
  };
  const python = ownValue(words, file);
  if (python) return [PYTHON, ...python.split(' ')];
  if (file.endsWith('.php')) return ['php', '-S', `127.0.0.1:${port}`, target];
  if (!file.endsWith('.go')) return [process.execPath, target];
  const files = {
    'main.go': readFileSync(target, 'utf8'),
    'gatehouse/gatehouse.go': readFileSync(COPIED.go, 'utf8'),
  };
  return [buildGo(target.replace(/\.go$/, ''), files)];
}

/** Returns the minimal settings of Django. */
const djangoSettings = (module: string) =>
  `SECRET_KEY = "of a test"\nALLOWED_HOSTS = ["*"]\nROOT_URLCONF = "${module}"\n`;

/** Serves `/orders` until stopped, with `node FILE` or the framework's command. */
export async function startExample(folder: string, file: string, told: Told) {
  const { target, port } = await write(folder, file, told);
  const url = `http://127.0.0.1:${port}/orders`;
  const copied = copiedFor(file);
  if (copied) cpSync(copied, path.join(folder, path.basename(copied)));
  if (file === 'django_api.py')
    writeFileSync(path.join(folder, `settings_${port}.py`), djangoSettings(path.basename(target, '.py')));
  const program = new Program({
    command: commandFor(target, file, port),
    cwd: folder,
    env: {
      ...process.env,
      DJANGO_SETTINGS_MODULE: `settings_${port}`,
      PYTHONDONTWRITEBYTECODE: '1',
      // folder in which PHP stores data for the next request
      TMPDIR: folder,
    },
    log: path.join(folder, `${port}.log`),
    answers: () =>
      send(url).then(
        () => true,
        () => false,
      ),
  });
  await program.start();
  return { url, log: program.launch.log, stop: () => program.stop() };
}

type Handler = (request: Request) => Promise<Response>;

/** Returns the handler that an example exports. */
export async function handlerOf(folder: string, file: string, told: Told): Promise<Handler> {
  const { target } = await write(folder, file, told);
  const { GET, default: worker } = (await import(/* @vite-ignore */ pathToFileURL(target).href)) as {
    GET?: Handler;
    default?: { fetch: Handler };
  };
  const handler = GET ?? worker?.fetch;
  if (!handler) throw new Error(`${file} exports no handler`);
  return handler;
}
