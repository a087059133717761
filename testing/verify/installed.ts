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
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { Program } from '../net/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = path.join(root, 'packages/verify');
const NODE = path.join(root, 'node_modules/node/bin');
/** The address of the examples. */
const EXAMPLE = 'https://auth.example/.well-known/oauth-protected-resource/apis/orders';

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
  const readme = readFileSync(path.join(SOURCE, 'README.md'), 'utf8');
  const found = [...readme.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].find(
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
  const options = secret === undefined ? `'${api}'` : `'${api}', introspectionSecret: '${secret}'`;
  const text = exampleOf(file)
    .replace(`'${EXAMPLE}'`, options)
    .replace("'orders:read'", `'${scope}'`)
    .replace('8080', port);
  const target = path.join(folder, `${port}-${file}`);
  writeFileSync(target, text);
  return { target, port };
}

/** Serves `/orders` until it is stopped, as `node FILE` does. */
export async function startExample(folder: string, file: string, told: Told) {
  const { target, port } = await write(folder, file, told);
  const url = `http://127.0.0.1:${port}/orders`;
  const program = new Program({
    command: [process.execPath, target],
    cwd: folder,
    env: process.env,
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
