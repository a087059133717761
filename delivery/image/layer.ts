// A layer of the image: a tar archive, compressed with the same result on every machine.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entry, tarOf } from './tar.ts';

/** `diffId`: digest of the uncompressed archive. `unpacked`: its size in bytes. */
export type Layer = Blob & { diffId: string; unpacked: number; madeBy: string };
export type Blob = { mediaType: string; digest: string; size: number };

const CHUNK = 1024 * 1024;
/** Position of the byte for the operating system in a gzip header; 255 is unknown (RFC 1952). */
const SYSTEM_BYTE = 9;

/** Writes the layer into the folder `blobs` of a layout. `time`: the time of every file, in seconds. */
export async function writeLayer(
  blobs: string,
  entries: Iterable<Entry>,
  { time, madeBy }: { time: number; madeBy: string },
): Promise<Layer> {
  await mkdir(path.join(blobs, 'sha256'), { recursive: true });
  const file = path.join(
    blobs,
    `unfinished-${process.pid}-${createHash('sha256').update(madeBy).digest('hex')}`,
  );
  const archive = countingStream();
  const packed = countingStream();
  await pipeline(
    Readable.from(chunksOf(tarOf(entries, time))),
    archive.through,
    // the output depends on the compression level, and on the zlib in the locked version of Node
    createGzip({ level: 6 }),
    withoutSystem(),
    packed.through,
    createWriteStream(file),
  );
  const { digest, size } = packed.sum();
  await rename(file, blobFile(blobs, digest));
  const { digest: diffId, size: unpacked } = archive.sum();
  return { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size, diffId, unpacked, madeBy };
}

export const blobFile = (blobs: string, digest: string) => path.join(blobs, digest.replace(':', '/'));

function* chunksOf(parts: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for (const part of parts) {
    held.push(part);
    length += part.length;
    if (length < CHUNK) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  yield Buffer.concat(held);
}

function countingStream() {
  const hash = createHash('sha256');
  let size = 0;
  const through = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { through, sum: () => ({ digest: `sha256:${hash.digest('hex')}`, size }) };
}

/** Stream that overwrites the OS byte in the gzip header, because macOS writes another number than Linux. */
function withoutSystem(): Transform {
  let header = true;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (header) chunk[SYSTEM_BYTE] = 255;
      header = false;
      done(null, chunk);
    },
  });
}
