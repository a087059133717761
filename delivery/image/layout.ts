// The folder that contains the image (OCI image layout 1.1): blobs by digest, and index.json, which refers to them.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tagOf } from '../tree.ts';
import { type About, imageConfig, labelsOf } from './config.ts';
import { type Blob, blobFile, type Layer } from './layer.ts';
import type { Architecture } from './record.ts';

const OCI = 'application/vnd.oci.image';
const INDEX = `${OCI}.index.v1+json`;
const MANIFEST = `${OCI}.manifest.v1+json`;

export type Image = { architecture: Architecture; layers: readonly Layer[] };

/** Writes the layout. Returns the digest of the index. The layers must already be in `dir/blobs`. */
export function writeLayout(dir: string, images: readonly Image[], about: About): string {
  const blobs = path.join(dir, 'blobs');
  const manifests = images.map(({ architecture, layers }) => ({
    ...writeManifest(blobs, { architecture, layers }, about),
    platform: { architecture, os: 'linux', ...(architecture === 'arm64' && { variant: 'v8' }) },
  }));
  const index = writeBlob(blobs, INDEX, {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests,
    annotations: labelsOf(about),
  });
  // lists the image for all platforms together, and for each platform separately, for tools that cannot select a
  // platform
  const named = [
    { ...index, annotations: nameOf(tagOf(about.version)) },
    ...manifests.map((manifest) => ({
      ...manifest,
      annotations: nameOf(`${tagOf(about.version)}-${manifest.platform.architecture}`),
    })),
  ];
  writeFileSync(path.join(dir, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(path.join(dir, 'index.json'), json({ schemaVersion: 2, mediaType: INDEX, manifests: named }));
  return index.digest;
}

/** containerd and `docker load` use the second name. */
const nameOf = (tag: string) => ({
  'org.opencontainers.image.ref.name': tag,
  'io.containerd.image.name': `docker.io/library/gatehouse:${tag}`,
});

function writeManifest(blobs: string, { architecture, layers }: Image, about: About): Blob {
  const config = writeBlob(blobs, `${OCI}.config.v1+json`, imageConfig(architecture, about, layers));
  return writeBlob(blobs, MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config,
    layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
    annotations: labelsOf(about),
  });
}

function writeBlob(blobs: string, mediaType: string, value: object): Blob {
  const text = json(value);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  mkdirSync(path.join(blobs, 'sha256'), { recursive: true });
  writeFileSync(blobFile(blobs, digest), text);
  return { mediaType, digest, size: Buffer.byteLength(text) };
}

const json = (value: object) => `${JSON.stringify(value)}\n`;
