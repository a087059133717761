// APIs in the frameworks of docs/protect-an-api.md, made of the guide's code and started as its table says.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import { writeSnippet } from '../pages/doc-snippets.ts';
import { hasPython, PYTHON } from '../service/python.ts';
import { REPLACED } from './resource-server.ts';

/** A row of the guide's table. */
export type Framework = {
  name: string;
  command: string;
  /** whether this is run, and why not */
  tests: string;
};

export function frameworks(): Framework[] {
  const guide = readFileSync('docs/protect-an-api.md', 'utf8');
  const row = /^\| (?:anything )?\[(.+?)\]\(#[\w-]+\).*?\| `(.+?)` *\| (.+?) *\|$/gm;
  return [...guide.matchAll(row)].map(([, name = '', command = '', tests = '']) => ({
    name,
    command,
    tests,
  }));
}

type Told = { authUrl: string; methods?: string[] };

/** What the guide's API asks for, in the words of the fixtures. */
const SCOPE = { 'orders:read': 'read' };

/** Serves `/orders` until it is stopped. */
export async function startFramework({ command }: Framework, { authUrl, methods }: Told) {
  const port = String(await freePort());
  const { folder, words } = write(fileOf(command), authUrl, port, methods);
  const url = `http://127.0.0.1:${port}/orders`;
  const api = new Program({
    command: words ?? command.replace('8080', port).split(' ').map(programOf),
    cwd: folder,
    env: process.env,
    log: path.join(folder, 'api.log'),
    answers: () =>
      send(url).then(
        () => true,
        () => false,
      ),
  });
  await api.start();
  return { url, stop: () => api.stop() };
}

function fileOf(command: string): string {
  const module = /\w+_api/.exec(command)?.[0];
  return module ? `${module}.py` : command.replace('go run .', 'main.go').replace('node ', '');
}

const programOf = (word: string) => ({ node: process.execPath, python3: PYTHON })[word] ?? word;

/** Writes the framework's file beside its language's verification; `words` is another command than the guide's. */
function write(
  file: string,
  authUrl: string,
  port: string,
  methods = ['pw', 'ext'],
): { folder: string; words?: string[] } {
  const listed = methods.map((method) => `"${method}"`).join(', ');
  if (file.endsWith('.py')) {
    const replaced = { '["local", "campus"]': `[${listed}]` };
    const folder = path.dirname(writeSnippet('protect.py', authUrl, replaced));
    writeSnippet(file, null, SCOPE, folder);
    return { folder };
  }
  if (file.endsWith('.go')) {
    const replaced = { '{"local", "campus"}': `{${listed}}`, 'go-oidc/v3/oidc': 'go-oidc' };
    const folder = path.dirname(writeSnippet('protect.go', authUrl, replaced));
    writeSnippet(file, null, { ...SCOPE, ':8080': `:${port}` }, folder);
    // not `go run`, whose program outlives it
    execFileSync('go', ['build', '-o', 'api', 'protect.go', file], { cwd: folder, env: GO_ENV });
    return { folder, words: [path.join(folder, 'api')] };
  }
  const folder = path.dirname(writeSnippet('protect.mjs', authUrl, REPLACED));
  writeSnippet(file, null, { ...SCOPE, '8080': port }, folder);
  return { folder };
}

/** Debian's packages instead of modules. */
const GO_ENV = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' };

/** What this machine lacks to run it, or null. */
export function lacking({ name }: Framework): string | null {
  const modules = { FastAPI: 'fastapi, uvicorn', Flask: 'flask' }[name];
  if (modules && !hasPython(`${modules}, jwt, cryptography`)) return `${name} is not installed`;
  if (name !== 'Go') return null;
  const found = spawnSync('go', ['list', 'github.com/coreos/go-oidc'], { env: GO_ENV });
  return found.status === 0 ? null : 'Go with go-oidc is not installed';
}

/** The route handler of Next, which gets requests of the web as in Next. */
export async function routeHandler(authUrl: string): Promise<(request: Request) => Promise<Response>> {
  const folder = path.dirname(writeSnippet('protect.mjs', authUrl, REPLACED));
  const { GET } = (await import(writeSnippet('route.js', null, SCOPE, folder))) as {
    GET: (request: Request) => Promise<Response>;
  };
  return GET;
}
