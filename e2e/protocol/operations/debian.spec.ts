// Debian package (docs/operate/deploy-debian.md): installed in a clean Debian 12. Runs its units like systemd, without systemd:
// different user, named settings and credentials, only /tmp writable.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { FIXTURES, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Browser } from '#testing/service/browser.ts';
import { type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import {
  type Container,
  Containers,
  canContain,
  type Runnable,
  type Started,
} from '../../support/service/container.ts';
import { canInstall, Machine, madeDebs } from '../../support/service/debian.ts';
import { expectDrained } from '../../support/service/drained.ts';
import { stopwatch } from '../../support/service/stopwatch.ts';

test.skip(
  !canContain() || !canInstall(),
  'installs the package in a file system of its own, as root on Debian',
);
test.describe.configure({ mode: 'serial', timeout: 240_000 });

const UNITS = ['gatehouse.service', 'gatehouse-migrate.service'];
const CREDENTIALS = 'etc/gatehouse/credentials';

let folder: string;
let debs: { deb: string; later: string };
let machine: Machine;
let own: OwnDatabase;
const containers = new Containers();

test.beforeAll(async () => {
  test.setTimeout(240_000);
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-debian-'));
  own = await startOwnDatabase();
  debs = await madeDebs(folder);
  machine = Machine.made(path.join(folder, 'root'));
});
test.afterEach(() => containers.end());
test.afterAll(async () => {
  await own?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (what: Runnable, given: Started = {}) => containers.start(what, given);
const command = (...args: string[]) => run(machine.command(), { args });

async function ended(container: Container): Promise<[status: number | string, log: string]> {
  return [await container.ended, container.log];
}

test('lintian reports nothing for Gatehouse’s files, and each override has a reason', () => {
  // checks the small package without npm packages, because checking their unchanged files takes half a minute
  const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'warning', debs.later], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, '']);
});

