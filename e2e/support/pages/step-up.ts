// Operation requiring step-up, protected by the Node code of docs/how-to/step-up.md and by the Python file. A user
// raises the session with an authenticator app.
import { mkdirSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { expect } from '@playwright/test';
import { writeSnippet } from '#testing/code/doc-snippets.ts';
import type { Person } from '#testing/data/world.ts';
import type { Door } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { listen } from '#testing/net/listen.ts';
import { isOk, Program } from '#testing/net/program.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, hiddenFields, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { PYTHON } from '../service/python.ts';
import { appCode } from './second-factor.ts';

export const GUIDE = 'docs/how-to/step-up.md';
export const acr = (name: 'password' | 'mfa' | 'phishing-resistant') => `urn:gatehouse:acr:${name}`;

/** What the operation requires, as its challenge states (RFC 9470 §3). */
export const WANTED = { acr_values: acr('mfa'), max_age: '600' };

export type RunningApi = { url: URL; close: () => Promise<void> };

/** Returns `sub` if authentication is strong enough. */
export async function startNodeApi(
  door: Door,
  apiId: string,
  least = WANTED.acr_values,
): Promise<RunningApi> {
  const words = {
    "['local', 'campus']": "['pw']",
    "'orders'": `'${apiId}'`,
    'example/orders': `example/${apiId}`,
  };
  const folder = path.dirname(writeSnippet('protect.mjs', door.url, words));
  const { authorizeStrongly } = (await import(writeSnippet('strength.mjs', null, {}, folder, GUIDE))) as {
    authorizeStrongly: (
      request: IncomingMessage,
      response: ServerResponse,
      scope: string,
      wanted: { acr: string; maxAge: number },
    ) => Promise<{ sub: string } | null>;
  };
  const wanted = { acr: least, maxAge: Number(WANTED.max_age) };
  const { url, close } = await listen(
    http.createServer(async (request, response) => {
      const caller = await authorizeStrongly(request, response, 'read', wanted);
      if (caller) response.end(caller.sub);
    }),
  );
  return { url: new URL(url), close };
}

const SERVER = `
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from gatehouse_verify import Gatehouse, Refused

port, api, acr, max_age = sys.argv[1:]
operation = Gatehouse(api).require(scope="read", acr=acr, max_age=int(max_age))

class Operation(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            if self.path == "/ready":
                return self.answer(200)
            self.answer(200, operation.check(self.headers.get_all("Authorization")).sub)
        except Refused as refused:
            self.answer(refused.status, headers=refused.headers)

    def answer(self, status, body="", headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

ThreadingHTTPServer(("127.0.0.1", int(port)), Operation).serve_forever()
`;

/** Starts the operation of `startNodeApi` in Python, protected by packages/verify-python. */
export async function startPythonApi(door: Door, apiId: string): Promise<RunningApi> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const metadata = `${door.url}/.well-known/oauth-protected-resource/apis/${apiId}`;
  mkdirSync('test-results', { recursive: true });
  const server = new Program({
    command: [PYTHON, '-c', SERVER, String(port), metadata, ...Object.values(WANTED)],
    env: { ...process.env, PYTHONPATH: path.resolve('packages/verify-python'), PYTHONDONTWRITEBYTECODE: '1' },
    log: path.resolve('test-results', `python-api-${port}.log`),
    answers: () => isOk(`${url}/ready`),
  });
  await server.start();
  return { url: new URL(url), close: () => server.stop() };
}

const isPage = (page: Answer, name: 'confirm' | 'set-up') =>
  page.status === 200 && page.text.includes(`action="/${name}/submit"`);

/** Sets up the displayed authenticator app with its current code. Returns secret and recovery codes. */
export async function addAppOn(
  browser: Browser,
  page: Answer,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  expect(isPage(page, 'set-up'), page.text.slice(0, 300)).toBe(true);
  const secret = (/<p class="copy"><code[^>]*>([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
  const shown = await browser.submit('/set-up/submit', { ...hiddenFields(page), code: appCode(secret) });
  const recoveryCodes = [...shown.text.matchAll(/<li><code[^>]*>([^<]+)/g)].map(([, code = '']) => code);
  expect(recoveryCodes).toHaveLength(10);
  return { secret, recoveryCodes };
}

/** Follows an authorization URL through all pages to the client's redirect; `proof` handles the confirmation page. */
export async function walk(
  browser: Browser,
  address: string | URL,
  person: Person,
  proof: () => Record<string, string> = () => ({}),
): Promise<{ pages: string[]; page: Answer }> {
  const pages: string[] = [];
  let page = await browser.onward(await browser.get(String(address)));
  const pass = async (name: string, answer: Promise<Answer>) => {
    pages.push(name);
    page = await browser.onward(await answer);
  };
  if (isSignInPage(page)) await pass('login', browser.signInOn(page, person));
  if (isPage(page, 'confirm'))
    await pass('confirm', browser.submit('/confirm/submit', { ...hiddenFields(page), ...proof() }));
  if (isConsentPage(page)) await pass('consent', browser.decideOn(page, 'allow'));
  return { pages, page };
}
