// Framework APIs of docs/how-to/protect-an-api.md, built from the guide's code and started as its table describes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeSnippet } from '#testing/code/doc-snippets.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import { REPLACED } from './resource-server.ts';

/** A row of the guide's table. */
export type Framework = {
  name: string;
  command: string;
  /** status of the tests, with the reason */
  tests: string;
};

export function frameworks(): Framework[] {
  const guide = readFileSync('docs/how-to/protect-an-api.md', 'utf8');
  const row = /^\| \[(.+?)\]\(#[\w-]+\).*?\| `(.+?)` *\| (.+?) *\|$/gm;
  return [...guide.matchAll(row)].map(([, name = '', command = '', tests = '']) => ({
    name,
    command,
    tests,
  }));
}

/** Scope of the guide's API, replaced by the fixture scope. */
const SCOPE = { 'orders:read': 'read' };

/** Starts the example, which serves `/orders` until it is stopped. */
export async function startFramework({ command }: Framework, authUrl: string) {
  const port = String(await freePort());
  const folder = path.dirname(writeSnippet('protect.mjs', authUrl, REPLACED));
  const file = writeSnippet(command.replace('node ', ''), null, { ...SCOPE, '8080': port }, folder);
  const url = `http://127.0.0.1:${port}/orders`;
  const api = new Program({
    command: [process.execPath, file],
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

/** Returns the example's route handler for Next, which receives Web requests as in Next. */
export async function routeHandler(authUrl: string): Promise<(request: Request) => Promise<Response>> {
  const folder = path.dirname(writeSnippet('protect.mjs', authUrl, REPLACED));
  const { GET } = (await import(writeSnippet('route.js', null, SCOPE, folder))) as {
    GET: (request: Request) => Promise<Response>;
  };
  return GET;
}
