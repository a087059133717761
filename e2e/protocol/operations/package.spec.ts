// The package (docs/operate/deploy-package.md): built from this checkout, installed by another user in an empty
// folder, and run there.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { FIXTURES, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { isOk, Program } from '#testing/net/program.ts';
import { signIn } from '#testing/service/browser.ts';
import { type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { claimsOf, tokensFor } from '#testing/service/token.ts';
import { writePackage } from '../../../delivery/pack.ts';
import { expectDrained } from '../../support/service/drained.ts';
import {
  asOther,
  canInstall,
  contents,
  type Installed,
  installed,
  other,
} from '../../support/service/installed-package.ts';
import { stopwatch } from '../../support/service/stopwatch.ts';
import { builtTree } from '../../support/service/tree.ts';

test.skip(!canInstall(), 'installs and runs as another user, as root on Linux');
test.describe.configure({ mode: 'serial', timeout: 240_000 });

const command = 'node_modules/.bin/gatehouse';
let here: Installed;
let own: OwnDatabase;
let program: Program | undefined;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  own = await startOwnDatabase();
  here = await installed();
});
test.afterEach(() => program?.kill());
test.afterAll(async () => {
  await own?.stop();
  if (here) rmSync(here.folder, { recursive: true, force: true });
});

function started(verb: string, settings: Record<string, string>, answers: () => Promise<boolean>) {
  program = new Program({
    command: other(command, verb),
    env: { ...here.env, ...settings },
    cwd: here.app,
    log: path.join(here.folder, `${verb}.log`),
    answers,
  });
  return program.start();
}

const logOf = (verb: string) => readFileSync(path.join(here.folder, `${verb}.log`), 'utf8');

test('the command of the npm package prints version and commit, and its help uses the program’s name', () => {
  expect(asOther(here, command, '--version')).toMatch(
    /^gatehouse \d+\.\d+\.\d+(?:-dev\+\S+)? \([0-9a-f]{12}(?:-changed)?\)\n$/,
  );
  expect(asOther(here, command, 'migrate', '--help')).toMatch(/^gatehouse migrate\b/);
});

test('the package contains no sources, tests, maps or checkout paths', () => {
  const files = readdirSync(path.join(here.app, 'node_modules/gatehouse-server'), {
    recursive: true,
    encoding: 'utf8',
  });
  expect(files.length).toBeGreaterThan(3_000);
  // skips docs/snippets, which is code for other programs
  const own = files.filter((file) => !file.startsWith('docs/snippets/'));
  expect(own.filter((file) => /\.(?:tsx?|map|test\.js|nft\.json)$/.test(file))).toEqual([]);
  const search = ['-c', 'grep -rlF "$1" "$2" || true', 'sh', `${process.cwd()}/`];
  expect(execFileSync('sh', [...search, path.join(here.app, 'node_modules')]).toString()).toBe('');
});

test('two packages of the same source tree have equal bytes', async () => {
  const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const [name = ''] = readdirSync(path.join(here.folder, 'made'));
  const again = writePackage(await builtTree(), path.join(here.folder, 'again'), 1);
  expect(digest(again)).toBe(digest(path.join(here.folder, 'made', name)));
});

test('from an empty database to a user token: the package works with its folder as installed', async () => {
  const watch = stopwatch('the npm package');
  const before = contents(here);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { DATABASE_URL = '', GATEHOUSE_SECRET = '' } = own.env;
  const settings = {
    DATABASE_URL,
    GATEHOUSE_SECRET,
    BASE_URL: url,
    PORT: String(port),
    GATEHOUSE_WORKERS: '1',
  };
  const withSettings = { ...here, env: { ...here.env, ...settings } };
  expect(asOther(withSettings, command, 'migrate')).toMatch(/applied\n$/);
  // copied, because this account may lack access to the checkout
  const fixtures = path.join(here.folder, 'fixtures.yaml');
  copyFileSync(FIXTURES, fixtures);
  asOther(withSettings, command, 'apply', fixtures);
  watch.mark('migrated and applied');

  const service = await started('start', { ...settings, DRAIN_SECONDS: '1' }, () => isOk(`${url}/ready`));
  watch.mark('ready');
  const client = fixtureClient('tru');
  const browser = await signIn({ url }, fixturePerson('alice'), client);
  const tokens = await tokensFor(browser, client);
  watch.mark("a person's token");
  watch.tell();
  expect(claimsOf(tokens.accessToken)['iss']).toBe(issuerOf({ url }));
  // Next renders this page
  expect((await browser.get(`${url}/documentation`)).text).toContain('Gatehouse');

  await expectDrained({ client, url, refreshToken: tokens.refreshToken }, () => service.stop());
  expect(service.exitCode).toBe(0);
  expect(contents(here)).toEqual(before);
  // Node's compiled code
  expect(readdirSync(here.data)).toEqual(['compiled']);
});

test('the quickstart serves the demo with embedded PostgreSQL, without npm’s symlinks', async () => {
  const before = contents(here);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const service = await started('quickstart', { PORT: String(port) }, async () =>
    logOf('quickstart').includes('Ctrl-C stops everything'),
  );
  const line = /^ +curl -s (\S+) (.*)$/m.exec(logOf('quickstart')) ?? [];
  const body = [...(line[2] ?? '').matchAll(/-d (\S+)/g)].map(([, pair]) => pair).join('&');
  const token = await fetch(line[1] ?? '', { method: 'POST', body: new URLSearchParams(body) });
  expect(await token.json()).toMatchObject({ access_token: expect.any(String) });
  expect(await isOk(`${url}/apis`)).toBe(true);
  process.kill(service.pid, 'SIGINT');
  await expect.poll(() => service.hasExited).toBe(true);
  expect(await isOk(`${url}/health`)).toBe(false);
  expect(readdirSync(path.join(here.data, 'postgres'))).not.toContain('postmaster.pid');
  expect(contents(here)).toEqual(before);
});

test('the start prints one line and exits if the secret or the pages are missing, or if it has arguments', async () => {
  const { DATABASE_URL = '', GATEHOUSE_SECRET = '' } = own.env;
  const set = { DATABASE_URL, GATEHOUSE_SECRET, GATEHOUSE_WORKERS: '1', PORT: String(await freePort()) };
  const said = (settings: Record<string, string>, ...words: string[]) => {
    const [name = '', ...args] = other(command, ...words);
    const { status, stderr } = spawnSync(name, args, { cwd: here.app, env: { ...here.env, ...settings } });
    // in containers, a start first warns about loopback
    return [status, stderr.toString().replace(/^\{"level":40,.*\n/gm, '')];
  };
  const line = (text: RegExp) => expect.stringMatching(text);
  expect(said(set, 'start', 'now')).toEqual([2, line(/^gatehouse: start accepts no arguments.*\n$/)]);
  const unset = { ...set, GATEHOUSE_SECRET: '' };
  expect(said(unset, 'start')).toEqual([1, line(/^gatehouse: GATEHOUSE_SECRET is missing.*\n$/)]);
  rmSync(path.join(here.app, 'node_modules/gatehouse-server/.next'), { recursive: true });
  expect(said(set, 'start')).toEqual([1, line(/^gatehouse: the pages of this package are missing.*\n$/)]);
});
