// Runs code from pages and documents, with its placeholders filled in.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { replaceIn } from '#testing/code/doc-snippets.ts';
import { send } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, type Params, unescapeHtml } from '#testing/service/browser.ts';

const execute = promisify(execFile);

/** Returns the code blocks of a page by label. */
export function codeOn(page: Answer): Map<string, string> {
  const blocks = page.text.matchAll(
    /class="code-block-head"><span>(.*?)<\/span>.*?<pre[^>]*><code>(.*?)<\/code>/gs,
  );
  const textOf = (code: string) => unescapeHtml(code.replaceAll(/<\/?span[^>]*>/g, ''));
  return new Map([...blocks].map(([, label = '', code = '']) => [unescapeHtml(label), textOf(code)]));
}

/** Follows an address until the client's redirect URI, with the consent of the user. Returns the redirect URL. */
export async function cameBack(browser: Browser, address: string): Promise<URL> {
  const params: Params = Object.fromEntries(new URL(address).searchParams);
  const [issuer = ''] = address.split('/authorize?');
  const [, method = '', api = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(issuer) ?? [];
  return new URL((await browser.finish(params, undefined, { method, api })).location);
}

type Told = Record<string, string | undefined>;

/** Runs JavaScript in two steps. Between them, a browser signs the user in. Returns the result. */
export async function runJavaScript(
  browser: Browser,
  code: string,
  env: Told = {},
): Promise<{ tokens: Told; renewed?: Told; person?: Told }> {
  const come = 'const currentUrl = await globalThis.visit(String(address));\n';
  Object.assign(globalThis, { visit: (address: string) => cameBack(browser, address) });
  return runModule(replaceIn(code, { '\n// 2. ': `\n${come}// 2. ` }), env);
}

/** Runs JavaScript that needs no browser. Returns its result. */
export async function runModule(
  code: string,
  env: Told,
): Promise<{ tokens: Told; renewed?: Told; person?: Told }> {
  const given = ['tokens', 'renewed', 'person'].filter((name) => code.includes(`const ${name} =`)).join(', ');
  mkdirSync('test-results', { recursive: true });
  const file = path.resolve(mkdtempSync(path.join('test-results', 'code-')), 'snippet.mjs');
  writeFileSync(file, `${code}\nexport { ${given} };\n`);
  Object.assign(process.env, env);
  return import(pathToFileURL(file).href);
}

/** Starts a program with this repository's packages, and waits until its address responds. */
export async function startModule(code: string, env: Told, address: string): Promise<Program> {
  mkdirSync('test-results', { recursive: true });
  const folder = path.resolve(mkdtempSync(path.join('test-results', 'code-')));
  writeFileSync(path.join(folder, 'server.mjs'), code);
  const answers = () =>
    send(address).then(
      () => true,
      () => false,
    );
  const program = new Program({
    command: [process.execPath, 'server.mjs'],
    cwd: folder,
    env: { ...process.env, ...env },
    log: path.join(folder, 'server.log'),
    answers,
  });
  await program.start();
  return program;
}

/** Runs printed shell commands and returns their output. Asynchronous, because this process may serve the API. */
export async function runShell(commands: string): Promise<string> {
  return (await execute('bash', ['-eu', '-c', commands])).stdout;
}

/** Splits commands into paragraphs, because readers paste one paragraph at a time. */
export const paragraphsOf = (code: string) => code.trim().split(/\n\n+/);

type Words = { clientId?: string; api?: string };

/** Runs the commands of a code grant like a reader, copying output into the next command. Returns each response. */
export async function runCurl(browser: Browser, code: string, words: Told & Words, secret?: string) {
  const own = Object.fromEntries(
    Object.entries(words).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const [setUp = '', ...steps] = paragraphsOf(replaceIn(code, own));
  const paragraph = (about: string) => steps.find((step) => step.includes(about)) ?? '';
  const prelude = secret === undefined ? setUp : `CLIENT_SECRET=${secret}\n${setUp}`;
  const begun = await runShell(`${prelude}\n${paragraph('authorize?')}\necho "$VERIFIER"`);
  const [address = '', verifier = ''] = begun.trim().split('\n').slice(-2);
  const came = (await cameBack(browser, address)).searchParams.get('code') ?? '';
  const run = (about: string, found: Record<string, string> = {}) =>
    runShell(`${prelude}\nVERIFIER=${verifier}\n${replaceIn(paragraph(about), found)}`);
  const tokens = JSON.parse(
    await run('grant_type=authorization_code', { 'code=CODE': `code=${came}` }),
  ) as Told;
  const { access_token: accessToken = '', refresh_token: refreshToken } = tokens;
  const called = await run('# Call the API', { ACCESS_TOKEN: accessToken });
  const renewed =
    refreshToken === undefined
      ? null
      : (JSON.parse(await run('grant_type=refresh_token', { REFRESH_TOKEN: refreshToken })) as Told);
  return { tokens, called, renewed };
}

/** Runs Python in two steps. Between them, a browser signs the user in. Returns the final token. */
export async function runPython(browser: Browser, python: string, code: string, env: Told): Promise<Told> {
  const paused = replaceIn(code, { '\n# 2. ': '\nprint(address, flush=True)\ncurrent_url = input()\n# 2. ' });
  const program = `${paused}\nimport json\nprint(json.dumps(session.token))\n`;
  const child = spawn(python, ['-c', program], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const first = !said.includes('\n');
    said += chunk;
    if (first && said.includes('\n')) child.stdin.end(`${await cameBack(browser, said.trim())}\n`);
  }
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`python ends with ${child.exitCode}: ${said}`);
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Told;
}

/** Runs Python that needs no browser. Returns the final token. */
export async function runPythonAlone(python: string, code: string, env: Told): Promise<Told> {
  const program = `${code}\nimport json\nprint(json.dumps(session.token))\n`;
  const { stdout } = await execute(python, ['-c', program], { env: { ...process.env, ...env } });
  return JSON.parse(stdout.trim()) as Told;
}