test('the package installs, and starts no service, creates no user and migrates no database', () => {
  const users = readFileSync(machine.at('etc/passwd'), 'utf8');
  expect(machine.install(debs.deb)).toEqual({ status: 0, output: expect.any(String) });
  expect(machine.dpkg('--verify', 'gatehouse')).toEqual({ status: 0, output: '' });
  expect(readFileSync(machine.at('etc/passwd'), 'utf8')).toBe(users);
  const mode = (file: string) => (statSync(machine.at(file)).mode & 0o7777).toString(8);
  expect(['etc/gatehouse/env', CREDENTIALS].map(mode)).toEqual(['640', '700']);
  for (const script of ['postinst', 'prerm', 'postrm'])
    expect(readFileSync(machine.at(`var/lib/dpkg/info/gatehouse.${script}`), 'utf8')).not.toMatch(
      /^[^#']*(?:\bgatehouse migrate|start gatehouse)/m,
    );
});

test('systemd verifies the package’s units, and rates their exposure at most 2.5', () => {
  const home = 'usr/lib/gatehouse';
  const files = UNITS.map((unit) => {
    const text = readFileSync(machine.at('usr/lib/systemd/system', unit), 'utf8');
    // systemd-analyze searches programs on this machine
    writeFileSync(path.join(folder, unit), text.replaceAll(`/${home}`, machine.at(home)));
    return path.join(folder, unit);
  });
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', ...files]);
});

test('from the package alone, a user can sign in, only /tmp is written, and SIGTERM drains the service', async () => {
  const watch = stopwatch('the Debian package');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { DATABASE_URL = '', GATEHOUSE_SECRET = '' } = own.env;
  // an editor ends a file with a line break
  machine.write(`${CREDENTIALS}/DATABASE_URL`, `${DATABASE_URL}\n`);
  machine.write(`${CREDENTIALS}/GATEHOUSE_SECRET`, `${GATEHOUSE_SECRET}\n`);
  appendFileSync(machine.at('etc/gatehouse/env'), `BASE_URL=${url}\nPORT=${port}\nGATEHOUSE_WORKERS=2\n`);
  copyFileSync(FIXTURES, machine.at('srv/fixtures.yaml'));

  expect(await ended(run(machine.unit('gatehouse-migrate.service')))).toEqual([
    0,
    expect.stringMatching(/\S/),
  ]);
  expect(await ended(command('apply', '/srv/fixtures.yaml'))).toEqual([0, expect.stringMatching(/\S/)]);
  watch.mark('migrated and applied');
  const service = await run(machine.unit('gatehouse.service')).untilReady(url);
  watch.mark('ready');
  // each of these pages reads files of docs/
  for (const page of [
    '/documentation',
    '/documentation/guides/connect-a-client',
    '/apis/orders',
    '/openapi.json',
  ])
    expect([page, (await fetch(url + page)).status]).toEqual([page, 200]);
  expect(readFileSync(machine.at('usr/share/doc/gatehouse/docs/README.md'), 'utf8')).toContain('# ');
  const application = await RelyingParty.at({ url }, fixtureClient('conf'));
  const asked = application.request();
  const { location } = await new Browser({ url }).finish(asked.params, fixturePerson('alice'));
  const { claims, tokens } = await application.finish(asked, location);
  watch.mark("a person's token");
  watch.tell();
  expect(claims).toMatchObject({ iss: issuerOf({ url }), aud: 'conf' });

  const refreshToken = tokens.refresh_token ?? '';
  await expectDrained({ client: application.client, url, refreshToken }, () =>
    process.kill(service.pid, 'SIGTERM'),
  );
  expect(await service.ended).toBe(0);
  expect(service.log).not.toMatch(/EROFS|EACCES|read-only/i);
});

test('with missing or unreadable files, the start prints one line and exits with status 1', async () => {
  const service = () => machine.unit('gatehouse.service');
  const stranger = { user: 61_235 };
  const withCredential = (name: string, text: string | null) => {
    const file = `${CREDENTIALS}/${name}`;
    const before = readFileSync(machine.at(file), 'utf8');
    if (text === null) rmSync(machine.at(file));
    else machine.write(file, text);
    const unit = service();
    machine.write(file, before);
    return ended(run(unit));
  };
  const nowhere = { DATABASE_URL: 'postgresql://127.0.0.1:1/no' };
  const said: [outcome: () => ReturnType<typeof ended>, line: RegExp][] = [
    [() => withCredential('DATABASE_URL', null), /^gatehouse: DATABASE_URL is missing.*\n$/],
    [() => withCredential('GATEHOUSE_SECRET', null), /^gatehouse: GATEHOUSE_SECRET is missing.*\n$/],
    [() => withCredential('GATEHOUSE_SECRET', ''), /^gatehouse: \w+_FILE: \S+_GATEHOUSE_SECRET is empty\n$/],
    [() => ended(run(service(), stranger)), /^gatehouse: \S+\.service cannot be read \(EACCES\)\n$/],
    [() => ended(run(machine.unit('gatehouse-migrate.service'), { env: nowhere })), /^.*ECONNREFUSED.*\n$/],
    [
      () => ended(run(machine.command(), { ...stranger, args: ['doctor'] })),
      /^gatehouse: \/etc\/gatehouse\/env cannot be read \(EACCES\): only root can read it\n$/,
    ],
    [
      () => ended(command('quickstart')),
      /^gatehouse: quickstart requires PostgreSQL, which the Debian package does not contain.*\n$/,
    ],
  ];
  for (const [outcome, line] of said) expect(await outcome()).toEqual([1, expect.stringMatching(line)]);
  const asked = run(machine.command(), { ...stranger, args: ['--version'] });
  expect(await ended(asked)).toEqual([0, expect.stringMatching(/^gatehouse \d+\.\d+\.\d+(?:-dev\+\S+)? \(/)]);
});

test('an upgrade keeps edited settings, and a purge removes everything', () => {
  const edited = readFileSync(machine.at('etc/gatehouse/env'), 'utf8');
  expect(machine.install(debs.later)).toMatchObject({ status: 0 });
  expect(readFileSync(machine.at('etc/gatehouse/env'), 'utf8')).toBe(edited);
  // folders that systemd creates for units with a dynamic user
  for (const place of ['lib', 'cache']) machine.write(`var/${place}/private/gatehouse/file`, '');

  expect(machine.dpkg('--remove', 'gatehouse')).toMatchObject({ status: 0 });
  expect(existsSync(machine.at('usr/lib/gatehouse'))).toBe(false);
  expect(readFileSync(machine.at('etc/gatehouse/env'), 'utf8')).toBe(edited);
  expect(machine.dpkg('--purge', 'gatehouse')).toMatchObject({ status: 0 });
  // removes the files that the test created
  rmSync(machine.at('run/credentials'), { recursive: true });
  expect(machine.named()).toEqual([]);
});
