// The bill of materials of an image (CycloneDX 1.6): the packages of Debian, Node, and each npm package in the tree.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { debsOf } from './base.ts';
import { type About, dateOf } from './config.ts';
import { type Architecture, type BaseRecord, nodePackage } from './record.ts';

type Locked = { packages: Record<string, { version?: string; integrity?: string }> };

export function billOf(
  tree: string,
  {
    architecture,
    record,
    about,
    root,
  }: { architecture: Architecture; record: BaseRecord; about: About; root: string },
): object {
  const lock: Locked = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const debs = debsOf(architecture, record).map((deb) => ({
    type: 'library',
    name: deb.name,
    version: deb.version,
    purl: `pkg:deb/debian/${encodeURIComponent(deb.name)}@${encodeURIComponent(deb.version)}?arch=${deb.architecture}&distro=${record.suite}`,
    hashes: [{ alg: 'SHA-256', content: deb.sha256 }],
  }));
  const node = npmComponent(nodePackage(architecture), record.node.version, {
    license: 'MIT',
    integrity: record.node.integrity[architecture],
  });
  const components = [...debs, node, ...packagesIn(tree, lock)].map((component) => ({
    'bom-ref': component.purl,
    ...component,
  }));
  const body = {
    version: 1,
    metadata: {
      timestamp: dateOf(about.time),
      component: {
        type: 'container',
        'bom-ref': 'gatehouse',
        name: 'gatehouse',
        version: about.version,
        licenses: [{ license: { id: about.license } }],
      },
    },
    components,
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    ...body,
  };
}

/** Lists the packages in the tree, not those in the lock file, because the tree omits many. */
function packagesIn(tree: string, lock: Locked) {
  const integrities = new Map(
    Object.entries(lock.packages).map(([place, { version, integrity }]) => [
      `${nameAt(place)}@${version}`,
      integrity,
    ]),
  );
  const found = new Map<string, ReturnType<typeof npmComponent>>();
  for (const file of globSync('**/node_modules/{*,@*/*}/package.json', { cwd: tree }).sort()) {
    const { name, version, license } = JSON.parse(readFileSync(path.join(tree, file), 'utf8'));
    // some packages contain nested package.json files without name and version, for example with only a `type`
    if (!version || name !== nameAt(path.dirname(file))) continue;
    const integrity = integrities.get(`${name}@${version}`);
    found.set(`${name}@${version}`, npmComponent(name, version, { license, integrity }));
  }
  return [...found.values()];
}

const nameAt = (place: string) => place.split('node_modules/').at(-1) ?? '';

function npmComponent(
  name: string,
  version: string,
  { license, integrity }: { license?: unknown; integrity?: string | undefined },
) {
  const [algorithm, digest] = integrity?.split('-') ?? [];
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(typeof license === 'string' && {
      licenses: [/[ (]/.test(license) ? { expression: license } : { license: idOrName(license) }],
    }),
    ...(algorithm === 'sha512' &&
      digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  };
}

/**
 * Returns a licence as SPDX identifier. `UNLICENSED` and `SEE LICENSE IN …` are no identifiers, so they become names.
 */
const idOrName = (license: string) =>
  /^SEE |^UNLICENSED/.test(license) ? { name: license } : { id: license };

/** A UUID of version 8 (RFC 9562), computed from the text: equal texts yield equal UUIDs. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
