// Debian packages: they are downloaded from the mirror or, if it lacks a package, from the snapshot archive. A digest
// that base.json does not contain is rejected.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { debsOf } from './base.ts';
import { readDeb, type Sources, sources } from './fetched.ts';
import { ARCHITECTURES, type Deb, readRecord } from './record.ts';
import { tarOf } from './tar.ts';

const AT = '20260102T030405Z';

/** Serves files by path. Returns the URL and the list of requests. */
async function serving(files: Record<string, Buffer>) {
  const asked: string[] = [];
  const server = http.createServer((request, answer) => {
    const address = request.url ?? '';
    asked.push(address);
    const found = Object.hasOwn(files, address) ? files[address] : undefined;
    answer.writeHead(found ? 200 : 404).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cache = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-debs-'));
  onTestFinished(() => {
    server.close();
    rmSync(cache, { recursive: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const from: Sources = { mirror: origin, snapshots: `${origin}/archive`, cache };
  return { asked, from, origin };
}

/** A package with one file: an `ar` archive that contains two `tar` archives, which dpkg-deb can unpack. */
function madeDeb(): { bytes: Buffer; deb: Deb } {
  const member = (name: string, data: Buffer) => {
    const head = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`;
    return Buffer.concat([Buffer.from(`${head}${String(data.length).padEnd(10)}\`\n`), data]);
  };
  const tar = (name: string, text: string) =>
    Buffer.concat([...tarOf([{ path: name, kind: 'file', mode: 0o644, data: Buffer.from(text) }], 0)]);
  const bytes = Buffer.concat([
    Buffer.from('!<arch>\n'),
    member('debian-binary', Buffer.from('2.0\n')),
    member('control.tar', tar('control', 'Package: small\n')),
    member('data.tar', tar('usr/share/small', 'small')),
  ]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const deb: Deb = {
    name: 'small',
    version: '1',
    architecture: 'all',
    path: 'debian/pool/small_1_all.deb',
    sha256,
  };
  return { bytes, deb };
}

test('a Debian package is downloaded once, and its files and control data are returned', async () => {
  const { bytes, deb } = madeDeb();
  const { asked, from } = await serving({ [`/${deb.path}`]: bytes });
  for (const _ of [1, 2]) {
    const { files, control } = await readDeb(deb, AT, from);
    expect(files.map(({ path: name }) => name)).toContain('usr/share/small');
    expect(control).toBe('Package: small\n');
  }
  expect(asked).toEqual([`/${deb.path}`]);
});

test('if a package version is missing on the mirror, the archive of the recorded time is used', async () => {
  const { bytes, deb } = madeDeb();
  const { from } = await serving({ [`/archive/debian/${AT}/pool/small_1_all.deb`]: bytes });
  expect((await readDeb(deb, AT, from)).control).toBe('Package: small\n');
});

test('a missing package or wrong bytes cause one line with URLs and the command that records new versions', async () => {
  const { deb } = madeDeb();
  const { from, origin } = await serving({ [`/${deb.path}`]: Buffer.from('other') });
  await expect(readDeb(deb, AT, from)).rejects.toThrow(
    `small 1 cannot be had (${origin}/${deb.path}: other bytes than recorded; ` +
      `${origin}/archive/debian/${AT}/pool/small_1_all.deb: 404): ` +
      '`npm run image -- --renew` records the versions that Debian has now',
  );
});

test('an environment variable sets another mirror for packages', () => {
  expect(sources({ GATEHOUSE_DEBIAN_MIRROR: 'http://debian.example' }).mirror).toBe('http://debian.example');
});

test('the record lists equal packages for each architecture, and the installed Node version', async () => {
  const record = readRecord();
  const [amd64 = [], arm64] = ARCHITECTURES.map((one) =>
    debsOf(one, record).map(({ name, version }) => `${name} ${version}`),
  );
  expect(amd64.length).toBeGreaterThan(5);
  expect(arm64).toEqual(amd64);
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(record.node.version, '`npm run image -- --renew` records it').toBe(manifest.devDependencies.node);
});
