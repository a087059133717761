// The verification package as `npm pack` makes it, installed in an empty folder without a network, and the examples of
// its README, started there.
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
import { ownValue } from '#lib/kit/index.ts';
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { Program } from '../net/program.ts';
import { PYTHON } from './implementations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = path.join(root, 'packages/verify');
const PYTHON_SOURCE = path.join(root, 'packages/verify-python');
const NODE = path.join(root, 'node_modules/node/bin');

const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund', '--offline'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${NODE}${path.delimiter}${process.env['PATH']}` },
  });

/** The package's folder once it is installed; its frameworks are those of this repository. */
export function installed(frameworks: string[]): { folder: string; unpacked: string } {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'verify-')));
  // what `prepack` compiles is written beside the sources: two runs must not meet there
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
  npm(application, 'install', packed, path.join(folder, jose.trim()));
  for (const framework of frameworks) {
    const at = path.join(application, 'node_modules', framework);
    mkdirSync(path.dirname(at), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', framework), at);
  }
  return { folder: application, unpacked: path.join(application, 'node_modules/@gatehouse-auth/verify') };
}

/** The code of the README whose first line names the file. */
export function exampleOf(file: string): string {
  const readme = readFileSync(path.join(file.endsWith('.py') ? PYTHON_SOURCE : SOURCE, 'README.md'), 'utf8');
  const found = [...readme.matchAll(/^```(?:js|python)\n(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm)].find(
    ([, name]) => name === file,
  );
  if (!found?.[2]) throw new Error(`the README has no ${file}`);
  return found[2];
}

/** What takes the place of the example's words. */
export type Told = { api: string; scope?: string; secret?: string };

/** Writes an example into the folder; gives its path and the port that it listens on. */
async function write(folder: string, file: string, { api, scope = 'read', secret }: Told) {
  const port = String(await freePort());
  const option = file.endsWith('.py') ? 'introspection_secret=' : 'introspectionSecret: ';
  const options = secret === undefined ? `'${api}'` : `'${api}', ${option}'${secret}'`;
  const text = exampleOf(file)
    .replace(/(['"])https:\/\/auth\.example\/[^'"]*\1/, options)
    .replace(/(['"])orders:read\1/, `'${scope}'`)
    .replace('8080', port);
  const target = path.join(folder, `on_${port}_${file}`);
  writeFileSync(target, text);
  return { target, port };
}

/** What serves an example in Python on a port. */
function pythonCommand(module: string, port: string): string[] {
  const [host, log] = ['--host 127.0.0.1', '--log-level warning'];
  const words = {
    fastapi: `uvicorn ${module}:app ${host} --port ${port} ${log}`,
    starlette: `uvicorn ${module}:app ${host} --port ${port} ${log}`,
    flask: `flask --app ${module} run ${host} --port ${port}`,
    django: `django runserver --noreload 127.0.0.1:${port}`,
  };
  const [, name] = /_(\w+)_api$/.exec(module.replace(/^on_\d+/, '')) ?? [];
  return [PYTHON, '-m', ...(ownValue(words, name ?? '') ?? '').split(' ')];
}

/** The least that Django runs with. */
const djangoSettings = (module: string) =>
  `SECRET_KEY = "of a test"\nALLOWED_HOSTS = ["*"]\nROOT_URLCONF = "${module}"\n`;

/** Serves `/orders` until it is stopped, as `node FILE` or the framework's own command does. */
export async function startExample(folder: string, file: string, told: Told) {
  const { target, port } = await write(folder, file, told);
  const url = `http://127.0.0.1:${port}/orders`;
  const module = path.basename(target, '.py');
  const isPython = file.endsWith('.py');
  if (isPython) {
    cpSync(path.join(PYTHON_SOURCE, 'gatehouse_verify.py'), path.join(folder, 'gatehouse_verify.py'));
    writeFileSync(path.join(folder, `settings_${port}.py`), djangoSettings(module));
  }
  const program = new Program({
    command: isPython ? pythonCommand(module, port) : [process.execPath, target],
    cwd: folder,
    env: { ...process.env, DJANGO_SETTINGS_MODULE: `settings_${port}`, PYTHONDONTWRITEBYTECODE: '1' },
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

/** The handler of an example that exports one. */
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
